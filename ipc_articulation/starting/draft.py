"""A draft of a scene file for a robot, and its text."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.checking.start import Start, make_start
from ipc_articulation.dynamics.reading.facts import FileFacts, ScalarJoint
from ipc_articulation.scenefile.json_schema import SCHEMA_FILE
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.scenefile.schema import Scene
from ipc_articulation.simulation.bodies import GROUND
from ipc_articulation.starting.options import base_lines, gravity_lines, integrator_lines
from ipc_articulation.starting.quoting import comment, key, quoted

DT = 0.01  # [s]
ROUNDING = 1e-4  # of positions [rad or m]


FLOOR = "floor"  # name of the wall that is the ground of a robot with a link called «ground»


@dataclass
class Draft:
    """Content of a draft."""

    model: str  # as the scene file names it
    file: Path  # the same, absolute
    adapter: str
    facts: FileFacts
    initial: dict[str, float] = field(default_factory=dict)  # position by joint [rad or m]
    refusals: list[str] = field(default_factory=list)  # of other adapters
    gains: dict[str, tuple[float, float]] = field(default_factory=dict)  # kp and kv by joint
    floor: str = ""  # of the robot's file
    ground: bool = False  # the scene has one
    floor_wall: tuple[float, ...] = ()  # normal of a wall in its place
    lift: Array = field(default_factory=lambda: np.zeros(3))  # of the base [m]
    base: Array | None = None  # (7,) position [m] and quaternion of a floating base; None: as the file places it
    hull: bool = False
    ignored: list[tuple[str, str]] = field(default_factory=list)  # body, and why
    untouchable: list[tuple[str, str]] = field(default_factory=list)  # parts of the robot
    stuck: list[tuple[str, str]] = field(default_factory=list)  # the same of the robot and what its file has around it
    d_hat: float = 0.001  # [m]

    @property
    def joints(self) -> list[ScalarJoint]:
        """Those of the file that are not ignored."""
        gone = {self.facts.trees.get(body) for body, _ in self.ignored} - {"", None}
        return [joint for joint in self.facts.joints if joint.tree not in gone]

    @property
    def dt(self) -> float:
        """Time step [s]: the file's, where it has one."""
        return DT if self.facts.dt is None else self.facts.dt

    @property
    def title(self) -> str:
        """The robot's own name, or that of its file."""
        return self.facts.name or self.file.stem

    def start(self) -> tuple[Start, Scene]:
        """The scene at its start.

        Raises:
            SceneFileError: With what is refused.
        """
        with TemporaryDirectory() as folder:
            scene_file = Path(folder) / "draft.yaml"
            scene_file.write_text(self._text(str(self.file)), encoding="utf-8")
            scene, document = read_scene(scene_file)
            return make_start(scene, document), scene

    def text(self) -> str:
        """The scene file."""
        return f"{schema_line()}\n{self._text(self.model)}"

    def _text(self, model: str) -> str:
        return "\n".join([*self._head(), *self._robot(model), *self._rest()]) + "\n"

    def _head(self) -> Iterator[str]:
        yield f"# {comment(self.title)}, held where it stands. All keys: docs/scene_files.md"
        yield f"adapter: {self.adapter}  # moves the joints: mujoco, native (the package's own), pinocchio or dart"
        for refusal in self.refusals:
            yield f"# {comment(refusal)}"
        yield f"title: {quoted(self.title)}"
        yield f"dt: {self.dt:g}  # {'' if self.facts.dt is None else 'as in the robot file '}[s]"
        yield "steps: 200"
        yield from gravity_lines(self.facts)
        yield from integrator_lines(self.facts, self.adapter, bool(self.gains or self.facts.has_actuators))
        yield f"contact: {{d_hat: {self.d_hat:g}, friction: 0.5}}  # surfaces begin to repel each other at d_hat [m]"
        yield ""
        if self.floor:
            yield f"# The ground is that of the robot's own file: '{comment(self.floor)}'."
            yield ""
        elif self.ground:
            yield "ground: {height: 0}"
            yield ""
        elif self.floor_wall:
            yield f"# A wall is the floor, because the robot's file calls a link of its own '{GROUND}'."
            yield f"walls: [{{name: {FLOOR}, point: [0, 0, 0], normal: {_list(np.array(self.floor_wall))}}}]"
            yield ""

    def _robot(self, model: str) -> Iterator[str]:
        yield "robot:"
        yield f"  model: {quoted(model)}"
        yield from base_lines(self.facts)
        if self.base is not None:
            where = f"keyframe '{comment(self.facts.keyframe)}'" if self.facts.keyframe else "where the file places it"
            raised = "" if self.base is self.facts.base else ", raised out of the floor"
            yield f"  base_pose: {{position: {_list(self.base[:3])}, quaternion: {_list(self.base[3:])}}}"
            yield f"    # {where}{raised}"
        if self.lift.any():
            yield f"  pose: {{position: {_list(self.lift)}}}  # so high that nothing is in the ground"
        if self.hull:
            yield "  collision: hull  # its meshes are not closed: their convex hulls collide"
        yield from self._ignored()
        yield from self._pairs()
        yield from self._actuators()
        if leading := [joint for joint in self.joints if not joint.follows]:
            where = f"  # keyframe '{comment(self.facts.keyframe)}' of the robot's file" if self.facts.keyframe else ""
            yield f"  initial:{where}"
            for joint in leading:
                yield f"    {key(joint.name)} {self.initial[joint.name]:.10g}  # {_limits(joint)}"

    def _ignored(self) -> Iterator[str]:
        if self.ignored:
            yield "  ignore:  # bodies that are left out, each with all that moves with it"
            for body, reason in self.ignored:
                yield f"    - {quoted(re.escape(body))}  # {comment(reason)}"

    def _pairs(self) -> Iterator[str]:
        if self.untouchable or self.stuck:
            yield "  untouchable:"
        if self.untouchable:
            yield "    # links that are in each other, or nearly so, at the start"
            yield from map(_pair, self.untouchable)
        if self.stuck:
            yield "    # links that start in parts of the file that never move; no joint can lift them out"
            yield from map(_pair, self.stuck)

    def _actuators(self) -> Iterator[str]:
        facts = self.facts
        if facts.driven:
            yield "  # actuators: those of the robot's own file; more are listed here: {joints: NAME, kp: 100, kv: 10}"
        elif facts.has_actuators and not facts.motors:
            yield "  # With adapter mujoco servos of the robot's file hold where it starts; the others are at rest."
        if facts.motors and self.gains:
            yield "  # Motors of the robot's file do nothing until a controller of type torque sets the forces of their"
            yield "  # joints; until then, these actuators hold the joints."
        if self.gains:
            yield "  actuators:  # force = kp·(target - position) - kv·velocity, by the mass that each joint moves"
            for name, (kp, kv) in self.gains.items():
                yield f"    - {{joints: [{quoted(name)}], kp: {kp:g}, kv: {kv:g}}}"

    def _rest(self) -> Iterator[str]:
        driven = next(iter(self.gains), next(iter(sorted(self.facts.driven)), "NAME_OF_A_JOINT"))
        yield ""
        yield from self._controller()
        yield f"# controller: {{type: sine, joints: [{quoted(driven)}], amplitude: 0.2, frequency: 0.5}}"
        yield ""
        yield "# Things that the robot can push; take the # away and put them where it reaches."
        yield "# bodies:"
        yield "#   - name: crate"
        yield "#     shape: {type: box, size: [0.2, 0.2, 0.2]}"
        yield f"#     pose: {{position: [1, 0, {0.1 + 2 * self.d_hat:g}]}}"
        yield "#     mass: 1.0"
        yield "# soft:"
        yield "#   - name: sponge"
        yield "#     shape: {type: box, size: [0.1, 0.1, 0.1]}"
        yield "#     resolution: 0.025  # length of its elements' edges [m]"
        yield f"#     pose: {{position: [1, 0.3, {0.05 + 2 * self.d_hat:g}]}}"
        yield "#     material: foam"

    def _controller(self) -> Iterator[str]:
        """The targets of the keyframe, where they are not where the joints start."""
        targets = {joint.name: self.facts.targets.get(joint.name) for joint in self.joints}
        away = {
            name: target
            for name, target in targets.items()
            if target is not None and abs(target - self.initial[name]) > ROUNDING
        }
        if not away:
            yield "controller: {type: hold}  # every joint with an actuator stays where it starts"
            return
        keyframe = comment(self.facts.keyframe)
        yield f"controller:  # targets of keyframe '{keyframe}' of the robot's file; other joints stay"
        yield "  type: trajectory"
        yield "  waypoints:"
        listed = ", ".join(f"{key(name)} {target:.6g}" for name, target in away.items())
        yield f"    - {{time: 0, joints: {{{listed}}}}}"


def schema_line() -> str:
    """The comment by which editors find the schema of the file."""
    return f"# yaml-language-server: $schema={SCHEMA_FILE.as_uri()}"


def _list(numbers: Array) -> str:
    return f"[{', '.join(f'{number + 0.0:.10g}' for number in numbers)}]"


def _pair(pair: tuple[str, str]) -> str:
    first, second = (quoted(re.escape(name)) for name in pair)
    return f"    - [{first}, {second}]"


def _limits(joint: ScalarJoint) -> str:
    if math.isinf(joint.lower) and math.isinf(joint.upper):
        return f"[{joint.unit}], without limits"
    return f"{joint.lower:g} to {joint.upper:g} {joint.unit}"
