"""Bodies that stand free or fixed, and the ground."""

from __future__ import annotations

from pydantic import Field

from ipc_articulation.scenefile.keys import Block
from ipc_articulation.scenefile.schema.shapes import Pose, Shape
from ipc_articulation.scenefile.schema.values import NonNegative, Positive

DENSITY = 1000.0  # of a body that says neither mass nor density [kg/m³]


class Body(Block):
    """A body that IPC moves, or a fixed one."""

    name: str = Field(description="unique in the file")
    shape: Shape = Field(description="its surface, see [shape](#shape)")
    pose: Pose = Field(Pose(), description="of its frame, which is the shape's centre, see [pose](#pose)")
    fixed: bool = Field(False, description="never moves")
    mass: Positive | None = Field(None, description="[kg]; instead of density")
    density: Positive | None = Field(None, description="[kg/m³]; 1000 where neither mass nor density is given")
    friction: NonNegative = Field(0.5, description="Coulomb coefficient of its surface")


class Ground(Block):
    """A horizontal half-space, its free side against gravity."""

    height: float = Field(0.0, description="[m], measured against gravity")
    friction: NonNegative = Field(0.5, description="Coulomb coefficient")
