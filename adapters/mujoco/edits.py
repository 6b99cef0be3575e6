"""Edits of a model and its state between steps: what the scene was built from is refused, everything else is followed.

The fields of `MjModel` that the scene was built from are noted when the model is described, and the state that belongs
to IPC (poses and velocities of free bodies, the time) after each step. The bytes of all of them are compared at once
before each step, which takes less than a microsecond; only where they differ is each field looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.kinematics import rigid_group
from ipc_articulation.adapters.mujoco.selection import Selection
from ipc_articulation.adapters.mujoco.support import refuse_unsupported
from ipc_articulation.adapters.mujoco.touching import colliding_geoms

from ipc_articulation.dynamics.reading.mujoco.names import enabled, name_of
from ipc_articulation.errors import AdapterError

_FRAMES = ("body_pos", "body_quat")
_INERTIA = ("body_mass", "body_ipos", "body_iquat", "body_inertia")
_JOINTS = ("jnt_type", "jnt_pos", "jnt_axis")
_SURFACES = ("geom_type", "geom_dataid", "geom_size", "geom_pos", "geom_quat", "geom_friction", "geom_condim")
_TOUCHING = ("geom_contype", "geom_conaffinity", "geom_priority")
_FORCES = ("dof_damping", "dof_frictionloss", "dof_armature")  # of free bodies, all zero


class _Field(NamedTuple):
    """Entries of a field of a model or a state, one after the other, some of which matter."""

    name: str
    kind: str  # what an entry is about
    first: int  # entry
    now: np.ndarray  # a view
    then: np.ndarray  # a copy
    owners: dict[int, int]  # number of what an entry is about, by entry that matters

    def edits(self) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Owner, old and new value of each entry that was changed."""
        for entry, owner in self.owners.items():
            then, now = self.then[entry - self.first], self.now[entry - self.first]
            if not np.array_equal(then, now):
                yield owner, then, now


