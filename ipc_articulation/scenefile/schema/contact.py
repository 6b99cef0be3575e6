"""Contact of the scene."""

from __future__ import annotations

from pydantic import Field

from ipc_articulation.scenefile.keys import Block
from ipc_articulation.scenefile.schema.values import Positive


class Contact(Block):
    """Contact of the whole scene."""

    enabled: bool = Field(True, description="false: bodies pass through each other")
    d_hat: Positive = Field(0.001, description="distance at which surfaces begin to repel each other [m]")
    resistance: Positive = Field(1.0e9, description="stiffness of the barrier [Pa]")
    friction: bool = Field(True, description="false: every surface is frictionless")
