"""Shapes and poses of bodies."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from ipc_articulation.dynamics.model.shapes import FEWEST_SECTIONS, MOST_SECTIONS
from ipc_articulation.scenefile.keys import Block, Complaint
from ipc_articulation.scenefile.schema.values import ExistingFile, Length, Positive, Quaternion, Vector3

Sections = Annotated[int, Field(ge=FEWEST_SECTIONS, le=MOST_SECTIONS)]
MAX_RATIO = 1e5  # between the largest and the smallest length of one shape


class _Shape(Block):
    """A shape given by its lengths."""

    def complaints(self) -> Iterator[Complaint]:
        """The ratio of the lengths is bounded, so that the surface does not degenerate."""
        sizes = self.model_dump(exclude={"type", "sections"}).values()
        lengths = np.concatenate([np.ravel(size) for size in sizes])
        if lengths.max() > MAX_RATIO * lengths.min():
            given = f"got {lengths.min():g} and {lengths.max():g} m"
            yield (), f"the lengths of a shape may differ by a factor of at most {MAX_RATIO:g}, {given}"


class BoxEntry(_Shape):
    """A cuboid with its centre at the origin of the body's frame."""

    type: Literal["box"]
    size: tuple[Length, Length, Length] = Field(description="lengths of the edges [m]")


class _Round(_Shape):
    """A shape that contact has as a polyhedron."""

    sections: Sections | None = Field(
        None,
        description="flat sides around it, 8 to 256, so that it [rolls](wheels.md); default: few, inscribed",
    )


class SphereEntry(_Round):
    """A sphere with its centre at the origin."""

    type: Literal["sphere"]
    radius: Length = Field(description="[m]")


class CylinderEntry(_Round):
    """A cylinder with its centre at the origin and its axis along z."""

    type: Literal["cylinder"]
    radius: Length = Field(description="[m]")
    length: Length = Field(description="[m]")


class CapsuleEntry(_Round):
    """A cylinder with hemispherical ends, its centre at the origin and its axis along z."""

    type: Literal["capsule"]
    radius: Length = Field(description="[m]")
    length: Length = Field(description="distance between the centres of the hemispheres [m]")


class EllipsoidEntry(_Round):
    """An ellipsoid with its centre at the origin."""

    type: Literal["ellipsoid"]
    radii: tuple[Length, Length, Length] = Field(description="semi-axes along x, y and z [m]")


class MeshEntry(Block):
    """A closed triangle surface from a file, in the file's own frame."""

    type: Literal["mesh"]
    file: ExistingFile = Field(
        description="file of the surface: STL, OBJ, PLY, glTF or another format that trimesh reads"
    )
    scale: Positive = Field(1.0, description="factor for the lengths of the file")


ShapeEntry = Annotated[
    BoxEntry | SphereEntry | EllipsoidEntry | CylinderEntry | CapsuleEntry | MeshEntry, Field(discriminator="type")
]


class PoseEntry(Block):
    """A pose: transforms coordinates of the object's own frame to the world frame."""

    position: Vector3 = Field((0.0, 0.0, 0.0), description="[m]")
    quaternion: Quaternion = Field((1.0, 0.0, 0.0, 0.0), description="(w, x, y, z), of unit length")
    rpy: Vector3 | None = Field(
        None, description="instead of the quaternion, as in URDF: rotation about the fixed axes x, then y, then z [rad]"
    )

    def complaints(self) -> Iterator[Complaint]:
        """There is one rotation, and the quaternion has unit length."""
        if {"rpy", "quaternion"} <= self.model_fields_set:
            yield ("rpy",), "a pose has a quaternion or rpy, not both"
        norm = math.hypot(*self.quaternion)
        if abs(norm - 1.0) > 1e-3:
            yield ("quaternion",), f"a quaternion (w, x, y, z) must have length 1; this one has length {norm:.4g}"

    @property
    def wxyz(self) -> Quaternion:
        """Its unit quaternion (w, x, y, z), from whichever of the two was given: that of rpy is q_z q_y q_x."""
        if self.rpy is None:
            w, x, y, z = self.quaternion
        else:
            (cr, cp, cy), (sr, sp, sy) = ([f(0.5 * angle) for angle in self.rpy] for f in (math.cos, math.sin))
            w, x = cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy
            y, z = cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy
        norm = math.sqrt(w * w + x * x + y * y + z * z)
        return w / norm, x / norm, y / norm, z / norm