class Edits:
    """A note of the model and the state that a scene was built from.

    Args:
        model: The model.
        data: Its state.
        selection: What takes part.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, selection: Selection) -> None:
        self._model, self._opt, self._data, self._selection = model, model.opt, data, selection
        self._fields = [field for field in _fields(model, selection) if field.owners]
        self._states = [field for field in _states(model, data, selection) if field.owners]
        self._model_bytes, self._state_bytes = _bytes(self._fields), _bytes(self._states)
        self._filters_parents = enabled(model, "FILTERPARENT")
        self._noted_model = self._model_now()
        self.note_state()

    def note_state(self) -> None:
        """The state is that of the scene."""
        self._time, self._noted_state = self._data.time, b"".join(self._state_bytes)
        for field in self._states:
            field.then[:] = field.now

    def refuse(self) -> None:
        """Refuse what was edited since and cannot be followed.

        Raises:
            AdapterError: A field that the scene was built from, the state of a free body, or the time; names it.
            UnsupportedError: The edited model is not supported.
        """
        if self._model_now() != self._noted_model:
            self._refuse_model()
            self._noted_model = self._model_now()
        if self._data.time != self._time:
            raise AdapterError(
                f"the time of the state went from {self._time:g} s to {self._data.time:g} s between two steps (was it "
                "mj_resetData or mj_step?), but the scene stands where it was; go back with world.recover and "
                "coupling.restore, or couple the model in a new scene"
            )
        if b"".join(self._state_bytes) != self._noted_state:
            self._refuse_state()

    def _model_now(self) -> tuple[object, ...]:
        opt = self._opt
        flags = opt.integrator, opt.disableflags, opt.enableflags, opt.density, opt.viscosity
        return b"".join(self._model_bytes), *flags

    def _refuse_model(self) -> None:
        refuse_unsupported(self._model, self._selection)
        if enabled(self._model, "FILTERPARENT") != self._filters_parents:
            raise _edited("the flag filterparent", self._filters_parents, not self._filters_parents)
        for field in self._fields:
            for owner, then, now in field.edits():
                what = f"{field.name} of {field.kind} '{name_of(self._model, field.kind, owner)}'"
                raise _edited(what, then.tolist(), now.tolist())

    def _refuse_state(self) -> None:
        for field in self._states:
            for body, then, now in field.edits():
                raise AdapterError(
                    f"{field.name} of free body '{name_of(self._model, 'body', body)}' was changed between two steps, "
                    f"from {then:g} to {now:g}, but IPC moves that body; set it back, and move the body in the scene: "
                    "engine.state_accessor (docs/running.md)"
                )


def _bytes(fields: list[_Field]) -> list[memoryview]:
    return [field.now.data.cast("B") for field in fields]


def _fields(model: mujoco.MjModel, selection: Selection) -> Iterator[_Field]:
    """The fields that a scene is built from."""
    free = [b for body in selection.free for b in rigid_group(model, body)]
    bodies = [b for body in selection.links for b in rigid_group(model, body)] + free + list(selection.static)
    geoms = colliding_geoms(model, bodies)
    on_bodies = np.flatnonzero(np.isin(model.geom_bodyid, bodies))
    joints = [j for j in range(model.njnt) if model.jnt_bodyid[j] in selection.links]
    free_joints = [model.body_jntadr[body] for body in selection.free]
    for names, kind, owners in (
        (_FRAMES, "body", _frames(model, bodies, selection)),
        ((*_INERTIA, "body_gravcomp"), "body", free),
        (_JOINTS, "joint", joints),
        (("jnt_stiffness",), "joint", free_joints),
        (_SURFACES, "geom", geoms),
        (_TOUCHING, "geom", on_bodies),
        (("exclude_signature",), "exclude", range(model.nexclude)),
    ):
        yield from (_field(model, name, kind, {int(owner): int(owner) for owner in owners}) for name in names)
    free_dofs = {int(model.jnt_dofadr[joint]) + k: int(joint) for joint in free_joints for k in range(6)}
    yield from (_field(model, name, "joint", free_dofs) for name in _FORCES)
    yield _field(model, "mesh_vert", "mesh", _mesh_vertices(model, geoms))


def _states(model: mujoco.MjModel, data: mujoco.MjData, selection: Selection) -> Iterator[_Field]:
    """Positions and velocities of the free bodies."""
    joints = {body: model.body_jntadr[body] for body in selection.free}
    for name, addresses, count in (("qpos", model.jnt_qposadr, 7), ("qvel", model.jnt_dofadr, 6)):
        owners = {int(addresses[joint]) + k: body for body, joint in joints.items() for k in range(count)}
        yield _field(data, name, "body", owners)


def _field(source: mujoco.MjModel | mujoco.MjData, name: str, kind: str, owners: dict[int, int]) -> _Field:
    first = min(owners, default=0)
    now = getattr(source, name)[first : max(owners, default=-1) + 1]
    return _Field(name, kind, first, now, now.copy(), owners)


def _frames(model: mujoco.MjModel, bodies: list[int], selection: Selection) -> list[int]:
    """Bodies whose place on their parent decides where some bodies are: they and what carries them."""
    found: set[int] = set()
    for body in bodies:
        while body > 0 and body not in found:
            found.add(body)
            body = int(model.body_parentid[body])
    return sorted(found.difference(selection.free))


def _mesh_vertices(model: mujoco.MjModel, geoms: list[int]) -> dict[int, int]:
    """The mesh of each vertex that is on the surface of some geoms."""
    meshes = {int(model.geom_dataid[g]) for g in geoms if model.geom_type[g] == mujoco.mjtGeom.mjGEOM_MESH}
    starts = {mesh: int(model.mesh_vertadr[mesh]) for mesh in meshes}
    return {start + k: mesh for mesh, start in starts.items() for k in range(int(model.mesh_vertnum[mesh]))}


def _edited(what: str, then: object, now: object) -> AdapterError:
    return AdapterError(
        f"{what} was changed after `couple`, from {then} to {now}, but the scene was built from it; set it back, or "
        "couple the changed model in a new scene"
    )
