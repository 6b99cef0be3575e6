"""Checks of an adapter's results: types, shapes, finite numbers, and the scene's time step and gravity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import uipc

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import (
    Adapter,
    ClosedMesh,
    CoupledBody,
    CoupledJoint,
    CoupledRobot,
    FollowsTimeStep,
    KeepsState,
    Motors,
    Prediction,
    Restraints,
    TiedMotion,
)
from ipc_articulation.coupling.batches import Batch, OneByOne, own_batch_of
from ipc_articulation.coupling.kinds import freedom_names
from ipc_articulation.errors import AdapterError
from ipc_articulation.frontend.attributes import are_valid

RELATIVE_TOLERANCE = 1e-12

_FLOAT = np.dtype(float)

_OF_BODY = {"pose": (4, 4), "mass": (), "center": (3,), "inertia": (3, 3), "friction": (), "velocity": (4, 4)}
_OF_JOINT = {"anchor": (3,), "axis": (3,)}
_OF_PLANE = {"point": (3,), "normal": (3,), "friction": ()}


class Answers:
    """The checked results of one adapter.

    Args:
        adapter: Any object.
        scene: The scene to which it is coupled.

    Raises:
        AdapterError: It lacks a member of `Adapter`, or time step or gravity differ (see `require_agreement`).
    """

    def __init__(self, adapter: Adapter, scene: uipc.Scene) -> None:
        missing = [name for name in sorted(_members(Adapter)) if not hasattr(adapter, name)]
        if missing:
            raise AdapterError(f"{type(adapter).__name__} has no '{missing[0]}'; see coupling.adapter.Adapter")
        self.adapter = adapter
        self._follower = adapter if isinstance(adapter, FollowsTimeStep) else None
        self.robot, self._freedoms, self._driven = CoupledRobot((), ()), 0, 0  # until it is described
        self._gravity = np.array(scene.config().find("gravity").view(), dtype=float).ravel()
        self.require_agreement(float(scene.config().find("dt").view()[0]))

    def dt(self) -> float:
        """Time step [s]."""
        dt = self.adapter.dt
        if not (isinstance(dt, (int, float)) and 0.0 < dt < np.inf):
            raise self._wrong("dt", repr(dt), "a positive number of seconds")
        return dt

    def describe(self) -> CoupledRobot:
        """The description, which sets the number of joints and links in later results."""
        robot = self._of_type("describe", self.adapter.describe(), CoupledRobot)
        for entry in (*robot.links, *robot.free, *robot.static):
            self._described(entry, _OF_BODY)
            if entry.mesh is not None:
                self._require_mesh(entry.name, entry.mesh)
            self._require_parts(entry)
        for joint in robot.all_joints:
            self._described(joint, _OF_JOINT)
            self._require_links(joint, len(robot.links))
        for plane in robot.planes:
            self._described(plane, _OF_PLANE)
        name, count = Counter(robot.names).most_common(1)[0] if robot.parts else ("", 1)
        if count > 1:
            raise self._wrong("describe", f"{count} parts called '{name}'", "parts with names of their own")
        self.robot, self._freedoms = robot, len(freedom_names(robot.joints))
        self._driven = sum(body.driven for body in robot.free)
        return robot

    def predict(self) -> Prediction:
        """M̂ (m, m), δθ̃ (m,) and link poses (n, 4, 4); displacements (t,) and rates (t, m) of t tied joints; aims of k
        driven bodies (k, 4, 4).
        """
        return self.checked(self.adapter.predict())

    def commit(self, delta_theta: Array, free_poses: Array, free_velocities: Array) -> None:
        """See `Adapter`."""
        self.adapter.commit(delta_theta, free_poses, free_velocities)

    def checked(self, given: Any) -> Prediction:
        """The same of a prediction that was given, see `predict`."""
        m, n = self._freedoms, len(self.robot.links)
        prediction = self._of_type("predict", given, Prediction)
        shapes = {"mass": (m, m), "delta_theta_tilde": (m,), "link_poses": (n, 4, 4), "aims": (self._driven, 4, 4)}
        held = None if prediction.restraints is None else self._restraints(prediction.restraints)
        arrays = self._arrays("predict()", prediction, shapes)
        return _with(prediction, tied=self._tied(prediction), restraints=held, **arrays)

    def _restraints(self, given: Restraints) -> Restraints:
        m, r = self._freedoms, len(self.robot.rows)
        held = self._of_type("predict().restraints", given, Restraints)
        lower, upper = self._ends(held, m + r)
        shapes: dict[str, tuple[int, ...]] = dict.fromkeys(("limit_force", "friction", "friction_force"), (m + r,))
        none = {}
        for name, count in (("ties", len(held.tie_units)), ("rows", r)):
            if count:
                shapes[name] = count, m
            elif np.size(getattr(held, name)):
                none[name] = np.empty((0, m))
        arrays = self._arrays("predict().restraints", held, shapes)
        return _with(held, lower=lower, upper=upper, motors=self._motors(held.motors), **none, **arrays)

    def _ends(self, held: Restraints, count: int) -> tuple[Array, Array]:
        lower, upper = np.asarray(held.lower), np.asarray(held.upper)
        for name, end in (("lower", lower), ("upper", upper)):
            if end.shape != (count,):
                wanted = f"{count} numbers or infinities"
                raise self._wrong(f"predict().restraints.{name}", f"shape {end.shape}", wanted)
        if not (in_order := lower <= upper).all():
            k = int(np.argmin(in_order))
            names = [f"joint '{name}'" for name in freedom_names(self.robot.joints)] + list(self.robot.rows)
            member = f"predict().restraints of {names[k]}"
            raise self._wrong(member, f"{lower[k]:g} to {upper[k]:g}", "two numbers or infinities, the lower one first")
        return lower, upper

    def _motors(self, given: Motors | None) -> Motors | None:
        if given is None:
            return None
        m = self._freedoms
        motors = self._of_type("predict().restraints.motors", given, Motors)
        if np.shape(motors.effort) != (m,) or not (np.asarray(motors.effort) >= 0.0).all():
            raise self._wrong("predict().restraints.motors.effort", str(motors.effort), f"{m} numbers, zero or more")
        arrays = self._arrays("predict().restraints.motors", motors, {"stiffness": (m,), "force": (m,)})
        return _with(motors, effort=np.asarray(motors.effort), **arrays)

    def _tied(self, prediction: Prediction) -> TiedMotion | None:
        if not self.robot.tied_joints:
            return None
        t = len(freedom_names(self.robot.tied_joints))
        tied = self._of_type("predict().tied", prediction.tied, TiedMotion)
        shapes = {"delta_theta_tilde": (t,), "rates": (t, self._freedoms)}
        return _with(tied, **self._arrays("predict().tied", tied, shapes))

    def aims(self, given: Array) -> Array:
        """Aims of a prediction, (k, 4, 4)."""
        return self._array("predict().aims", given, (self._driven, 4, 4))

    def link_poses(self) -> Array:
        """Poses of the links, (n, 4, 4)."""
        return self._array("link_poses", self.adapter.link_poses(), (len(self.robot.links), 4, 4))

    def theta(self) -> Array:
        """Joint positions, (m,) [rad or m]."""
        return self._array("theta", self.adapter.theta(), (self._freedoms,))

    def theta_dot(self) -> Array:
        """Joint velocities, (m,) [rad/s or m/s]."""
        return self._array("theta_dot", self.adapter.theta_dot(), (self._freedoms,))

    def state(self) -> dict[str, Array]:
        """Arrays by name."""
        state = self._of_type("state", self.keeper().state(), Mapping)
        return {key: self._array(f"state()['{key}']", value, np.shape(value)) for key, value in state.items()}

    def keeper(self) -> KeepsState:
        """The adapter, which must keep its state."""
        if isinstance(self.adapter, KeepsState):
            return self.adapter
        raise AdapterError(
            f"{type(self.adapter).__name__} keeps no state: it has no method 'state' or 'restore'; see "
            "coupling.adapter.KeepsState"
        )

    def require_agreement(self, dt_of_scene: float) -> None:
        """Check that time step [s] and gravity are the scene's present time step and its initial gravity.

        An adapter that can take several steps at once takes as many as the scene's step has.

        Raises:
            AdapterError: A relative difference is above 1e-12; the message has both values.
        """
        if self._follower is not None:
            self._follower.follow_time_step(dt_of_scene)
        dt, gravity = self.dt(), self._array("gravity", self.adapter.gravity, (3,))
        if dt != dt_of_scene and not _equal(dt_of_scene, dt):
            raise AdapterError(
                f"time steps differ: the scene has dt = {dt_of_scene!r} s, the model {dt!r} s; make them equal"
            )
        if gravity.tobytes() != self._gravity.tobytes() and not _equal(self._gravity, gravity):
            raise AdapterError(
                f"gravities differ: the scene was made with {self._gravity.tolist()} m/s², the model has "
                f"{gravity.tolist()} m/s²; make them equal (a scene reads its own once; libuipc's default is along -y)"
            )

    def _described(self, entry: Any, shapes: Mapping[str, tuple[int, ...]]) -> None:
        for field, shape in shapes.items():
            self._array(f"describe(): {field} of '{entry.name}'", getattr(entry, field), shape)

    def _require_parts(self, body: CoupledBody) -> None:
        count = 0 if body.mesh is None else len(body.mesh.vertices)
        rows = [np.asarray(part.vertices, dtype=int) for part in body.surface_parts]
        if rows and not np.array_equal(np.sort(np.concatenate(rows)), np.arange(count)):
            member = f"describe().surface_parts of '{body.name}'"
            raise self._wrong(member, f"{sum(map(len, rows))} vertices", f"each of the mesh's {count} once")
        for part in body.surface_parts:
            self._array(f"the friction of '{part.name}'", part.friction, ())

    def _require_mesh(self, name: str, mesh: ClosedMesh) -> None:
        count = len(self._array(f"describe(): mesh.vertices of '{name}'", mesh.vertices, _rows_of_three(mesh.vertices)))
        faces = self._array(f"describe(): mesh.faces of '{name}'", mesh.faces, _rows_of_three(mesh.faces))
        if faces.size and not (faces.min() >= 0 and faces.max() < count):
            raise self._wrong(f"describe(): mesh.faces of '{name}'", "numbers beyond them", f"of {count} vertices")

    def _require_links(self, joint: CoupledJoint, count: int) -> None:
        if not (-1 <= joint.parent < count and 0 <= joint.child < count):
            given = f"the parent {joint.parent} and the child {joint.child}"
            wanted = f"numbers of its {count} links (parent -1: the world)"
            raise self._wrong(f"describe(): joint '{joint.name}'", f"between {given}", wanted)

    def _of_type(self, member: str, value: Any, wanted: type) -> Any:
        if not isinstance(value, wanted):
            raise self._wrong(member, "None" if value is None else f"a {type(value).__name__}", f"a {wanted.__name__}")
        return value

    def _arrays(self, owner: str, given: Any, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Array]:
        """Members as arrays of these shapes whose numbers are finite; none if all are such, which one call tells."""
        values = {name: getattr(given, name) for name in shapes}
        for name, value in values.items():
            if type(value) is not np.ndarray or value.dtype is not _FLOAT or value.shape != shapes[name]:
                break
        else:
            if are_valid(np.concatenate([value.ravel() for value in values.values()])):
                return {}
        return {name: self._array(f"{owner}.{name}", value, shapes[name]) for name, value in values.items()}

    def _array(self, member: str, value: Any, shape: tuple[int, ...]) -> Array:
        """A value as an array of a shape whose numbers are finite."""
        if type(value) is np.ndarray and value.shape == shape and value.dtype == float and are_valid(value):
            return value
        wanted = f"finite numbers of shape {shape}" if shape else "a finite number"
        try:
            array = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            raise self._wrong(member, f"a {type(value).__name__}", wanted) from None
        if value is None or array.shape != shape:
            raise self._wrong(member, "None" if value is None else f"shape {array.shape}", wanted)
        if not are_valid(array):
            place = tuple(np.argwhere(~np.isfinite(array))[0].tolist())
            raise self._wrong(member, f"{array[place]} at {place}", wanted)
        return array

    def _wrong(self, member: str, found: str, wanted: str) -> AdapterError:
        return AdapterError(f"{type(self.adapter).__name__}.{member} is {found}, must be {wanted}")


def checked_batch_of(answers: Sequence[Answers]) -> Batch:
    """The batch of the adapters' class, whose arrays have the right shapes, and whose numbers the engine checks.

    Other adapters are asked one by one, and their results are checked here.
    """
    return own_batch_of([one.adapter for one in answers]) or OneByOne(answers)


def _with(given: Any, **members: Any) -> Any:
    """A dataclass with these members; itself if it has them."""
    for name, value in members.items():
        if getattr(given, name) is not value:
            return replace(given, **members)
    return given


def _rows_of_three(values: Any) -> tuple[int, ...]:
    return (*np.shape(values)[:1], 3)


def _members(protocol: type) -> set[str]:
    return {name for name in vars(protocol) if not name.startswith("_")}


def _equal(ours: Array | float, theirs: Array | float) -> bool:
    return bool(np.all(np.abs(np.subtract(ours, theirs)) <= RELATIVE_TOLERANCE * np.max(np.abs(theirs))))
