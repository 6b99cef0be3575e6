"""Contact of the scene: materials of surfaces, and properties of pairs of surfaces."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ipc_articulation.scenefile.keys import Block
from ipc_articulation.scenefile.schema.values import Friction, PoissonsRatio, Positive


class MaterialEntry(Block):
    """A material of bodies, the robot, the ground and walls; missing keys have the defaults of the object."""

    friction: Friction | None = Field(None, description="Coulomb coefficient")
    density: Positive | None = Field(None, description="[kg/m³]; for bodies, soft ones too")
    stiffness: Positive | None = Field(None, description="against deformation [Pa]; for bodies and links")
    resistance: Positive | None = Field(
        None, description="stiffness of the barrier [Pa]; between two surfaces the smaller one applies"
    )
    youngs_modulus: Positive | None = Field(None, description="[Pa]; for soft bodies, cloth and rods only")
    poissons_ratio: PoissonsRatio | None = Field(
        None, description="at least 0 and less than 0.5; for soft bodies and cloth only"
    )


class ContactPairEntry(Block):
    """Properties of the contact between two groups of surfaces; overrides their own. The last match applies."""

    between: tuple[str, str] = Field(
        description="two groups, each the name of a material, body, link or wall, `ground`, or a regular expression"
    )
    friction: Friction | None = Field(None, description="Coulomb coefficient")
    resistance: Positive | None = Field(None, description="stiffness of the barrier [Pa]")
    enabled: bool | None = Field(None, description="false: they never touch")


class ContactEntry(Block):
    """Contact of the whole scene."""

    enabled: bool = Field(True, description="false: bodies pass through each other")
    d_hat: Positive = Field(0.001, description="distance below which surfaces repel each other [m]")
    resistance: Positive | None = Field(
        None, description="stiffness of the barrier [Pa]; without it every pair has its own, by what it carries"
    )
    friction: Friction = Field(
        0.5,
        description="Coulomb coefficient of surfaces without their own; between two surfaces the larger one applies",
    )
    friction_law: Literal["anchored", "lagged"] = Field(
        "anchored",
        description="`anchored`: what is below the cone does not move, see [Friction that holds](friction.md); on the "
        "CPU engine only. `lagged`: libuipc's law, where it creeps; libuipc's own engines have no other",
    )
    friction_iterations: int = Field(
        1,
        ge=1,
        description="how many times a step may be minimised, each time with the normal forces and tangents of friction "
        "that the last time ended with, see [Friction within the step](friction.md#friction-within-the-step); CPU only",
    )
    pairs: tuple[ContactPairEntry, ...] = Field((), description="see [contact.pairs](#contactpairs)")
