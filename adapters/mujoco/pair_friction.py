"""Friction of surfaces, which are geoms of one body, by MuJoCo's rules.

In MuJoCo a `<contact><pair>` has its own friction, and otherwise the geom with the higher priority gives that of both,
or the larger coefficient counts. `<flag override>` gives all of them that of `o_friction`. Geoms of a body that have
the same friction with all that the body may touch are one surface. Geoms that may not touch, of bodies that may, have
the largest coefficient of those that may.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, permutations, product

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.touching import geoms_may_touch

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.coupling.adapter import ContactRule


def sliding_friction(model: mujoco.MjModel) -> Array:
    """Sliding friction of all geoms, zero for frictionless ones (condim 1), (ngeom,)."""
    return _sliding(model, model.geom_condim, model.geom_friction[:, :1])


def overriding_friction(model: mujoco.MjModel) -> list[float] | None:
    """Both coefficients of sliding that `<flag override>` gives all contacts; None where it is off."""
    is_on = model.opt.enableflags & mujoco.mjtEnableBit.mjENBL_OVERRIDE
    return model.opt.o_friction[:2].tolist() if is_on else None


def _sliding(model: mujoco.MjModel, condim: Ints, own: Array) -> Array:
    """The larger coefficient of some geoms or pairs, (n,), whose own ones are (n, k); zero for condim 1."""
    given = overriding_friction(model)
    return np.where(condim > 1, own.max(axis=1, initial=0.0) if given is None else max(given), 0.0)


def surfaces_of(model: mujoco.MjModel, geoms: Mapping[str, list[int]]) -> dict[str, list[list[int]]]:
    """Geoms of each body and plane that have one friction with all that it may touch.

    Args:
        model: The model.
        geoms: Geoms of each body and plane that has geoms.
    """
    own = np.stack([sliding_friction(model), model.geom_priority, _is_paired(model)], axis=1)
    of_geoms, touch = _friction_of_geoms(model), geoms_may_touch(model)
    found = {}
    for name, ids in geoms.items():
        found[name] = [ids]
        if np.ptp(own[ids], axis=0).any() or own[ids, 2].any():
            rows = np.hstack([_between(of_geoms, touch, ids, others) for others in geoms.values()])
            _, kind = np.unique(rows, axis=0, return_inverse=True)
            kinds = dict.fromkeys(kind.reshape(-1).tolist())  # in the order of the geoms
            found[name] = [[geom for geom, k in zip(ids, kind.reshape(-1), strict=True) if k == one] for one in kinds]
    return found


def friction_rules(
    model: mujoco.MjModel, surfaces: Mapping[str, Mapping[str, list[int]]], friction: Mapping[str, float]
) -> tuple[ContactRule, ...]:
    """Rules for the pairs of surfaces whose friction is not the larger one of both.

    Args:
        model: The model.
        surfaces: By body and plane the geoms of each of its surfaces.
        friction: Coefficients by surface.
    """
    if not (model.npair or np.any(model.geom_priority) or any(len(own) > 1 for own in surfaces.values())):
        return ()
    of_geoms, touch = _friction_of_geoms(model), geoms_may_touch(model)
    partners: dict[tuple[str, float], set[str]] = {}
    for first, second in combinations(surfaces.values(), 2):
        left, right = (np.concatenate(list(side.values())) for side in (first, second))
        if not touch[np.ix_(left, right)].any():
            continue
        block = _between(of_geoms, touch, left, right)
        for (a, of_a), (b, of_b) in product(first.items(), second.items()):
            mu = float(block[np.ix_(np.isin(left, of_a), np.isin(right, of_b))].max())
            if mu != max(friction[a], friction[b]):
                partners.setdefault((a, mu), set()).add(b)
    return tuple(ContactRule(frozenset({a}), frozenset(others), mu) for (a, mu), others in partners.items())


def _between(of_geoms: Array, touch: Bools, left: Sequence[int] | Ints, right: Sequence[int] | Ints) -> Array:
    """Friction of the geoms of two bodies; where they may not touch, the largest of those that may."""
    block = np.ix_(np.asarray(left), np.asarray(right))
    return np.where(touch[block], of_geoms[block], of_geoms[block].max(initial=0.0, where=touch[block]))


def _is_paired(model: mujoco.MjModel) -> Bools:
    """Geoms in a `<contact><pair>`, (ngeom,)."""
    return np.isin(np.arange(model.ngeom), [model.pair_geom1, model.pair_geom2])


def friction_leaders(
    model: mujoco.MjModel, surfaces: Mapping[str, Mapping[str, list[int]]]
) -> tuple[tuple[str, str], ...]:
    """Pairs of surfaces of which the first has the higher priority with all its geoms, and no contact pair."""
    if not np.any(model.geom_priority):
        return ()
    geoms = {name: ids for own in surfaces.values() for name, ids in own.items()}
    priority, surface = model.geom_priority, {geom: name for name, ids in geoms.items() for geom in ids}
    paired = {frozenset(map(surface.get, both)) for both in zip(model.pair_geom1, model.pair_geom2, strict=True)}
    least, most = ({name: of(priority[ids]) for name, ids in geoms.items()} for of in (np.min, np.max))
    both = ((a, b) for first, second in permutations(surfaces.values(), 2) for a in first for b in second)
    return tuple((a, b) for a, b in both if least[a] > most[b] and frozenset((a, b)) not in paired)


def _friction_of_geoms(model: mujoco.MjModel) -> Array:
    """Sliding friction of each two geoms, (ngeom, ngeom)."""
    own, priority = sliding_friction(model), model.geom_priority
    mu = np.maximum(own[:, None], own[None, :])
    mu = np.where(priority[:, None] > priority[None, :], own[:, None], mu)
    mu = np.where(priority[:, None] < priority[None, :], own[None, :], mu)
    of_pair = _sliding(model, model.pair_dim, model.pair_friction[:, :2])
    mu[model.pair_geom1, model.pair_geom2] = mu[model.pair_geom2, model.pair_geom1] = of_pair
    return mu
