"""A draft of a scene file for a robot, and its text."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from ipc_articulation.checking.start import Start, make_start
from ipc_articulation.scenefile.json_schema import SCHEMA_FILE
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.scenefile.schema import Scene
from ipc_articulation.starting.joints import StartJoint

DT = 0.01  # [s]


@dataclass
class Draft:
    """Content of a draft."""

    model: str  # as the scene file names it
    file: Path  # the same, absolute
    adapter: str
    joints: list[StartJoint]
    gains: dict[str, tuple[float, float]] = field(default_factory=dict)  # kp and kv by joint
    lift: float = 0.0  # of the base [m]
    hull: bool = False
    untouchable: list[tuple[str, str]] = field(default_factory=list)
    d_hat: float = 0.001  # [m]
    own_actuators: bool = False  # the robot's file has some

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
        yield f"# {self.file.stem}, held where it stands. All keys: docs/scene_files.md"
        yield f"adapter: {self.adapter}  # moves the joints: mujoco, or native (the package's own dynamics)"
        yield f"title: {_quoted(self.file.stem)}"
        yield f"dt: {DT}  # [s]"
        yield "steps: 200"
        yield f"contact: {{d_hat: {self.d_hat:g}, friction: 0.5}}  # surfaces begin to repel each other at d_hat [m]"
        yield ""
        yield "ground: {height: 0}"
        yield ""

    def _robot(self, model: str) -> Iterator[str]:
        yield "robot:"
        yield f"  model: {_quoted(model)}"
        if self.lift:
            yield f"  pose: {{position: [0, 0, {self.lift:g}]}}  # so high that nothing is in the ground"
        if self.hull:
            yield "  collision: hull  # its meshes are not closed: their convex hulls collide"
        yield from self._pairs()
        if self.own_actuators:
            yield "  # actuators: those of the robot's own file; more are listed here: {joints: NAME, kp: 100, kv: 10}"
        elif self.gains:
            yield "  actuators:  # force = kp·(target - position) - kv·velocity, by the mass that each joint moves"
            for name, (kp, kv) in self.gains.items():
                yield f"    - {{joints: [{_quoted(name)}], kp: {kp:g}, kv: {kv:g}}}"
        if self.joints:
            yield "  initial:"
            for joint in self.joints:
                yield f"    {_quoted(joint.name)}: {joint.start:g}  # {_limits(joint)}"

    def _pairs(self) -> Iterator[str]:
        if self.untouchable:
            yield "  untouchable:  # links that are in each other, or nearly so, at the start"
            for first, second in self.untouchable:
                yield f"    - [{_quoted(re.escape(first))}, {_quoted(re.escape(second))}]"

    def _rest(self) -> Iterator[str]:
        driven = next(iter(self.gains), "NAME_OF_A_JOINT")
        yield ""
        yield "controller: {type: hold}  # every joint with an actuator stays where it starts"
        yield f"# controller: {{type: sine, joints: [{_quoted(driven)}], amplitude: 0.2, frequency: 0.5}}"
        yield ""
        yield "# Things that the robot can push; take the # away and put them where it reaches."
        yield "# bodies:"
        yield "#   - name: crate"
        yield "#     shape: {type: box, size: [0.2, 0.2, 0.2]}"
        yield f"#     pose: {{position: [1, 0, {0.1 + 2 * self.d_hat:g}]}}"
        yield "#     mass: 1.0"


def schema_line() -> str:
    """The comment by which editors find the schema of the file."""
    return f"# yaml-language-server: $schema={SCHEMA_FILE.as_uri()}"


def _limits(joint: StartJoint) -> str:
    if math.isinf(joint.lower) and math.isinf(joint.upper):
        return f"[{joint.unit}], without limits"
    return f"{joint.lower:g} to {joint.upper:g} {joint.unit}"


def _quoted(text: str) -> str:
    """A text as YAML reads it back, in quotes where it could be read as something else."""
    plain = re.fullmatch(r"[A-Za-z_./][\w./:-]*", text) and text.lower() not in ("true", "false", "null")
    return text if plain and not text.endswith(":") else json.dumps(text, ensure_ascii=False)
