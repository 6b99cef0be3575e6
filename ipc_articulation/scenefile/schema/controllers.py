"""Controllers: targets and forces of a robot's joints."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from ipc_articulation.errors import SceneFileError
from ipc_articulation.scenefile.keys import Block, Complaint
from ipc_articulation.scenefile.schema.values import (
    ExistingFile,
    JointPattern,
    NonNegative,
    Positive,
    PythonFunction,
)
from ipc_articulation.scenefile.time_series import read_time_series

_JOINTS = "a regular expression that matches whole joint names, or a list of names"
_FILE = "CSV or NPZ with an increasing column `time` [s] and one column per joint, with its name"


class HoldEntry(Block):
    """Every actuated joint keeps its initial position, or the velocity 0 if its target is a velocity.

    With adapter mujoco so do servos of tendons, sites and ball joints, whatever the controller is; a keyframe with the
    same start gives motors and these their controls.
    """

    type: Literal["hold"]


class WaypointEntry(Block):
    """Targets at one time."""

    time: NonNegative = Field(description="[s]; the first waypoint is the initial state at time 0")
    joints: dict[str, float] = Field(
        description="target by joint name [rad or m], or of joints that take velocities [rad/s or m/s]; other joints "
        "keep their last target"
    )


class TrajectoryEntry(Block):
    """Targets that interpolate waypoints by a clamped cubic spline (at rest at both ends) or linearly.

    The waypoints are given here or in a file.
    """

    type: Literal["trajectory"]
    interpolation: Literal["spline", "linear"] = Field("spline", description="between waypoints")
    waypoints: tuple[WaypointEntry, ...] | None = Field(
        None, min_length=1, description="in order of time, see [waypoints](#waypoints)"
    )
    file: ExistingFile | None = Field(
        None, description=f"instead of `waypoints`: {_FILE} [rad or m]; or OpenSim's MOT or STO, also in degrees"
    )

    def complaints(self) -> Iterator[Complaint]:
        """Waypoints or a file that can be read, in order of time."""
        if (self.waypoints is None) == (self.file is None):
            yield (), "a trajectory has either `waypoints` or a `file`"
        times = [waypoint.time for waypoint in self.waypoints or ()]
        for index, (before, after) in enumerate(pairwise(times), start=1):
            if after <= before:
                message = f"the times of waypoints must increase; {after:g} s follows {before:g} s"
                yield ("waypoints", index, "time"), message
        yield from _unreadable(self.file)


class SineEntry(Block):
    """Sinusoidal targets about the initial position, or velocities: θ₀ + amplitude·sin(2π·frequency·t + phase).

    θ₀ is 0 for velocities.
    """

    type: Literal["sine"]
    joints: JointPattern = Field(description=_JOINTS)
    amplitude: float = Field(description="[rad or m]")
    frequency: Positive = Field(description="[Hz]")
    phase: float = Field(0.0, description="[rad]")


class TorqueEntry(Block):
    """A force on joints, with or without actuator: constant, or interpolated linearly between the rows of a file.

    It is added to the forces of the actuators.
    """

    type: Literal["torque"]
    joints: JointPattern | None = Field(None, description=f"with `torque`: {_JOINTS}")
    torque: float | None = Field(None, description="constant force on each of them [N·m or N]")
    file: ExistingFile | None = Field(
        None, description=f"instead: {_FILE} [N·m or N]; after the last row it remains constant"
    )

    def complaints(self) -> Iterator[Complaint]:
        """A constant torque, or a file that can be read."""
        constant = self.joints is not None and self.torque is not None
        nothing = self.joints is None and self.torque is None
        if not (constant if self.file is None else nothing):
            yield (), "a torque has either `joints` and `torque`, or a `file`"
        yield from _unreadable(self.file)


class PythonEntry(Block):
    """A Python function that is called once per step; see [Python controllers](#python-controllers)."""

    type: Literal["python"]
    python: PythonFunction = Field(
        description="`folder/file.py:function` in the scene file's folder, or `package.module:function`, installed"
    )
    parameters: dict[str, object] = Field({}, description="passed to the function unchanged")


ControllerEntry = Annotated[
    HoldEntry | TrajectoryEntry | SineEntry | TorqueEntry | PythonEntry, Field(discriminator="type")
]


def _unreadable(file: Path | None) -> Iterator[Complaint]:
    """What is wrong with a file of numbers over time."""
    try:
        if file is not None:
            read_time_series(file)
    except SceneFileError as error:
        yield ("file",), str(error)
