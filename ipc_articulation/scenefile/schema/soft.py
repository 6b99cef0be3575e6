"""Soft bodies: solids, cloth and rods, the vertices of them that are held, and by what."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Annotated, Literal

from pydantic import Field

from ipc_articulation.scenefile.keys import Block, Complaint
from ipc_articulation.scenefile.schema.bodies import InEnvironment
from ipc_articulation.scenefile.schema.shapes import BoxEntry, PoseEntry
from ipc_articulation.scenefile.schema.soft_shapes import (
    MOST_CELLS,
    GridEntry,
    LineEntry,
    PolylineEntry,
    SolidShapeEntry,
    TetrahedraEntry,
    TrianglesEntry,
    too_many,
)
from ipc_articulation.scenefile.schema.values import (
    WORLD,
    Length,
    NonNegative,
    PoissonsRatio,
    Positive,
    Vector3,
)

Side = Literal["-x", "+x", "-y", "+y", "-z", "+z", "start", "end"]


class RegionEntry(Block):
    """Vertices of a soft body; coordinates are in its own frame, before its pose."""

    box: tuple[Vector3, Vector3] | None = Field(None, description="in the box with these opposite corners [m]")
    nearest: Annotated[tuple[Vector3, ...], Field(min_length=1)] | None = Field(
        None, description="the nearest to each of these points [m]"
    )
    side: Side | None = Field(
        None, description="farthest in a direction of its frame, or the first or last vertex of a rod"
    )
    vertices: Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(min_length=1)] | None = Field(
        None, description="with these numbers, from 0; of tetrahedra and OBJ files, those of the file"
    )

    @property
    def ways(self) -> list[str]:
        """The keys that say which vertices are meant."""
        return [key for key in ("box", "nearest", "side", "vertices") if getattr(self, key) is not None]

    def complaints(self) -> Iterator[Complaint]:
        """There is exactly one way to find the vertices."""
        if len(self.ways) != 1:
            yield (), f"give one of box, nearest, side, vertices; got {', '.join(self.ways) or 'none'}"


class AttachEntry(RegionEntry):
    """Vertices that follow a link or body, as if they were glued to it; their forces act on it."""

    to: str = Field(description="name of a link or body, or `world`: the vertices do not move")
    within: Positive | None = Field(
        None, description="instead of a region, or in it: vertices that are no farther from its surface [m]"
    )
    stiffness: Positive | None = Field(
        None,
        description="of each vertex's hold [N/m]; default: ten times that of an element with edges of the length l: "
        "E l of solids, E h of sheets of the thickness h, E π r²/l of rods of the radius r",
    )
    contact: bool = Field(False, description="true: the other vertices of the body touch it as any other surface")

    def complaints(self) -> Iterator[Complaint]:
        """There is one way to find the vertices at most, and at least a distance."""
        if len(self.ways) > 1 or not (self.ways or self.within):
            yield (
                (),
                f"give `within`, one of box, nearest, side, vertices, or both; got {', '.join(self.ways) or 'none'}",
            )
        if self.to == WORLD:
            for key in ("within", "stiffness"):
                if getattr(self, key) is not None:
                    yield (key,), f"vertices attached to the world do not move; `{key}` has no meaning for them"


class _SoftEntry(InEnvironment):
    """Keys of soft bodies of every kind."""

    material: str | None = Field(
        None, description="name of a [material](#materials) of the file, or of a [published one](#published-materials)"
    )
    pose: PoseEntry = Field(PoseEntry(), description="of its frame at the start, see [pose](#pose)")
    velocity: Vector3 | None = Field(None, description="initial velocity of all its vertices [m/s]; default: at rest")
    youngs_modulus: Positive | None = Field(None, description="[Pa]; default: that of its material")
    density: Positive | None = Field(None, description="[kg/m³]; default: that of its material, or else 1000")
    fixed: tuple[RegionEntry, ...] = Field((), description="vertices that never move, see [fixed](#fixed)")
    attach: tuple[AttachEntry, ...] = Field((), description="vertices that links or bodies hold, see [attach](#attach)")
    self_collision: bool = Field(True, description="false: its parts pass through each other")


class SoftEntry(_SoftEntry):
    """A soft solid, of tetrahedra."""

    shape: SolidShapeEntry = Field(description="see [shape of a soft body](#shape-of-a-soft-body)")
    resolution: Length | None = Field(
        None, description="length of the elements' edges, about [m]; required unless the shape is `tetrahedra`"
    )
    poissons_ratio: PoissonsRatio | None = Field(
        None, description="at least 0 and less than 0.5; default: that of its material"
    )
    model: Literal["stable_neo_hookean", "arap"] = Field(
        "stable_neo_hookean",
        description="its [energy](constitutions/README.md); `arap` (as rigid as possible) has no Poisson effect",
    )

    def complaints(self) -> Iterator[Complaint]:
        """Shapes are filled with elements of a size; those of a file have theirs."""
        given = isinstance(self.shape, TetrahedraEntry)
        if given and self.resolution is not None:
            yield ("resolution",), f"the file of '{self.name}' has its elements already; `resolution` has no meaning"
        if not given and self.resolution is None:
            yield (), f"'{self.name}' needs `resolution`, the length of its elements' edges [m]"
        if isinstance(self.shape, BoxEntry) and self.resolution is not None:
            counts = [max(1.0, length / self.resolution) for length in self.shape.size]
            coarse = (prod(self.shape.size) / MOST_CELLS) ** (1.0 / 3.0)
            for text in too_many("a box", "cells", prod(counts)):
                yield ("resolution",), f"{text}: give a larger resolution, about {coarse:.2g} m"


class ClothEntry(_SoftEntry):
    """Cloth, or another thin sheet, of triangles."""

    shape: Annotated[GridEntry | TrianglesEntry, Field(discriminator="type")] = Field(
        description="see [shape of cloth](#shape-of-cloth)"
    )
    thickness: Positive | None = Field(
        None, description="[m]; other surfaces stay half of it away; default: that of its material"
    )
    poissons_ratio: PoissonsRatio | None = Field(
        None, description="at least 0 and less than 0.5; default: that of its material"
    )
    membrane: Literal["neo_hookean", "strain_limiting"] = Field(
        "neo_hookean",
        description="[energy](constitutions/README.md) of stretch; `strain_limiting` resists strain the more, the "
        "larger it is",
    )
    bending: NonNegative | None = Field(
        None, description="bending stiffness [N·m]; default: E h³/(12(1 - ν²)) of a plate with the thickness h"
    )


class RodEntry(_SoftEntry):
    """A rod or cable, of straight segments; it is straight at rest, whatever its shape is at the start."""

    shape: Annotated[LineEntry | PolylineEntry, Field(discriminator="type")] = Field(
        description="see [shape of a rod](#shape-of-a-rod)"
    )
    thickness: Positive = Field(description="its diameter [m]; other surfaces stay half of it away from its axis")
    bending: NonNegative | None = Field(
        None, description="Young's modulus for bending alone [Pa], smaller for ropes; default: `youngs_modulus`"
    )
