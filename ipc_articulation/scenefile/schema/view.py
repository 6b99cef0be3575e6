"""How the scene is looked at."""

from __future__ import annotations

from pydantic import Field

from ipc_articulation.scenefile.keys import Block
from ipc_articulation.scenefile.schema.values import Vector3


class View(Block):
    """Camera of the final picture; what is left out is chosen to show every body."""

    eye: Vector3 | None = Field(None, description="where the camera stands [m]")
    target: Vector3 | None = Field(None, description="where it looks [m]")
