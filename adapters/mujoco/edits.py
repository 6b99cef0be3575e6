"""Edits of a model and its state between steps: followed, or refused by name.

Every array of `MjModel` is noted when the model is described. `FOLLOWED` names those that only MuJoCo's own step or
its rendering reads: they may be edited. `_own` gives the arrays with entries from which the scene was built: these
entries must not change, those of ignored bodies may. No other array may change, because it defines the structure of the
model. The state that IPC computes (poses and velocities of free bodies, the time) is noted after each step.

All bytes that must not change are compared before each step, those of small fields at once, which takes a few
microseconds, and large fields, such as meshes, in compiled loops. Only if they differ is each field compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import translate
from typing import NamedTuple

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.acted_on import dof_fields, joint_fields
from ipc_articulation.adapters.mujoco.kinematics import rigid_group
from ipc_articulation.adapters.mujoco.pair_friction import overriding_friction
from ipc_articulation.adapters.mujoco.selection import Selection, selected_bodies
from ipc_articulation.adapters.mujoco.support import refuse_unsupported
from ipc_articulation.adapters.mujoco.touching import CONTACT_FLAGS, colliding_geoms

from ipc_articulation.arrays import Ints
from ipc_articulation.dynamics.kernels.kernel import kernel
from ipc_articulation.dynamics.reading.mujoco.attachments import tendons_on
from ipc_articulation.dynamics.reading.mujoco.names import enabled, name_of
from ipc_articulation.dynamics.reading.mujoco.support import in_fluid
from ipc_articulation.errors import AdapterError

_PICTURES = "cam_* light_* mat_* tex_* skin_* bvh_* oct_* body_bvh* *_rgba *_castshadow *_group *_matid *_user"
_TEXTS = "name_* names_* text_* numeric_* tuple_* key_* sensor_*"
_MUJOCOS_CONTACT = (
    "*_solref* *_solimp* *_solmix *_margin *_gap geom_aabb geom_rbound geom_fluid body_contype body_conaffinity"
)
_FORCES = (
    "actuator_*prm actuator_gaintype actuator_biastype actuator_*limited actuator_*range actuator_gear "
    "actuator_cranklength actuator_damping* actuator_armature actuator_actearly actuator_length0 actuator_acc0 "
    "jnt_stiffness* jnt_springyield jnt_limited jnt_range jnt_actfrc* jnt_actgravcomp qpos_spring "
    "dof_damping* dof_frictionloss dof_armature eq_data eq_active0 site_pos site_quat site_size site_sameframe "
    "tendon_stiffness* tendon_springyield tendon_damping* tendon_armature tendon_frictionloss tendon_limited "
    "tendon_range tendon_actfrc* tendon_length*"
)
_MASSES = (
    "body_mass body_inertia body_ipos body_iquat body_gravcomp body_sameframe body_simple body_subtreemass "
    "*_invweight0 dof_M0 dof_length dof_simplenum efm*"
)
_MESHES = "mesh_* hfield_*"
FOLLOWED = tuple(" ".join((_PICTURES, _TEXTS, _MUJOCOS_CONTACT, _FORCES, _MASSES, _MESHES)).split())
_FOLLOWED = re.compile("|".join(map(translate, FOLLOWED)))

_FRAMES = ("body_pos", "body_quat")
_INERTIA = ("body_mass", "body_ipos", "body_iquat", "body_inertia", "body_gravcomp")
_TENDONS = ("tendon_stiffness", "tendon_damping", "tendon_frictionloss", "tendon_armature", "tendon_limited")
_SURFACES = ("geom_type", "geom_dataid", "geom_size", "geom_pos", "geom_quat", "geom_sameframe", "geom_friction")
_TOUCHING = ("geom_contype", "geom_conaffinity", "geom_condim", "geom_priority", "geom_adhesion", "geom_surfacevel")
_LARGE = 1 << 16  # bytes of a field that is not copied to be compared
_OFF_OR_ON = (("off", "on"), ("on", "off"))
_KINDS = {"jnt": "joint", "eq": "equality"} | {
    kind: kind for kind in ("body", "geom", "mesh", "site", "exclude", "actuator", "tendon", "hfield")
}


class _Field(NamedTuple):
    """Entries of an array of a model or a state that may not change."""

    name: str
    entries: Ints  # ascending
    now: np.ndarray  # a view of the entries from the first to the last
    then: np.ndarray  # its copy

    def is_as_then(self) -> bool:
        """Whether no entry from the first to the last has changed."""
        now, then = self.now.ravel().view(np.uint8), self.then.ravel().view(np.uint8)
        whole = len(now) // 8 * 8
        if not np.array_equal(now[whole:], then[whole:]):
            return False
        return bool(_are_same(now[:whole].view(np.int64), then[:whole].view(np.int64)))

    def edits(self) -> Iterator[tuple[int, object, object]]:
        """The changed entries, each with its old and new value."""
        for entry in self.entries:
            then, now = self.then[entry - self.entries[0]], self.now[entry - self.entries[0]]
            if not np.array_equal(then, now):
                yield int(entry), then.tolist(), now.tolist()


@kernel
def _are_same(a, b):
    changed = np.int64(0)
    for i in range(len(a)):
        changed |= a[i] ^ b[i]
    return changed == 0


class Edits:
    """A copy of the model and the state from which a scene was built.

    Args:
        model: The model.
        data: Its state.
        selection: What takes part.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, selection: Selection) -> None:
        self._model, self._opt, self._data, self._selection = model, model.opt, data, selection
        own = dict(_own(model, selection))
        self._structure = _fields(model, {name: entries for name, entries in _all_arrays(model) if name not in own})
        self._own = _fields(model, own)
        self._states = _fields(data, _own_state(model, selection))
        of_model = self._structure + self._own
        self._large = [field for field in of_model if field.now.nbytes >= _LARGE]
        self._model_bytes = _bytes([field for field in of_model if field.now.nbytes < _LARGE])
        self._state_bytes = _bytes(self._states)
        self._contact, self._in_fluid = _contact_options(model), in_fluid(model)
        self._noted_model = self._model_now()
        self.note_state()

    def note_state(self) -> None:
        """Note the present state as that of the scene."""
        self._time, self._noted_state = self._data.time, b"".join(self._state_bytes)
        for field in self._states:
            field.then[:] = field.now

    def refuse_of_model(self) -> None:
        """Refuse unsupported edits of the model since the last note.

        Raises:
            AdapterError: A field from which the scene was built was edited; the message names it.
            UnsupportedError: The edited model is not supported.
        """
        if self._model_now() != self._noted_model or not all(field.is_as_then() for field in self._large):
            self._refuse_model()
            self._noted_model = self._model_now()
            for field in self._large:  # entries between those that may not change
                field.then[:] = field.now

    def refuse_of_state(self) -> None:
        """Refuse edits of the state of a free body, or of the time, likewise."""
        if self._data.time != self._time:
            raise AdapterError(
                f"the time of the state went from {self._time:g} s to {self._data.time:g} s between two steps (was it "
                "mj_resetData or mj_step?), but the scene stands where it was; go back with "
                "coupling.reset(world), or with world.recover and coupling.restore"
            )
        if b"".join(self._state_bytes) != self._noted_state:
            self._refuse_state()

    def notes_the_same(self, other: Edits) -> bool:
        """Whether another one would refuse the same edits of the model."""
        if self._model is not other._model or self._noted_model != other._noted_model:
            return False
        return all(
            np.array_equal(ours.then, theirs.then) for ours, theirs in zip(self._large, other._large, strict=True)
        )

    def _model_now(self) -> tuple[object, ...]:
        opt = self._opt
        flags = opt.integrator, opt.disableflags, opt.enableflags, opt.density, opt.viscosity, opt.o_friction.tobytes()
        return b"".join(self._model_bytes), *flags

    def _refuse_model(self) -> None:
        self._refuse_fields(self._structure)
        refuse_unsupported(self._model, self._selection)
        for what, now in _contact_options(self._model).items():
            if now != self._contact[what]:
                raise _edited(what, self._contact[what], now)
        if self._selection.free and in_fluid(self._model) != self._in_fluid:
            raise _edited(
                "the fluid (density or viscosity), which free bodies do not feel,", *_OFF_OR_ON[self._in_fluid]
            )
        self._refuse_fields(self._own)

    def _refuse_fields(self, fields: list[_Field]) -> None:
        for field in fields:
            for entry, then, now in field.edits():
                raise _edited(_said(self._model, field.name, entry), then, now)

    def _refuse_state(self) -> None:
        for field in self._states:
            for entry, then, now in field.edits():
                dofs = self._model.jnt_qposadr if field.name == "qpos" else self._model.jnt_dofadr
                body = self._model.jnt_bodyid[np.searchsorted(dofs, entry, side="right") - 1]
                raise AdapterError(
                    f"{field.name} of free body '{name_of(self._model, 'body', body)}' was changed between two steps, "
                    f"from {then:g} to {now:g}, but IPC moves that body; set it back, and put the body there by "
                    "coupling.set_state(world, free=...)"
                )


