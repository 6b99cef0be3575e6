"""Values of a scene that are drawn at random."""

from __future__ import annotations

from pydantic import Field

from ipc_articulation.scenefile.keys import Block
from ipc_articulation.scenefile.schema.values import NonNegative


class Variation(Block):
    """A number, or each number of a list, to which a random one is added; `seed` determines all that is drawn."""

    path: str = Field(description="where the value stands, such as `bodies.crate.pose.position` or `robot.friction`")
    uniform: tuple[float, float] | None = Field(None, description="evenly between two bounds")
    normal: NonNegative | None = Field(None, description="instead: normal about 0 with this standard deviation")
    relative: bool = Field(False, description="true: added as a fraction of the value, value·(1 + drawn)")
