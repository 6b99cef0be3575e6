"""Bodies that stand free or fixed, the ground, and walls."""

from __future__ import annotations

from pydantic import Field

from ipc_articulation.scenefile.keys import Block
from ipc_articulation.scenefile.schema.shapes import PoseEntry, ShapeEntry
from ipc_articulation.scenefile.schema.values import NonNegative, Positive, Vector3

DENSITY = 1000.0  # of a body that says neither mass nor density [kg/m³]

_FRICTION = "Coulomb coefficient; else that of its material, else `contact.friction`"
_MATERIAL = "name of a [material](#materials)"
_ENVIRONMENT = "bodies of different environments do not touch; what is in none touches all"


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


class BodyEntry(Block):
    """A body that IPC moves, or a fixed one."""

    name: str = Field(description="unique in the file")
    shape: ShapeEntry = Field(description="its surface, see [shape](#shape)")
    pose: PoseEntry = Field(PoseEntry(), description="of its frame, which is the shape's centre, see [pose](#pose)")
    velocity: VelocityEntry | None = Field(None, description="at the start, see [velocity](#velocity); else at rest")
    push: PushEntry | None = Field(None, description="a force over some time, see [push](#push)")
    fixed: bool = Field(False, description="never moves")
    material: str | None = Field(None, description=_MATERIAL)
    mass: Positive | None = Field(None, description="[kg]; instead of density")
    density: Positive | None = Field(
        None, description="[kg/m³], see [above](#what-bodies-weigh); else that of its material, else 1000"
    )
    friction: NonNegative | None = Field(None, description=_FRICTION)
    stiffness: Positive | None = Field(
        None, description="against deformation [Pa]; else that of its material, else 1e8"
    )
    environment: str = Field("", description=_ENVIRONMENT)


class GroundEntry(Block):
    """A horizontal half-space, its free side against gravity."""

    height: float = Field(0.0, description="[m], measured against gravity")
    material: str | None = Field(None, description=_MATERIAL)
    friction: NonNegative | None = Field(None, description=_FRICTION)


class WallEntry(Block):
    """A half-space that nothing enters, in any direction."""

    name: str = Field(description="unique in the file")
    point: Vector3 = Field(description="a point of its plane [m]")
    normal: Vector3 = Field(description="direction of the free side")
    material: str | None = Field(None, description=_MATERIAL)
    friction: NonNegative | None = Field(None, description=_FRICTION)
    environment: str = Field("", description=_ENVIRONMENT)