def _contact_options(model: mujoco.MjModel) -> dict[str, object]:
    """What decides which geoms touch, besides their masks, and with which friction."""
    return {
        "the flag filterparent": enabled(model, "FILTERPARENT"),
        "the flag contact or constraint": enabled(model, *CONTACT_FLAGS),
        "the friction of <flag override>": overriding_friction(model),
    }


def _all_arrays(model: mujoco.MjModel) -> Iterator[tuple[str, Iterable[int]]]:
    """The arrays that `FOLLOWED` does not name, and all their entries."""
    for name in dir(model):
        array = None if name.startswith("_") or _FOLLOWED.match(name) else getattr(model, name)
        if isinstance(array, np.ndarray):
            yield name, range(len(array))


def _own(model: mujoco.MjModel, selection: Selection) -> Iterator[tuple[str, Iterable[int]]]:
    """The arrays with entries from which the scene was built, and the indices of these entries."""
    free = [b for body in selection.free for b in rigid_group(model, body)]
    bodies = selected_bodies(model, selection)
    geoms = colliding_geoms(model, bodies)
    free_joints = [int(model.body_jntadr[body]) for body in selection.free]
    for names, entries in (
        (_FRAMES, _frames(model, bodies, selection)),
        (_INERTIA, free),
        (("jnt_pos", "jnt_axis"), np.flatnonzero(np.isin(model.jnt_bodyid, selection.links))),
        (joint_fields(model), free_joints),
        (dof_fields(model), [int(model.jnt_dofadr[joint]) + k for joint in free_joints for k in range(6)]),
        (_TENDONS, tendons_on(model, free)),
        (_SURFACES, geoms),
        (_TOUCHING, np.flatnonzero(np.isin(model.geom_bodyid, bodies))),
        (("hfield_data",), _heights(model, geoms)),
        (("mesh_vert",), _parts_of_meshes(model, geoms, "vert")),
        (("mesh_face",), _parts_of_meshes(model, geoms, "face")),
    ):
        yield from ((name, entries) for name in names if hasattr(model, name))


