"""Friction of pairs of bodies where it is not the larger coefficient of the two: contact pairs and priorities.

In MuJoCo a `<contact><pair>` has its own friction, and otherwise the geom with the higher priority gives that of both.
Where several geoms of two bodies may touch, the largest coefficient counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.touching import geoms_may_touch

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import ContactRule


def sliding_friction(model: mujoco.MjModel) -> Array:
    """Sliding friction of all geoms, zero for frictionless ones (condim 1), (ngeom,)."""
    return np.where(model.geom_condim > 1, model.geom_friction[:, 0], 0.0)


def friction_rules(
    model: mujoco.MjModel, geoms: Mapping[str, list[int]], friction: Mapping[str, float]
) -> tuple[ContactRule, ...]:
    """Rules for the pairs whose friction is not the larger one of both.

    Args:
        model: The model.
        geoms: Geoms of each body and plane that has geoms.
        friction: Their coefficients.
    """
    if not (model.npair or np.any(model.geom_priority)):
        return ()
    of_geoms, touch = _friction_of_geoms(model), geoms_may_touch(model)
    partners: dict[tuple[str, float], set[str]] = {}
    for a, b in combinations(geoms, 2):
        block = np.ix_(geoms[a], geoms[b])
        largest = float(of_geoms[block].max(initial=0.0, where=touch[block]))
        if touch[block].any() and largest != max(friction[a], friction[b]):
            partners.setdefault((a, largest), set()).add(b)
    return tuple(ContactRule(frozenset({a}), frozenset(others), mu) for (a, mu), others in partners.items())


def friction_leaders(model: mujoco.MjModel, geoms: Mapping[str, list[int]]) -> tuple[tuple[str, str], ...]:
    """Pairs of bodies and planes of which the first has the higher priority with all its geoms, and no contact pair."""
    if not np.any(model.geom_priority):
        return ()
    priority, body = model.geom_priority, {geom: name for name, ids in geoms.items() for geom in ids}
    paired = {frozenset(map(body.get, both)) for both in zip(model.pair_geom1, model.pair_geom2, strict=True)}
    least, most = ({name: of(priority[ids]) for name, ids in geoms.items()} for of in (np.min, np.max))
    return tuple((a, b) for a in geoms for b in geoms if least[a] > most[b] and frozenset((a, b)) not in paired)


def _friction_of_geoms(model: mujoco.MjModel) -> Array:
    """Sliding friction of each two geoms, (ngeom, ngeom)."""
    own, priority = sliding_friction(model), model.geom_priority
    mu = np.maximum(own[:, None], own[None, :])
    mu = np.where(priority[:, None] > priority[None, :], own[:, None], mu)
    mu = np.where(priority[:, None] < priority[None, :], own[None, :], mu)
    of_pair = np.where(model.pair_dim > 1, model.pair_friction[:, :2].max(axis=1, initial=0.0), 0.0)
    mu[model.pair_geom1, model.pair_geom2] = mu[model.pair_geom2, model.pair_geom1] = of_pair
    return mu
