"""Free and fixed bodies, the ground, and walls."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from ipc_articulation.scenefile.keys import Block, Complaint
from ipc_articulation.scenefile.schema.shapes import PoseEntry, ShapeEntry
from ipc_articulation.scenefile.schema.values import BodyName, Friction, NonNegative, Positive, Vector3

DENSITY = 1000.0  # of a body without mass and density [kg/m³]


class _Touchable(Block):
    """Keys of everything that has surfaces in contact."""

    material: str | None = Field(None, description="name of a [material](#materials)")
    friction: Friction | None = Field(
        None, description="Coulomb coefficient; default: that of its material, or else `contact.friction`"
    )


class InEnvironment(_Touchable):
    """A surface with a name, which may be in one of several environments."""

    name: BodyName = Field(description="unique in the file; not `world`")
    environment: str = Field(
        "", description="members of different environments never touch; without one, it touches all"
    )


class VelocityEntry(Block):
    """Initial velocity of a free body."""

    linear: Vector3 = Field((0.0, 0.0, 0.0), description="of the origin of its frame, in world axes [m/s]")
    angular: Vector3 = Field((0.0, 0.0, 0.0), description="in world axes [rad/s]")


class PushEntry(Block):
    """A constant force and torque on a free body for some time, in world axes."""

    force: Vector3 = Field((0.0, 0.0, 0.0), description="at the origin of the body's frame [N]")
    torque: Vector3 = Field((0.0, 0.0, 0.0), description="[N·m]")
    start: NonNegative = Field(0.0, description="[s]")
    end: Positive | None = Field(None, description="[s]; default: the end of the run")

    def complaints(self) -> Iterator[Complaint]:
        """The end is after the start."""
        if self.end is not None and self.end <= self.start:
            yield ("end",), f"`end` of a push must be after `start`, {self.start:g} s; it is {self.end:g} s"


class BodyEntry(InEnvironment):
    """A body, free or fixed, simulated by IPC."""

    shape: ShapeEntry = Field(description="its surface, see [shape](#shape)")
    pose: PoseEntry = Field(
        PoseEntry(), description="of its frame, whose origin is the centre of the shape, see [pose](#pose)"
    )
    velocity: VelocityEntry | None = Field(
        None, description="initial velocity, see [velocity](#velocity); default: at rest"
    )
    push: PushEntry | None = Field(None, description="a force for some time, see [push](#push)")
    fixed: bool = Field(False, description="true: it never moves")
    mass: Positive | None = Field(None, description="[kg]; instead of density")
    density: Positive | None = Field(
        None, description="[kg/m³], see [above](#the-mass-of-bodies); default: that of its material, or else 1000"
    )
    stiffness: Positive | None = Field(
        None, description="against deformation [Pa]; default: that of its material, or else 1e8"
    )

    def complaints(self) -> Iterator[Complaint]:
        """The mass is given once."""
        if self.mass is not None and self.density is not None:
            yield ("density",), f"body '{self.name}' has both mass and density; give one"


class GroundEntry(_Touchable):
    """A half-space with a horizontal surface; its free side is up, against gravity."""

    height: float = Field(0.0, description="of the surface, measured against gravity [m]")


class WallEntry(InEnvironment):
    """A half-space that no body enters, with any orientation."""

    point: Vector3 = Field(description="a point of its surface [m]")
    normal: Vector3 = Field(description="direction to the free side; any length")

    def complaints(self) -> Iterator[Complaint]:
        """The normal has a direction."""
        if not any(self.normal):
            yield ("normal",), f"the normal of wall '{self.name}' has no direction"
