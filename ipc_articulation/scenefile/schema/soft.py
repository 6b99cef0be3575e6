"""Soft bodies: solids, cloth and rods, the vertices of them that are held, and by what."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field

from ipc_articulation.scenefile.keys import Block, Complaint
from ipc_articulation.scenefile.schema.bodies import InEnvironment
from ipc_articulation.scenefile.schema.shapes import PoseEntry, ShapeEntry
from ipc_articulation.scenefile.schema.values import (
    ExistingFile,
    Length,
    NonNegative,
    PoissonsRatio,
    Positive,
    Vector3,
)

MOST_CELLS = 10_000_000  # of one grid

Side = Literal["-x", "+x", "-y", "+y", "-z", "+z", "start", "end"]
Count = Annotated[int, Field(gt=0)]


class RegionEntry(Block):
    """Vertices of a soft body; coordinates are in its own frame, before its pose."""

    box: tuple[Vector3, Vector3] | None = Field(None, description="in the box with these opposite corners [m]")
    nearest: tuple[Vector3, ...] | None = Field(None, description="the nearest to each of these points [m]")
    side: Side | None = Field(
        None, description="farthest in a direction of its frame, or the first or last vertex of a rod"
    )
    vertices: tuple[Annotated[int, Field(ge=0)], ...] | None = Field(None, description="with these numbers, from 0")

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
        if self.to == "world":
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


class TetrahedraEntry(Block):
    """Tetrahedra from a file, in the file's own frame."""

    type: Literal["tetrahedra"]
    file: ExistingFile = Field(description="Gmsh (.msh), VTK (.vtk, .vtu) or another format that meshio reads")
    scale: Positive = Field(1.0, description="factor for the lengths of the file")


SolidShapeEntry = Annotated[ShapeEntry | TetrahedraEntry, Field(discriminator="type")]


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


class GridEntry(Block):
    """A rectangle in the plane z = 0 with its centre at the origin."""

    type: Literal["grid"]
    size: tuple[Length, Length] = Field(description="lengths along x and y [m]")
    cells: tuple[Count, Count] = Field(description="numbers of cells along x and y, each of two triangles")

    def complaints(self) -> Iterator[Complaint]:
        """It can be stored."""
        if self.cells[0] * self.cells[1] > MOST_CELLS:
            yield ("cells",), f"a grid has at most {MOST_CELLS:,} cells, got {self.cells[0] * self.cells[1]:,}"


class TrianglesEntry(Block):
    """Triangles from a file, in the file's own frame; they need not be closed."""

    type: Literal["mesh"]
    file: ExistingFile = Field(description="STL, OBJ, PLY, glTF or another format that trimesh reads")
    scale: Positive = Field(1.0, description="factor for the lengths of the file")


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


class LineEntry(Block):
    """A straight rod along x with its centre at the origin."""

    type: Literal["line"]
    length: Length = Field(description="[m]")
    segments: Count = Field(description="number of its straight parts")


class PolylineEntry(Block):
    """A rod through points."""

    type: Literal["polyline"]
    points: Annotated[tuple[Vector3, ...], Field(min_length=2)] = Field(description="[m]")
    segments: Count | None = Field(
        None, description="number of straight parts of equal length; default: one between two points"
    )

    def complaints(self) -> Iterator[Complaint]:
        """It has a direction everywhere."""
        for k, (first, second) in enumerate(pairwise(self.points)):
            if first == second:
                yield ("points", k + 1), f"point {k + 1} of a polyline must differ from the one before it"


class RodEntry(_SoftEntry):
    """A rod or cable, of straight segments; it is straight at rest, whatever its shape is at the start."""

    shape: Annotated[LineEntry | PolylineEntry, Field(discriminator="type")] = Field(
        description="see [shape of a rod](#shape-of-a-rod)"
    )
    thickness: Positive = Field(description="its diameter [m]; other surfaces stay half of it away from its axis")
    bending: NonNegative | None = Field(
        None, description="Young's modulus for bending alone [Pa], smaller for ropes; default: `youngs_modulus`"
    )
