"""Joints between bodies, and articulations that move them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ipc_articulation.scenefile.keys import Block
from ipc_articulation.scenefile.schema.values import Names, Positive, Vector3


class DriveEntry(Block):
    """A strong spring that leads a joint along: from θ = 0 evenly to the target, where it stays."""

    target: float = Field(description="where it is led [rad or m]")
    duration: Positive = Field(description="how long that takes [s]")
    strength_ratio: Positive = Field(100.0, description="stiffness per mass of the joint's bodies")


class AxisEntry(Block):
    """A hinge or a slider between two bodies as they stand at the start, which is θ = 0."""

    name: str = Field(description="unique in the file")
    type: Literal["revolute", "prismatic"] = Field(description="kind of motion")
    parent: str = Field(description="name of the body that the motion is relative to")
    child: str = Field(description="name of the body that turns or slides")
    anchor: Vector3 = Field(description="a point on the axis, world frame [m]")
    axis: Vector3 = Field(
        description="direction, world frame: θ > 0 turns about it by the right-hand rule, or moves along"
    )
    length: Positive = Field(0.2, description="of the axis edge whose ends the joint holds together [m]")
    strength_ratio: Positive = Field(100.0, description="stiffness of the joint per mass of its bodies")
    limits: tuple[float, float] | None = Field(None, description="least and largest θ, soft [rad or m]")
    drive: DriveEntry | None = Field(None, description="see [joints.drive](#jointsdrive)")


class BallEntry(Block):
    """Two bodies that keep a point in common and turn freely about it."""

    name: str = Field(description="unique in the file")
    type: Literal["spherical"]
    parent: str = Field(description="name of a body")
    child: str = Field(description="name of another body")
    anchor: Vector3 = Field(description="the point, world frame [m]")
    strength_ratio: Positive = Field(100.0, description="stiffness of the joint per mass of its bodies")


class WeldEntry(Block):
    """Two bodies that move as one."""

    name: str = Field(description="unique in the file")
    type: Literal["fixed"]
    parent: str = Field(description="name of a body")
    child: str = Field(description="name of another body")
    strength_ratio: Positive = Field(100.0, description="stiffness of the joint per mass of its bodies")


JointEntry = Annotated[AxisEntry | BallEntry | WeldEntry, Field(discriminator="type")]


class ArticulationEntry(Block):
    """A prescribed motion of m joints: K = ½ (δθ - δθ̃)ᵀ M (δθ - δθ̃) with δθ̃ = velocity·dt."""

    joints: Names = Field(description="names of hinges and sliders, in the order of `mass` and `velocity`")
    mass: tuple[tuple[float, ...], ...] = Field(description="M, m x m, symmetric positive definite")
    velocity: tuple[float, ...] = Field(description="predicted joint velocity [rad/s or m/s]")