def _own_state(model: mujoco.MjModel, selection: Selection) -> dict[str, Iterable[int]]:
    """Entries of the positions and velocities of the free bodies."""
    joints = model.body_jntadr[list(selection.free)]
    return {
        "qpos": [int(model.jnt_qposadr[joint]) + k for joint in joints for k in range(7)],
        "qvel": [int(model.jnt_dofadr[joint]) + k for joint in joints for k in range(6)],
    }


def _fields(source: mujoco.MjModel | mujoco.MjData, entries: dict[str, Iterable[int]]) -> list[_Field]:
    fields = []
    for name, chosen in entries.items():
        places = np.unique(np.array(list(chosen), dtype=np.int64))
        if len(places):
            now = getattr(source, name)[places[0] : places[-1] + 1]
            fields.append(_Field(name, places, now, now.copy()))
    return fields


def _bytes(fields: list[_Field]) -> list[memoryview]:
    return [field.now.data.cast("B") for field in fields if field.now.size]


def _frames(model: mujoco.MjModel, bodies: list[int], selection: Selection) -> set[int]:
    """Bodies whose pose in their parent changes the poses of some bodies: these bodies and their ancestors."""
    found: set[int] = set()
    for body in bodies:
        while body > 0 and body not in found:
            found.add(body)
            body = int(model.body_parentid[body])
    return found.difference(selection.free)


def _parts_of_meshes(model: mujoco.MjModel, geoms: list[int], part: str) -> Iterator[int]:
    """The vertices or faces of the meshes that are surfaces of some geoms."""
    for mesh in {int(model.geom_dataid[g]) for g in geoms if model.geom_type[g] == mujoco.mjtGeom.mjGEOM_MESH}:
        first = int(getattr(model, f"mesh_{part}adr")[mesh])
        yield from range(first, first + int(getattr(model, f"mesh_{part}num")[mesh]))


def _heights(model: mujoco.MjModel, geoms: list[int]) -> Iterator[int]:
    """The heights of the height fields that are surfaces of some geoms."""
    for field in {int(model.geom_dataid[g]) for g in geoms if model.geom_type[g] == mujoco.mjtGeom.mjGEOM_HFIELD}:
        first = int(model.hfield_adr[field])
        yield from range(first, first + int(model.hfield_nrow[field] * model.hfield_ncol[field]))


def _said(model: mujoco.MjModel, field: str, entry: int) -> str:
    """A field with the name of an entry's element, or the entry's index."""
    kind = field.partition("_")[0]
    if kind == "dof":
        kind, entry = "jnt", int(model.dof_jntid[entry])
    if starts := {"mesh_vert": "mesh_vertadr", "mesh_face": "mesh_faceadr", "hfield_data": "hfield_adr"}.get(field):
        entry = int(np.searchsorted(getattr(model, starts), entry, side="right")) - 1
    return (
        f"{field} of {_KINDS[kind]} '{name_of(model, _KINDS[kind], entry)}'" if kind in _KINDS else f"{field}[{entry}]"
    )


def _edited(what: str, then: object, now: object) -> AdapterError:
    return AdapterError(
        f"{what} was changed after `couple`, from {then} to {now}, but the scene was built from it; set it back, or "
        "couple the changed model in a new scene"
    )
