"""Random variations, checkpoints, and the camera of the final picture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from ipc_articulation.scenefile.keys import Block, Complaint
from ipc_articulation.scenefile.schema.values import NonNegative, Vector3


class VariationEntry(Block):
    """A number, or each number of a list, to which a random one is added; `seed` determines all that is drawn."""

    path: str = Field(description="path of the value, such as `bodies.crate.pose.position` or `robot.friction`")
    uniform: tuple[float, float] | None = Field(None, description="evenly between two bounds")
    normal: NonNegative | None = Field(None, description="instead: normal about 0 with this standard deviation")
    relative: bool = Field(False, description="true: added as a fraction of the value, value·(1 + drawn)")

    def complaints(self) -> Iterator[Complaint]:
        """One distribution is given, and bounds are in order."""
        if self.uniform is not None and self.uniform[0] > self.uniform[1]:
            yield ("uniform",), "the first bound must not be above the second"
        if (self.uniform is None) == (self.normal is None):
            yield (), "give either `uniform`, two bounds, or `normal`, a standard deviation"


class CheckpointEntry(Block):
    """How often the complete state is kept; always also when rows of the recording go to disk, and at the end."""

    every: Annotated[int, Field(gt=0)] | None = Field(None, description="number of steps; else every few seconds")


class ViewEntry(Block):
    """Camera of the final picture; what is left out is chosen to show every body."""

    eye: Vector3 | None = Field(None, description="position of the camera [m]")
    target: Vector3 | None = Field(None, description="point that it looks at [m]")

    def complaints(self) -> Iterator[Complaint]:
        """The camera looks in some direction."""
        if self.eye is not None and self.eye == self.target:
            yield ("eye",), "the camera stands on its target, so it looks in no direction; move one of them"
