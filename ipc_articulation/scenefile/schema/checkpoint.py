"""How often the state of a run is kept, so that it can be gone on with."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ipc_articulation.scenefile.keys import Block


class Checkpoint(Block):
    """How often the complete state is kept; always also when rows of the recording go to disk, and at the end."""

    every: Annotated[int, Field(gt=0)] | None = Field(None, description="number of steps; else every few seconds")
