"""Shapes that only soft bodies have, and the most elements that one may have."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field

from ipc_articulation.scenefile.keys import Block, Complaint
from ipc_articulation.scenefile.schema.shapes import ShapeEntry
from ipc_articulation.scenefile.schema.values import ExistingFile, Length, Positive, Vector3

MOST_CELLS = 1_000_000  # of one grid, box or rod: more do not fit into memory, and no step with them ends

Count = Annotated[int, Field(gt=0)]


def too_many(what: str, parts: str, count: float) -> Iterator[str]:
    """The complaint that a mesh would have too many elements, if it would."""
    if count > MOST_CELLS:
        said = f"{count:,.0f}" if count < 1e15 else "more than 10^15"
        yield f"{what} has at most {MOST_CELLS:,} {parts}, got {said}"


class TetrahedraEntry(Block):
    """Tetrahedra from a file, in the file's own frame."""

    type: Literal["tetrahedra"]
    file: ExistingFile = Field(description="Gmsh (.msh), VTK (.vtk, .vtu) or another format that meshio reads")
    scale: Positive = Field(1.0, description="factor for the lengths of the file")


SolidShapeEntry = Annotated[ShapeEntry | TetrahedraEntry, Field(discriminator="type")]


class GridEntry(Block):
    """A rectangle in the plane z = 0 with its centre at the origin."""

    type: Literal["grid"]
    size: tuple[Length, Length] = Field(description="lengths along x and y [m]")
    cells: tuple[Count, Count] = Field(description="numbers of cells along x and y, each of two triangles")

    def complaints(self) -> Iterator[Complaint]:
        """It can be stored."""
        for text in too_many("a grid", "cells", self.cells[0] * self.cells[1]):
            yield ("cells",), text


class TrianglesEntry(Block):
    """Triangles from a file, in the file's own frame; they need not be closed."""

    type: Literal["mesh"]
    file: ExistingFile = Field(description="STL, OBJ, PLY, glTF or another format that trimesh reads")
    scale: Positive = Field(1.0, description="factor for the lengths of the file")


class LineEntry(Block):
    """A straight rod along x with its centre at the origin."""

    type: Literal["line"]
    length: Length = Field(description="[m]")
    segments: Count = Field(description="number of its straight parts")

    def complaints(self) -> Iterator[Complaint]:
        """It can be stored."""
        for text in too_many("a rod", "segments", self.segments):
            yield ("segments",), text


class PolylineEntry(Block):
    """A rod through points."""

    type: Literal["polyline"]
    points: Annotated[tuple[Vector3, ...], Field(min_length=2)] = Field(description="[m]")
    segments: Count | None = Field(
        None, description="number of straight parts of equal length; default: one between two points"
    )

    def complaints(self) -> Iterator[Complaint]:
        """It has a direction everywhere, and can be stored."""
        for text in too_many("a rod", "segments", self.segments or 1):
            yield ("segments",), text
        for k, (first, second) in enumerate(pairwise(self.points)):
            if first == second:
                yield ("points", k + 1), f"point {k + 1} of a polyline must differ from the one before it"
