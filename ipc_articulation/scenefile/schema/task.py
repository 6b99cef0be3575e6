"""What a robot is to do in a scene: marks, actions and episodes, for `ipc_articulation.gym`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from ipc_articulation.scenefile.keys import Block, Complaint
from ipc_articulation.scenefile.schema.signals import JOINTS, POINT, Axes
from ipc_articulation.scenefile.schema.values import BodyName, JointPattern, NonNegative, Positive, Vector3


class MarkEntry(Block):
    """A point with a name: fixed in the world, or on a link or body. It touches nothing."""

    name: BodyName = Field(description="unique among marks, links and bodies; not `world`")
    on: str | None = Field(None, description="name of a link or body, with which the mark moves; default: the world")
    position: Vector3 = Field((0.0, 0.0, 0.0), description="in the frame of that body, or of the world [m]")


class TargetsEntry(Block):
    """Targets of joints with an actuator, one action for each joint."""

    type: Literal["targets"]
    joints: JointPattern = Field(description=JOINTS)
    scale: Positive = Field(description="what an action of 1 means [rad or m]")
    counted_from: Literal["last", "start"] = Field(
        "last", description="`last`: an action changes the last target; `start`: it is counted from the start position"
    )


class TorquesEntry(Block):
    """Forces on joints, one action for each joint, in addition to those of their actuators."""

    type: Literal["torques"]
    joints: JointPattern = Field(description=JOINTS)
    scale: Positive = Field(description="what an action of 1 means [N·m or N]")


class MoveEntry(Block):
    """A point of the robot is moved along axes of the world by inverse kinematics; its link keeps its rotation."""

    type: Literal["move"]
    point: str = Field(description="a link, or a mark on a link")
    joints: JointPattern = Field(description=f"joints that move it, each with an actuator: {JOINTS}")
    scale: Positive = Field(description="what an action of 1 means [m]")
    axes: Axes = Field("xyz", description="directions that actions have; along the others the point stays")
    turn: Positive | None = Field(
        None,
        description="a further action turns the link about the world's z axis: what 1 means [rad]; default: no turning",
    )


ActEntry = Annotated[TargetsEntry | TorquesEntry | MoveEntry, Field(discriminator="type")]


class NearnessEntry(Block):
    """Two points are near each other."""

    between: tuple[str, str] = Field(description="two points, each a link, a body or a mark")
    within: Positive = Field(description="largest distance [m]")
    axes: Axes = Field("xyz", description="coordinates that count")


class BoundsEntry(Block):
    """A point is outside a box."""

    of: str = Field(description=POINT)
    low: Vector3 = Field(description="lowest corner [m]")
    high: Vector3 = Field(description="highest corner [m]")

    def complaints(self) -> Iterator[Complaint]:
        """The box has an inside."""
        if any(low >= high for low, high in zip(self.low, self.high, strict=True)):
            yield ("high",), f"each coordinate of `high` must exceed that of `low`, {list(self.low)}"


class EpisodeEntry(Block):
    """How long an episode is, and what ends it."""

    steps: Annotated[int, Field(gt=0, le=1_000_000)] | None = Field(
        None, description="number of actions after which it is truncated; default: as many as fill the scene's `steps`"
    )
    every: Annotated[int, Field(gt=0, le=10_000)] = Field(1, description="steps of the scene in one action")
    success: NearnessEntry | None = Field(None, description="ends it, see [success](#success)")
    leaves: tuple[BoundsEntry, ...] = Field((), description="each ends it without success, see [leaves](#leaves)")
    penalty: NonNegative = Field(0.0, description="subtracted from the reward of a step that ends it without success")
