"""Bodies that stand free or fixed, the ground, and walls."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from ipc_articulation.scenefile.keys import Block, Complaint
from ipc_articulation.scenefile.schema.shapes import PoseEntry, ShapeEntry
from ipc_articulation.scenefile.schema.values import Name, NonNegative, Positive, Vector3

DENSITY = 1000.0  # of a body that says neither mass nor density [kg/m³]


class _Touchable(Block):
    """What surfaces that are in contact have."""

    material: str | None = Field(None, description="name of a [material](#materials)")
    friction: NonNegative | None = Field(
        None, description="Coulomb coefficient; else that of its material, else `contact.friction`"
    )


class _InEnvironment(_Touchable):
    """A surface with a name, which may be in one of several environments."""

    name: Name = Field(description="unique in the file")
    environment: str = Field(
        "", description="bodies of different environments do not touch; what is in none touches all"
    )


class VelocityEntry(Block):
    """How a free body moves at the start."""

    linear: Vector3 = Field((0.0, 0.0, 0.0), description="of its frame's origin, in the world [m/s]")
    angular: Vector3 = Field((0.0, 0.0, 0.0), description="in the world [rad/s]")


class PushEntry(Block):
    """A force and a torque on a free body for some time, in the world's directions."""

    force: Vector3 = Field((0.0, 0.0, 0.0), description="at the origin of the body's frame [N]")
    torque: Vector3 = Field((0.0, 0.0, 0.0), description="[N·m]")
    start: NonNegative = Field(0.0, description="[s]")
    end: Positive | None = Field(None, description="[s]; else it continues")

    def complaints(self) -> Iterator[Complaint]:
        """It ends after it starts."""
        if self.end is not None and self.end <= self.start:
            yield ("end",), f"a push ends after it starts, but {self.end:g} s is not after `start`, {self.start:g} s"


class BodyEntry(_InEnvironment):
    """A body that IPC moves, or a fixed one."""

    shape: ShapeEntry = Field(description="its surface, see [shape](#shape)")
    pose: PoseEntry = Field(PoseEntry(), description="of its frame, which is the shape's centre, see [pose](#pose)")
    velocity: VelocityEntry | None = Field(None, description="at the start, see [velocity](#velocity); else at rest")
    push: PushEntry | None = Field(None, description="a force over some time, see [push](#push)")
    fixed: bool = Field(False, description="never moves")
    mass: Positive | None = Field(None, description="[kg]; instead of density")
    density: Positive | None = Field(
        None, description="[kg/m³], see [above](#what-bodies-weigh); else that of its material, else 1000"
    )
    stiffness: Positive | None = Field(
        None, description="against deformation [Pa]; else that of its material, else 1e8"
    )

    def complaints(self) -> Iterator[Complaint]:
        """The mass is given once."""
        if self.mass is not None and self.density is not None:
            yield ("density",), f"body '{self.name}' has both mass and density; give one"


class GroundEntry(_Touchable):
    """A horizontal half-space, its free side against gravity."""

    height: float = Field(0.0, description="[m], measured against gravity")


class WallEntry(_InEnvironment):
    """A half-space that nothing enters, in any direction."""

    point: Vector3 = Field(description="a point of its plane [m]")
    normal: Vector3 = Field(description="direction of the free side")

    def complaints(self) -> Iterator[Complaint]:
        """The normal has a direction."""
        if not any(self.normal):
            yield ("normal",), f"the normal of wall '{self.name}' has no direction"
