"""Where an episode starts: the scene file's state with the values of `randomise` drawn anew, without building again.

A value x becomes x + d or x·(1 + d), see `simulation.variation`; what a start may change is the state of bodies and
joints, masses and friction, and marks. All else, such as shapes, is part of what was built.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from pydantic import BaseModel

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.coupling import Coupling
from ipc_articulation.coupling.properties import RobotProperties
from ipc_articulation.coupling.robots import DrivenRobot, Retunes
from ipc_articulation.errors import SceneFileError
from ipc_articulation.gym.properties import OF_ROBOT, PROPERTIES, EpisodeProperties, begins_like, parts_of
from ipc_articulation.naming import suggest
from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.document import Document, SceneProblem
from ipc_articulation.simulation.bodies import transform
from ipc_articulation.simulation.variation import Drawn, drawn_value, value_at

_STARTS = ("robot", "initial", None), ("robot", "initial_velocity", None)
_MOVABLE = (  # beginnings of paths; None stands for a name or an index
    ("bodies", None, "pose"),
    ("bodies", None, "velocity"),
    *_STARTS,
    ("marks", None, "position"),
)
_FORMS = *_MOVABLE, *PROPERTIES, *OF_ROBOT
_VALID = ", ".join(".".join(part or "NAME" for part in form) for form in _FORMS)


class Start(NamedTuple):
    """The state that an episode starts in."""

    theta: Array  # (m,) [rad or m]
    theta_dot: Array  # (m,) [rad/s or m/s]
    bodies: dict[str, tuple[Array, Array]]  # pose (4, 4) and velocity [ω; v] (6,) of free bodies by name
    fixed: dict[str, Array]  # pose (4, 4) of fixed bodies of the file by name
    marks: tuple[schema.MarkEntry, ...]
    properties: RobotProperties  # masses and friction that may be drawn
    scene: schema.RobotScene  # with what was drawn
    drawn: Drawn


class Starts:
    """Draws starts of one scene.

    Args:
        scene: As it was built.
        document: The document of the scene, for places.
        coupling: At the moment of coupling.
        driven: Its robot.

    Raises:
        SceneFileError: A value is to be drawn that is no part of the state, or is none; with its place.
    """

    def __init__(self, scene: schema.RobotScene, document: Document, coupling: Coupling, driven: DrivenRobot) -> None:
        self._scene, self._joints, self._driven = scene, list(coupling.joint_names), driven
        self._theta, self._theta_dot = coupling.theta.copy(), np.array(coupling.theta_dot)
        free = [body for body in coupling.robot.free if not body.driven]
        self._free = {body.name: (body.pose, _twist(body.pose, body.velocity)) for body in free}
        self._paths = [self._path(index, document) for index in range(len(scene.randomise))]
        entries = [parts[1] for parts in self._paths if parts[0] == "bodies"]
        self._drawn_bodies = {body.name for k, body in enumerate(scene.bodies) if k in entries or body.name in entries}
        self._properties = EpisodeProperties(scene, coupling, self._paths)

    def draw(self, rng: np.random.Generator) -> Start:
        """The next start."""
        scene: schema.RobotScene = self._scene
        drawn: Drawn = {}
        for parts, variation in zip(self._paths, scene.randomise, strict=True):
            value = drawn_value(variation, value_at(self._scene, variation.path), rng)
            drawn[variation.path] = value
            scene = _with(scene, parts, tuple(value) if isinstance(value, list) else value)
        return self._start(scene, drawn)

    def _start(self, scene: schema.RobotScene, drawn: Drawn) -> Start:
        theta, theta_dot = self._theta.copy(), self._theta_dot.copy()
        joints = {"initial": theta, "initial_velocity": theta_dot}
        for _, key, *names in (parts for parts in self._paths if begins_like(parts, _STARTS)):
            joints[str(key)][self._joints.index(str(names[0]))] = getattr(scene.robot, str(key))[names[0]]
        free, fixed = dict(self._free), {}
        for body in scene.bodies:
            if body.name in self._drawn_bodies and body.fixed:
                fixed[body.name] = transform(body.pose)
            elif body.name in self._drawn_bodies:
                velocity = body.velocity or schema.VelocityEntry()
                free[body.name] = transform(body.pose), np.array([*velocity.angular, *velocity.linear])
        return Start(theta, theta_dot, free, fixed, scene.marks, self._properties.of(scene), scene, drawn)

    def _path(self, index: int, document: Document) -> list[str | int]:
        """The parts of a variation's path, which leads to a number of the state."""
        path = self._scene.randomise[index].path
        try:
            value_at(self._scene, path)
            parts = parts_of(path)
            if not begins_like(parts, _FORMS):
                raise LookupError(f"what an environment draws is no part of what was built; valid: {_VALID}")
            if begins_like(parts, OF_ROBOT) and not isinstance(self._driven, Retunes):
                raise LookupError(f"adapter '{self._scene.adapter}' reads it once; `mujoco` follows it")
            if begins_like(parts, _STARTS) and parts[2] not in self._joints:
                raise LookupError(f"the robot has no joint '{parts[2]}'{suggest(parts[2], self._joints, 'joints')}")
            if parts[0] == "bodies" and parts[-1] in ("mass", "density") and self._body(parts[1]).fixed:
                raise LookupError("the body is fixed, and its mass has no effect")
        except (LookupError, SceneFileError) as error:
            message = f"nothing is drawn for '{path}': {error.args[0]}"
            raise document.error([SceneProblem(("randomise", index, "path"), message)]) from error
        return parts

    def _body(self, part: str | int) -> schema.BodyEntry:
        bodies = self._scene.bodies
        return bodies[part] if isinstance(part, int) else next(body for body in bodies if body.name == part)


def _twist(pose: Array, rate: Array) -> Array:
    """[ω; v] of a pose and its rate, (6,): ω~ = Ṙ Rᵀ."""
    turning = rate[:3, :3] @ pose[:3, :3].T
    return np.array([turning[2, 1], turning[0, 2], turning[1, 0], *rate[:3, 3]])


def _with(value: Any, parts: list[str | int], new: Any) -> Any:
    """A copy of nested blocks with a new value at the end of a path."""
    if not parts:
        return new
    part, *rest = parts
    if isinstance(value, BaseModel):
        return value.model_copy(update={str(part): _with(getattr(value, str(part)), rest, new)})
    if isinstance(value, tuple):
        index = part if isinstance(part, int) else [getattr(child, "name", None) for child in value].index(part)
        return (*value[:index], _with(value[index], rest, new), *value[index + 1 :])
    return {**value, part: _with(value[part], rest, new)}
