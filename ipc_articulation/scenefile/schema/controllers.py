"""What the actuated joints of a robot are told to do."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ipc_articulation.scenefile.keys import Block
from ipc_articulation.scenefile.schema.values import JointPattern, NonNegative, Positive


class Hold(Block):
    """Every actuated joint is told to stay where it starts."""

    type: Literal["hold"]


class Waypoint(Block):
    """Targets at one time."""

    time: NonNegative = Field(description="[s]; the first waypoint is the initial state at time 0")
    joints: dict[str, float] = Field(description="target by joint name [rad or m]; what is not named stays as before")


class Trajectory(Block):
    """Targets through waypoints: a clamped cubic spline (at rest at both ends), or straight lines."""

    type: Literal["trajectory"]
    interpolation: Literal["spline", "linear"] = Field("spline", description="between waypoints")
    waypoints: tuple[Waypoint, ...] = Field(min_length=1, description="in order of time, see [waypoints](#waypoints)")


class Sine(Block):
    """Targets swing about the initial position: θ₀ + amplitude·sin(2π·frequency·t)."""

    type: Literal["sine"]
    joints: JointPattern = Field(description="a regular expression that matches whole joint names, or a list of names")
    amplitude: float = Field(description="[rad or m]")
    frequency: Positive = Field(description="[Hz]")


Controller = Annotated[Hold | Trajectory | Sine, Field(discriminator="type")]
