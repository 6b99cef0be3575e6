"""Loops of a robot's mechanism."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ipc_articulation.scenefile.keys import Block
from ipc_articulation.scenefile.schema.values import Name, Positive, Vector3


class FourBarEntry(Block):
    """A planar four-bar linkage; its bars lie along x of their own frames, and all hinges are about z."""

    type: Literal["four_bar"]
    joints: tuple[str, str, str] = Field(
        description="hinges of the first bar, of the bar of the other path, and between the first bar and the second"
    )
    lengths: tuple[Positive, Positive, Positive] = Field(description="of the first, second and other bar [m]")
    offset: tuple[float, float] = Field(description="of the other bar's pivot from the first one's, in its plane [m]")
    driver: str = Field(description="the joint among them whose angle determines the others")


class GearEntry(Block):
    """A link and its rotor; one with geometry is tied to the link, one without counts in the effective mass only."""

    type: Literal["gear"]
    joints: tuple[str, str] = Field(description="joints of the link and of the rotor")
    ratio: float = Field(description="how many times as far the rotor turns")


class PinEntry(Block):
    """A hinge that closes a loop, where two links meet that the robot's file does not join."""

    name: Name = Field(description="unique in the file")
    first: str = Field(description="name of a link, or `world`")
    second: str = Field(description="name of another link")
    on_first: Vector3 = Field(description="where it is in the first link's frame [m]")
    on_second: Vector3 = Field(description="where it is in the second link's frame [m]")
    axis: Vector3 = Field((0.0, 0.0, 1.0), description="direction, in the first link's frame")


LoopEntry = Annotated[FourBarEntry | GearEntry, Field(discriminator="type")]
