"""Geometries that are created or destroyed between steps: the scene is read again; other bodies keep their state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.contact import springs
from ipc_articulation.contact.held import carried
from ipc_articulation.engine.scene.model import EngineModel, make_model, read_rows
from ipc_articulation.engine.state import PAST, EngineState
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.attributes import constitution_uid, require
from ipc_articulation.frontend.bodies import BodyTable
from ipc_articulation.frontend.entries import Entries
from ipc_articulation.frontend.joint_kinds import JOINT_KINDS
from ipc_articulation.frontend.soft.stitches import UIDS as STITCHES


def has_changed(scene: Any, model: EngineModel) -> bool:
    """Returns: whether the scene's geometries differ from those of a model.

    libuipc gives every geometry a higher id than all before and keeps this order, so only the last one must be
    compared.
    """
    slots, known = scene.geometries(), model.context.births
    return len(slots) != len(known) or (len(known) > 0 and slots[len(known) - 1].id() != next(reversed(known)))


def read_again(scene: Any, model: EngineModel, state: EngineState) -> tuple[EngineModel, EngineState]:
    """The model of a scene that has changed, and its state.

    Remaining bodies keep coordinates, velocities and past, and remaining joints their angles. A new body starts from
    its `transform` and `velocity`; the initial poses of a new joint are the current poses of its bodies.

    Args:
        scene: `uipc.backend.SceneVisitor`.
        model: The scene as it was.
        state: Its state.

    Raises:
        SceneError: A body of a joint or of stitches, or an object with a callback, was destroyed, or bodies intersect;
            names them.
        UnsupportedError: see `read_model`.
    """
    slots = list(scene.geometries())
    _refuse_orphan_callbacks(scene.get())
    _refuse_orphans(slots, model.context.bodies)
    table = read_rows(scene)
    known = {key: row for row, key in enumerate(model.context.bodies.keys)}
    rows = [known.get(key, -1) for key in table.keys]  # where each body was, -1 for a new one
    old = np.array(rows, dtype=np.int64)
    present = replace(table, q=_carry(old, state.q, table.q), qdot=_carry(old, state.qdot, table.qdot))
    births = _carry_births(old, model.context.births, present.q)
    new = make_model(scene, present, births, model.diagonal, model.by_load)
    return new, _carry_state(old, state, model, new)


def _carry(old: Ints, before: Array, otherwise: Array) -> Array:
    """Rows of `before` for the remaining bodies and of `otherwise` for the new ones, (n, 12)."""
    stays = old >= 0
    values = otherwise.copy()
    values[stays] = before[old[stays]]
    return values


def _carry_births(old: Ints, births: dict[int, Array], q: Array) -> dict[int, Array]:
    """The initial poses of geometries; those that were created at one time share an array, as before."""
    moved = {id(poses): _carry(old, poses, q) for poses in births.values()}
    return {geo_id: moved[id(poses)] for geo_id, poses in births.items()}


def _carry_state(old: Ints, state: EngineState, model: EngineModel, new: EngineModel) -> EngineState:
    start = new.initial_state()
    bodies: dict[str, Any] = {name: _carry(old, getattr(state, name), getattr(start, name)) for name in PAST}
    angles = dict(zip(_joint_keys(model), state.theta, strict=True))
    followed = np.array([angles.get(key, 0.0) for key in _joint_keys(new)])
    known = {key: p for p, key in enumerate(model.planes.keys)}
    planes = np.array([known.get(key, -1) for key in new.planes.keys], dtype=np.int64)
    count = len(model.context.bodies), len(known)
    pairs, resistances = carried(state.held_resistances, old, planes, count)
    anchored, anchors = carried(state.held_anchors, old, planes, count)
    stencils, stretches = springs.carried(state.held_springs, old, planes, model.surfaces.first, new.surfaces.first)
    theta = new.context.coordinates.follow(followed, start.q)
    start = start._replace(pairs=pairs, resistances=resistances, anchored=anchored, anchors=anchors)
    start = start._replace(springs=stencils, stretches=stretches, creases=state.creases)
    return start._replace(**bodies, theta=theta)


def _joint_keys(model: EngineModel) -> list[tuple[int, int]]:
    return [(mesh.geo_id, k) for mesh in model.context.tracked for k in range(len(mesh.joints))]


def _refuse_orphan_callbacks(scene: Any) -> None:
    """Raise a SceneError for an animator callback whose object is destroyed, which libuipc cannot call."""
    for number in scene.animator().animation_ids():
        if scene.objects().find(number) is None:
            raise SceneError(
                f"object {number} was destroyed, but the animator still has its callback; call "
                f"scene.animator().erase({number}) too"
            )


def _refuse_orphans(slots: Sequence[Any], before: BodyTable) -> None:
    """Raise a SceneError for a joint or stitches that remain while one of their bodies is destroyed."""
    present = {slot.id() for slot in slots}
    names = {geo_id: f"body '{before.names[row]}'" for (geo_id, _), row in before.rows.items()}
    names |= {body.slot.id(): f"soft body '{body.name}'" for body in before.soft.bodies}
    gone = {geo_id: name for geo_id, name in names.items() if geo_id not in present}
    for slot in slots if gone else ():
        what, joined = _joined(slot.geometry(), slot.id())
        for geo_id in joined:
            if geo_id in gone:
                raise SceneError(
                    f"{gone[geo_id]} (geometry {geo_id}) was destroyed, but {what} geometry {slot.id()} still joins "
                    f"it; destroy the object of that {what} too"
                )


def _joined(geometry: Any, number: int) -> tuple[str, list[int]]:
    """What a joint or stitch geometry is, and the ids of the geometries that it connects; none for any other one."""
    uid = constitution_uid(geometry)
    if uid in STITCHES:
        return "stitch", Entries(geometry.meta(), f"stitch geometry {number}").ids("geo_ids", shape=(2,))[0].tolist()
    if uid not in JOINT_KINDS:
        return "", []
    joints = JOINT_KINDS[uid].joints_in(geometry)
    columns = (require(joints, name, f"joint geometry {number}") for name in ("l_geo_id", "r_geo_id"))
    return "joint", [int(geo_id) for column in columns for geo_id in column]
