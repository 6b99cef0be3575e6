"""Reading and writing the state of bodies between steps, as libuipc's AffineBodyStateAccessorFeature does it.

It is `engine.state_accessor`, and `world.features()` finds it (see `features`); its methods have the feature's names
and arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Integral
from typing import Any

import numpy as np
from uipc.geometry import ImplicitGeometry

from ipc_articulation import affine
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.contact import springs
from ipc_articulation.contact.held import without
from ipc_articulation.engine.output.write_back import SceneWriter
from ipc_articulation.engine.scene.model import EngineModel
from ipc_articulation.engine.state import PAST, EngineState
from ipc_articulation.engine.workspace import Workspace
from ipc_articulation.errors import SceneError, UnsupportedError
from ipc_articulation.frontend.attributes import writable
from ipc_articulation.frontend.bodies import BodyTable
from ipc_articulation.frontend.entries import Entries
from ipc_articulation.frontend.soft.body_checks import LARGEST
from ipc_articulation.frontend.soft.soft_rows import SoftRows
from ipc_articulation.frontend.turns import Turn, changing_in_turn, in_turn

_OFFSET = "backend_abd_body_offset"  # libuipc's name for the first body that a state geometry stands for
_MATRIX = (4, 4)
_OWNER = "the geometry of a state"


class StateAccessor:
    """Copies transforms and velocities between the engine's bodies and the instances of a geometry.

    Any thread may use it; it waits for a step that another one takes.
    """

    def __init__(
        self,
        turn: Turn,
        current: Callable[[], tuple[EngineModel, Workspace, SceneWriter, EngineState]],
        set_state: Callable[[EngineState], None],
    ) -> None:
        """Access an engine's current model, workspace, writer (it knows the written joint angles) and state."""
        self.turn = turn
        self._current, self._set_state = current, set_state

    def body_count(self) -> int:
        """Number of bodies; an instance of an affine-body geometry is one, in the order of the geometries."""
        return self._bodies.affine_count

    @property
    def soft(self) -> SoftRows:
        """The rows of soft bodies, after those of the bodies."""
        return self._bodies.soft

    @property
    def soft_state(self) -> tuple[Array, Array]:
        """Coordinates and velocities of these rows, (m, 12) each."""
        state, first = self._current()[-1], self.body_count()
        return state.q[first:], state.qdot[first:]

    @property
    def rows(self) -> Mapping[tuple[int, int], int]:
        """The row of each body by (geometry id, instance)."""
        return self._bodies.rows

    def create_geometry(self, body_offset: int = 0, body_count: int | None = None) -> Any:
        """A geometry with an instance for each of some bodies; create the attributes `transform` or `velocity` on it.

        Args:
            body_offset: The first body.
            body_count: How many; all that follow where None.

        Raises:
            SceneError: There are no such bodies.
        """
        first = whole(body_offset, "body_offset")
        count = self.body_count() - first if body_count is None else whole(body_count, "body_count")
        self._rows(first, count)
        geometry = ImplicitGeometry()
        geometry.instances().resize(count)
        geometry.meta().create(_OFFSET, first)
        return geometry

    def copy_transform_to(self, *_: Any) -> None:
        """Refuse a buffer: those of libuipc are on a GPU.

        Raises:
            UnsupportedError: Always.
        """
        raise UnsupportedError("the CPU engine writes into no buffers; use create_geometry and copy_to of the accessor")

    copy_velocity_to = copy_transform_to

    @in_turn
    def copy_to(self, state_geo: Any) -> None:
        """Write the engine's state to `transform` and `velocity` (both 4x4), if the geometry has them.

        Raises:
            SceneError: The geometry is not of `create_geometry`, or such an attribute is of another type.
        """
        rows, entries, state = self._rows_of(state_geo), entries_of(state_geo, "instance"), self._current()[-1]
        for name, values in (
            ("transform", affine.transform_from_q(state.q[rows])),
            ("velocity", affine.transform_rate_from_qdot(state.qdot[rows])),
        ):
            if entries.has(name):
                entries.numbers(name, shape=_MATRIX)  # refuses other types
                writable(entries.collection.find(name))[...] = values

    @changing_in_turn
    def copy_from(self, state_geo: Any) -> None:
        """Read `transform` and `velocity`, 4x4 each, if the geometry has them; the past of the bodies is discarded.

        Joint angles follow, to the turn that is nearest; where a script has written another `angle` into a joint
        geometry before, to the turn nearest to that. Velocities of fixed bodies are always zero.

        Raises:
            SceneError: As `copy_to`; or a number is not finite or too large, a transform is no pose, or bodies would
                intersect; names the body. The state does not change.
        """
        rows, entries = self._rows_of(state_geo), entries_of(state_geo, "instance")
        old = self._current()[-1]
        q, qdot = old.q[rows], old.qdot[rows]
        if entries.has("transform"):
            transform = entries.numbers("transform", shape=_MATRIX)
            self._refuse_sizes(transform, "transform", rows)
            self._refuse_no_poses(transform, rows)
            q = affine.q_from_transform(transform)
        if entries.has("velocity"):
            velocity = entries.numbers("velocity", shape=_MATRIX)
            self._refuse_sizes(velocity, "velocity", rows)
            qdot = affine.qdot_from_transform_rate(velocity)
        self.write(np.arange(rows.start, rows.stop), q, qdot)

    @in_turn
    def write(self, rows: Ints, q: Array, qdot: Array, begins_anew: bool = False) -> None:
        """Set the state of some bodies, as `copy_from` does.

        Args:
            rows: The k bodies, ascending.
            q: Their coordinates, (k, 12).
            qdot: Their velocities, (k, 12).
            begins_anew: Whether bodies that are somewhere else now choose their contact resistances anew. Scripts that
                move bodies in every step keep them.

        Raises:
            SceneError: Bodies would intersect; names them. The state does not change.
        """
        model, workspace, writer, old = self._current()
        new_q, new_qdot = old.q.copy(), old.qdot.copy()
        new_q[rows], new_qdot[rows] = q, qdot
        new_qdot[self._bodies.is_fixed] = 0.0
        moved = np.zeros(len(new_q), dtype=np.bool_)
        moved[rows] = True
        workspace.core.distances.refuse_overlaps(new_q, moved, "in the state that was written")
        theta = model.context.coordinates.follow(writer.adopt_coordinates(old.theta), new_q)
        planes = len(model.planes.names)
        state = _with_rows(old, EngineState.without_past(new_q, new_qdot, theta), rows, planes, model.surfaces.body)
        if begins_anew:
            pairs, resistances = without(old.held_resistances, (old.q != new_q).any(axis=1), planes)
            state = state._replace(pairs=pairs, resistances=resistances)
        self._set_state(state)
        writer.write_joints(state)

    @property
    def _bodies(self) -> BodyTable:
        return self._current()[0].context.bodies

    def _rows_of(self, geometry: Any) -> slice:
        return self._rows(first_of(geometry, _OFFSET), geometry.instances().size())

    def _rows(self, first: int, count: int) -> slice:
        if not 0 <= first <= first + count <= self.body_count():
            raise SceneError(
                f"bodies {first} to {first + count - 1} were asked for; the scene has {self.body_count()}, counted "
                "from 0"
            )
        return slice(first, first + count)

    def _refuse_sizes(self, values: Array, name: str, rows: slice) -> None:
        self._refuse(~np.all(np.isfinite(values), axis=(1, 2)), name, rows, "is not finite")
        self._refuse(np.any(np.abs(values) > LARGEST, axis=(1, 2)), name, rows, f"has a number above {LARGEST:g}")

    def _refuse_no_poses(self, transform: Array, rows: slice) -> None:
        wrong = (transform[:, 3] != (0, 0, 0, 1)).any(axis=1)
        self._refuse(wrong, "transform", rows, "has a wrong last row; it must be 0 0 0 1")
        mirrored = np.linalg.det(transform[:, :3, :3]) <= 0.0
        self._refuse(mirrored, "transform", rows, "mirrors or flattens it; its determinant must be positive")

    def _refuse(self, bad: Bools, name: str, rows: slice, why: str) -> None:
        if bad.any():
            body = self._bodies.names[rows.start + int(np.argmax(bad))]
            raise SceneError(f"the {name} written for body '{body}' {why}")


