"""Joints between bodies, and articulations that move them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from ipc_articulation.arrays import Array
from ipc_articulation.scenefile.keys import Block, Complaint
from ipc_articulation.scenefile.schema.values import Name, Names, Positive, Vector3


class DriveEntry(Block):
    """A strong spring that moves a joint from θ = 0 at constant speed to the target and keeps it there."""

    target: float = Field(description="final θ [rad or m]")
    duration: Positive = Field(description="time to reach the target [s]")
    strength_ratio: Positive = Field(100.0, description="stiffness per mass of the joint's bodies")


class _BetweenBodies(Block):
    """Keys of every joint."""

    name: Name = Field(description="unique in the file")
    parent: str = Field(description="name of the reference body; the joint's motion is relative to it")
    child: str = Field(description="name of the body that moves")
    strength_ratio: Positive = Field(100.0, description="stiffness of the joint per mass of its bodies")


class AxisEntry(_BetweenBodies):
    """A hinge or a slider between two bodies; θ = 0 at their initial poses."""

    type: Literal["revolute", "prismatic"] = Field(description="kind of motion")
    anchor: Vector3 = Field(description="a point on the axis, world frame [m]")
    axis: Vector3 = Field(
        description="direction, world frame; θ > 0 is a right-hand rotation about it, or a translation along it"
    )
    length: Positive = Field(
        0.2, description="distance of the two points of the axis that the joint keeps together [m]"
    )
    limits: tuple[float, float] | None = Field(None, description="smallest and largest θ, soft [rad or m]")
    drive: DriveEntry | None = Field(None, description="see [joints.drive](#jointsdrive)")

    def complaints(self) -> Iterator[Complaint]:
        """The axis has a direction, and the start θ = 0 is within the limits."""
        if not any(self.axis):
            yield ("axis",), f"the axis of joint '{self.name}' has no direction"
        if self.limits is not None and not self.limits[0] <= 0.0 <= self.limits[1]:
            message = f"joint '{self.name}' starts at θ = 0, which must be within its limits"
            yield ("limits",), message


class BallEntry(_BetweenBodies):
    """Two bodies that share a point and rotate freely about it."""

    type: Literal["spherical"]
    anchor: Vector3 = Field(description="the point, world frame [m]")


class WeldEntry(_BetweenBodies):
    """Two bodies that are rigidly connected."""

    type: Literal["fixed"]


JointEntry = Annotated[AxisEntry | BallEntry | WeldEntry, Field(discriminator="type")]


class ArticulationEntry(Block):
    """A prescribed motion of m joints: K = ½ (δθ - δθ̃)ᵀ M (δθ - δθ̃) with δθ̃ = velocity·dt."""

    joints: Names = Field(description="names of hinges and sliders, in the order of `mass` and `velocity`")
    mass: tuple[tuple[float, ...], ...] = Field(description="M (m rows of m numbers), symmetric positive definite")
    velocity: tuple[float, ...] = Field(description="predicted joint velocity [rad/s or m/s]")

    def complaints(self) -> Iterator[Complaint]:
        """M and the velocity fit the joints; M is symmetric positive definite."""
        m = len(self.joints)
        if len(self.velocity) != m:
            yield ("velocity",), f"velocity has {len(self.velocity)} numbers for {m} joints"
        if len(self.mass) != m or any(len(row) != m for row in self.mass):
            yield ("mass",), f"mass must be {m} rows of {m} numbers, for {m} joints"
        elif not _positive_definite(np.array(self.mass)):
            yield ("mass",), "mass must be symmetric positive definite"


def _positive_definite(mass: Array) -> bool:
    return bool(np.allclose(mass, mass.T, rtol=1e-12, atol=0.0) and np.linalg.eigvalsh(mass).min() > 0.0)
