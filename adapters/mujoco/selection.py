"""Selection of the parts of a MuJoCo model for the IPC scene.

A moving body is always selected with its whole kinematic tree, because there is one joint-space mass matrix for a tree.
Static bodies, those welded to the world, are selected one by one; «world» means the geoms of the world itself.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.acted_on import acted_on
from ipc_articulation.adapters.mujoco.kinematics import rigid_group
from ipc_articulation.adapters.mujoco.touching import colliding_geoms

from ipc_articulation.dynamics.reading.mujoco.names import body_names
from ipc_articulation.errors import AdapterError

Names = Collection[str] | None


@dataclass(frozen=True)
class Selection:
    """Ids, ascending, of bodies that have joints or are static; bodies welded to them belong to them."""

    links: tuple[int, ...]  # bodies with joints, moved by MuJoCo: floating bases and bodies on which it acts among them
    free: tuple[int, ...]  # bodies with a free joint alone, moved by IPC
    static: tuple[int, ...]  # bodies without a degree of freedom, the world (0) among them
    mocap: tuple[int, ...] = ()  # mocap bodies with geoms that can collide, their own or of bodies welded to them


def select(model: mujoco.MjModel, links: Names, free: Names, static: Names, ignore: Collection[str]) -> Selection:
    """Choose bodies by name; None means all of that kind, and bodies in `ignore` are left out.

    A body with a free joint that carries no further joints may be named under `links` or `free`. Otherwise it is free,
    and a link if the model acts on it (`acted_on`), since IPC moves free bodies by gravity and contact alone.

    Raises:
        AdapterError: A name is no body of the model, or a body of another kind.
    """
    ids = {name: b for b, name in enumerate(body_names(model))}
    kinds = _kinds(model)
    ignored = _roots(model, _lookup(ids, ignore, "ignore"))
    given = {"links": links, "free": free, "static": static}
    named = {kind: _roots(model, _lookup(ids, names, kind)) for kind, names in given.items() if names is not None}
    for kind, roots in named.items():
        _refuse_other_kind(model, kind, roots, kinds)
    kinds["links"] |= {root for root in kinds["free"] if acted_on(model, rigid_group(model, root))}
    kinds["free"] -= kinds["links"]
    chosen = {}
    for kind in given:
        elsewhere = set[int]().union(*(roots for other, roots in named.items() if other != kind))
        chosen[kind] = named.get(kind, kinds[kind] - elsewhere) - ignored
    jointed = [b for b in range(model.nbody) if model.body_jntnum[b] > 0 and _root(model, b) in chosen["links"]]
    unmoved = [body for body in chosen["static"] if model.body_mocapid[model.body_rootid[body]] < 0]
    mocap = [body for body in chosen["static"] if model.body_mocapid[body] >= 0]
    solid = [body for body in mocap if colliding_geoms(model, mocap_group(model, body))]
    return Selection(tuple(jointed), *(tuple(sorted(found)) for found in (chosen["free"], unmoved, solid)))


def selected_bodies(model: mujoco.MjModel, selection: Selection) -> list[int]:
    """All selected bodies, with those that are welded to them."""
    moving = [b for body in selection.links + selection.free for b in rigid_group(model, body)]
    return moving + [b for body in selection.mocap for b in mocap_group(model, body)] + list(selection.static)


def mocap_group(model: mujoco.MjModel, body: int) -> list[int]:
    """A mocap body with all that is welded to it."""
    return np.flatnonzero((model.body_rootid == body) & (model.body_treeid < 0)).tolist()


def _kinds(model: mujoco.MjModel) -> dict[str, set[int]]:
    """Roots of the articulated trees, the free bodies, and the static bodies."""
    kinds: dict[str, set[int]] = {"links": set(), "free": set(), "static": set()}
    for b in range(model.nbody):
        if model.body_treeid[b] < 0:
            kinds["static"].add(b)
        elif _root(model, b) == b:
            kinds["free" if _is_free(model, b) and _is_alone(model, b) else "links"].add(b)
    return kinds


def _is_free(model: mujoco.MjModel, body: int) -> bool:
    first = model.body_jntadr[body]
    return first >= 0 and model.jnt_type[first] == mujoco.mjtJoint.mjJNT_FREE


def _is_alone(model: mujoco.MjModel, root: int) -> bool:
    """Whether no other body of a root's tree has joints."""
    return int(np.count_nonzero(model.body_jntnum[model.body_treeid == model.body_treeid[root]])) == 1


def _root(model: mujoco.MjModel, body: int) -> int:
    """The first body of a moving body's tree; a static body itself."""
    tree = model.body_treeid[body]
    return body if tree < 0 else int(np.flatnonzero(model.body_treeid == tree)[0])


def _roots(model: mujoco.MjModel, bodies: Collection[int]) -> set[int]:
    return {_root(model, b) for b in bodies}


def _lookup(ids: dict[str, int], names: Collection[str], argument: str) -> list[int]:
    unknown = [name for name in names if name not in ids]
    if unknown:
        raise AdapterError(
            f"{argument}: the model has no body named '{unknown[0]}'; its bodies are {', '.join(map(repr, ids))}"
        )
    return [ids[name] for name in names]


def _refuse_other_kind(model: mujoco.MjModel, wanted: str, roots: set[int], kinds: dict[str, set[int]]) -> None:
    names = body_names(model)
    for root in sorted(roots - kinds[wanted] - (kinds["free"] if wanted == "links" else set())):
        actual = next(kind for kind, members in kinds.items() if root in members)
        meaning = {"links": "moves by joints", "free": "has a free joint", "static": "is welded to the world"}[actual]
        raise AdapterError(f"{wanted}: body '{names[root]}' {meaning}; name it under '{actual}'")
