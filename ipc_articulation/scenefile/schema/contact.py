"""Contact of the scene: what surfaces are made of, and what holds between two of them."""

from __future__ import annotations

from pydantic import Field

from ipc_articulation.scenefile.keys import Block
from ipc_articulation.scenefile.schema.values import NonNegative, Positive


class MaterialEntry(Block):
    """What bodies, the robot, the ground and walls may be made of; what it leaves out is as if there were none."""

    friction: NonNegative | None = Field(None, description="Coulomb coefficient")
    density: Positive | None = Field(None, description="[kg/m³]; of bodies only")
    stiffness: Positive | None = Field(None, description="against deformation [Pa]; of bodies and links")
    resistance: Positive | None = Field(
        None, description="stiffness of the barrier [Pa]; between two surfaces the smaller one holds"
    )


class ContactPairEntry(Block):
    """What holds between two groups of surfaces, whatever they say themselves; the last entry that fits holds."""

    between: tuple[str, str] = Field(
        description="each the name of a material, of a body, a link, a wall or `ground`, or a regular expression"
    )
    friction: NonNegative | None = Field(None, description="Coulomb coefficient")
    resistance: Positive | None = Field(None, description="stiffness of the barrier [Pa]")
    enabled: bool | None = Field(None, description="whether they touch")


class ContactEntry(Block):
    """Contact of the whole scene."""

    enabled: bool = Field(True, description="false: bodies pass through each other")
    d_hat: Positive = Field(0.001, description="distance at which surfaces begin to repel each other [m]")
    resistance: Positive = Field(1.0e9, description="stiffness of the barrier [Pa]")
    friction: NonNegative = Field(
        0.5, description="Coulomb coefficient of every surface without its own; of two surfaces the larger one holds"
    )
    pairs: tuple[ContactPairEntry, ...] = Field((), description="see [contact.pairs](#contactpairs)")
