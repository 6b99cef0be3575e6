"""Pairs of bodies that may touch, by MuJoCo's own rules, which are for geoms.

Two geoms may touch if a `<contact><pair>` names them. Others may touch if one's contype meets the other's conaffinity,
no `<exclude>` names their bodies, and they are not on one rigid group, nor on a group and its parent group. Two changes
make a robot on its base work: a link does not touch the static bodies on its own chain down to the world (MuJoCo would
let it touch its own base), while the world's own geoms, floor and walls, may be touched by every link. Two bodies may
touch as soon as any of their geoms may; a warning names the geoms that would not. Where `<flag>` disables contact or
all constraints, no two geoms of the model touch, as in MuJoCo.
"""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np

from ipc_articulation.arrays import Bools
from ipc_articulation.dynamics.reading.mujoco.names import enabled, name_of
from ipc_articulation.dynamics.reading.mujoco.shapes import can_collide
from ipc_articulation.repairs import LISTED, caution

CONTACT_FLAGS = "CONTACT", "CONSTRAINT"  # that both must be enabled


def colliding_geoms(model: mujoco.MjModel, bodies: list[int]) -> list[int]:
    """Geoms of some bodies that can collide; the others are for display only."""
    return np.flatnonzero(np.isin(model.geom_bodyid, bodies) & can_collide(model)).tolist()


def untouchable_pairs(
    model: mujoco.MjModel, geoms: Mapping[str, list[int]], immovable: set[str]
) -> frozenset[frozenset[str]]:
    """Pairs of names that never touch; warns of geoms that may not touch in MuJoCo, but on bodies that may.

    Args:
        model: The model.
        geoms: Geoms of each body and plane that has geoms.
        immovable: Names of bodies and planes that never move; they do not touch each other, nor themselves.
    """
    owns = np.zeros((len(geoms), model.ngeom), dtype=np.float32)
    for row, own in zip(owns, geoms.values(), strict=True):
        row[own] = 1.0
    may_touch = geoms_may_touch(model)
    count = owns @ may_touch.astype(np.float32) @ owns.T
    touch = count > 0.0
    np.fill_diagonal(touch, True)
    fixed, names = np.array([name in immovable for name in geoms], dtype=bool), list(geoms)
    never = ~touch | (fixed[:, None] & fixed)
    some = np.triu(~never & (count < np.outer(owns.sum(axis=1), owns.sum(axis=1))), 1)
    _warn_of_masks(model, geoms, may_touch, [(names[i], names[j]) for i, j in np.argwhere(some).tolist()])
    return frozenset(frozenset({names[i], names[j]}) for i, j in np.argwhere(np.triu(never)).tolist())


def _warn_of_masks(
    model: mujoco.MjModel, geoms: Mapping[str, list[int]], may_touch: Bools, pairs: list[tuple[str, str]]
) -> None:
    """Warn of pairs of bodies of which only some geoms may touch."""
    said = []
    for first, second in pairs[:LISTED]:
        i, j = np.argwhere(~may_touch[np.ix_(geoms[first], geoms[second])])[0]
        a, b = (name_of(model, "geom", geom) for geom in (geoms[first][i], geoms[second][j]))
        said.append(f"geom '{a}' of '{first}' and geom '{b}' of '{second}'")
    if said:
        more = f" and {len(pairs) - LISTED} more pairs of bodies" if len(pairs) > LISTED else ""
        caution(
            f"{', '.join(said)}{more} will touch, although contype, conaffinity and excludes say that they do not: "
            "other geoms of these bodies may touch, and bodies touch as a whole"
        )


def geoms_may_touch(model: mujoco.MjModel) -> Bools:
    """Pairs of geoms that may touch, (ngeom, ngeom), symmetric."""
    if not enabled(model, *CONTACT_FLAGS):
        return np.zeros((model.ngeom, model.ngeom), dtype=bool)
    meets = (model.geom_contype[:, None] & model.geom_conaffinity[None, :]) != 0
    owner = np.ix_(model.geom_bodyid, model.geom_bodyid)
    touch = (meets | meets.T) & ~(_excluded(model) | _related(model))[owner]
    touch[model.pair_geom1, model.pair_geom2] = touch[model.pair_geom2, model.pair_geom1] = True
    return touch


def _excluded(model: mujoco.MjModel) -> Bools:
    """(nbody, nbody) from `<contact><exclude>`, whose signature is (body1 << 16) + body2."""
    excluded = np.zeros((model.nbody, model.nbody), dtype=bool)
    for signature in model.exclude_signature:
        a, b = signature >> 16, signature & 0xFFFF
        excluded[a, b] = excluded[b, a] = True
    return excluded


def _related(model: mujoco.MjModel) -> Bools:
    """(nbody, nbody): one rigid group, group and parent group, or a body and a static body below it."""
    group = model.body_weldid
    related = group[:, None] == group[None, :]
    if enabled(model, "FILTERPARENT"):
        parent_group = group[model.body_parentid[group]]
        moving_parent = np.where(parent_group > 0, parent_group, -1)
        related |= moving_parent[:, None] == group[None, :]
        for body in range(1, model.nbody):
            related[body, _static_ancestors(model, body)] = True
    return related | related.T


def _static_ancestors(model: mujoco.MjModel, body: int) -> list[int]:
    """Static bodies between a body and the world, without the world."""
    found, ancestor = [], int(model.body_parentid[body])
    while ancestor > 0:
        if model.body_treeid[ancestor] < 0:
            found.append(ancestor)
        ancestor = int(model.body_parentid[ancestor])
    return found
