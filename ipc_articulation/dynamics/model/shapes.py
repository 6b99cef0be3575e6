"""Shapes of links, for contact or for display."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.arrays import Array, Colour

FEWEST_SECTIONS, MOST_SECTIONS = 8, 256  # sides around a round shape; a sphere of the most has 40,962 vertices


@dataclass(frozen=True)
class Box:
    """A box about the origin."""

    size: tuple[float, float, float]  # whole edge lengths [m]


@dataclass(frozen=True)
class Sphere:
    """A sphere about the origin."""

    radius: float  # [m]


@dataclass(frozen=True)
class Ellipsoid:
    """An ellipsoid about the origin."""

    radii: tuple[float, float, float]  # half axes along x, y and z [m]


@dataclass(frozen=True)
class Cylinder:
    """A cylinder along z about the origin."""

    radius: float  # [m]
    length: float  # [m]


@dataclass(frozen=True)
class Capsule:
    """A cylinder along z about the origin with half a sphere at each end."""

    radius: float  # [m]
    length: float  # between the centres of the spheres [m]


@dataclass(frozen=True)
class MeshFile:
    """A triangle mesh in a file that trimesh reads."""

    path: Path
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)


@dataclass(frozen=True)
class Triangles:
    """A triangle mesh."""

    vertices: Array  # (V, 3) [m]
    faces: NDArray[np.int32]  # (F, 3), counter-clockwise from outside


Geometry = Box | Sphere | Ellipsoid | Cylinder | Capsule | MeshFile | Triangles


@dataclass(frozen=True)
class Shape:
    """A geometry placed on a link."""

    geometry: Geometry
    pose: Array = field(default_factory=lambda: np.eye(4))  # (4, 4) in the link's frame
    name: str = ""
    colour: Colour | None = None  # for display; None: that of the mesh file, or none