def first_of(geometry: Any, offset: str) -> int:
    """The first row of the engine that a geometry stands for.

    Raises:
        SceneError: It is none, or has no attribute of the name `offset` in its meta, a whole number.
    """
    is_geometry = hasattr(geometry, "meta")
    if not is_geometry or geometry.meta().find(offset) is None:
        given = f"a {type(geometry).__name__} without '{offset}' in its meta" if is_geometry else repr(geometry)
        raise SceneError(f"the geometry of a state is {given}; it must be one of the accessor's create_geometry")
    return int(Entries(geometry.meta(), _OWNER).ids(offset)[0])


def entries_of(geometry: Any, entry: str) -> Entries:
    """The instances or vertices of a geometry of a state, as `entry` says."""
    return Entries(geometry.instances() if entry == "instance" else geometry.vertices(), _OWNER, entry)


def whole(value: Any, name: str) -> int:
    """An argument that must be a whole number.

    Raises:
        SceneError: It is none.
    """
    if not isinstance(value, Integral):
        raise SceneError(f"{name} is {value!r}; it must be a whole number")
    return int(value)


def _with_rows(old: EngineState, new: EngineState, rows: Ints, planes: int, body: Ints) -> EngineState:
    """A new state, with the past of the old state outside the given rows, and what its pairs hold.

    The friction of bodies that are somewhere else now has forgotten its anchors. There are P half-planes; body (V,) is
    that of each vertex.
    """
    moved = (old.q != new.q).any(axis=1)
    anchored, anchors = without(old.held_anchors, moved, planes)
    stencils, stretches = springs.without(old.held_springs, body, moved)
    past: dict[str, Any] = {
        "pairs": old.pairs,
        "resistances": old.resistances,
        "anchored": anchored,
        "anchors": anchors,
        "springs": stencils,
        "stretches": stretches,
    }
    for name in PAST:
        past[name] = getattr(old, name).copy()
        past[name][rows] = getattr(new, name)[rows]
    return new._replace(**past)
