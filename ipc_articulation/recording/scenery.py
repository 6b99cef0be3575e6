"""The scenery of a recording: every body's surface, soft bodies, the half-planes, the upward direction, the camera."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.arrays import Array, Colour

Point = tuple[float, float, float]

Role = Literal["link", "free", "fixed"]


@dataclass(frozen=True)
class Visual:
    """A surface for display only."""

    vertices: Array  # (V, 3) [m] in the body's frame; in single precision on disk
    faces: NDArray[np.int32]  # (F, 3)
    colour: Colour | None = None  # None: chosen by the picture


@dataclass(frozen=True)
class Surface:
    """A body as pictures show it."""

    name: str
    role: Role  # moved by joints, by contact alone, or not at all
    vertices: Array  # (V, 3) [m] in the body's frame; none if the body has only visual surfaces
    faces: NDArray[np.int32]  # (F, 3)
    pose: Array  # (4, 4) at the start
    visual: tuple[Visual, ...] = ()

    @property
    def points(self) -> Array:
        """All vertices, for contact and for display, (k, 3) [m] in the body's frame."""
        return np.concatenate([self.vertices, *(visual.vertices for visual in self.visual)])


@dataclass(frozen=True)
class SoftShape:
    """A soft body, whose vertices move one by one."""

    name: str
    cells: NDArray[np.int32]  # (k, 4) tetrahedra, (k, 3) triangles or (k, 2) segments; both ends of a particle are one
    vertices: Array  # (V, 3) [m] at the start, in the world
    radius: float  # half the thickness of sheets, rods and particles [m]
    unstrained: Array | None = None  # (V, 3) [m] vertices at rest, in any frame; None: as at the start

    @property
    def rest(self) -> Array:
        """Vertices at rest, (V, 3) [m]; only their distances have a meaning."""
        return self.vertices if self.unstrained is None else self.unstrained


@dataclass(frozen=True)
class Camera:
    """A camera with a name, on a body or in the world (an empty name)."""

    name: str
    eye: Point  # in the frame of the body that it is on [m]
    target: Point  # where it looks, in the frame of the body `at` [m]
    on: str = ""
    at: str = ""
    turns: bool = True  # with the body that it is on; False: it only moves with it
    up: Point | None = None  # in the frame of the body that it is on; None: that of the scenery
    angle: float | None = None  # of the picture's height [degrees]; None: that of every picture


@dataclass(frozen=True)
class Scenery:
    """Everything that pictures show and that does not change in a run; world frame."""

    surfaces: tuple[Surface, ...]  # every body, also those that never move
    planes: tuple[tuple[Array, Array], ...]  # point (3,) [m] and normal (3,) of each half-plane
    up: Array  # (3,) unit vector
    eye: Point | None = None  # position of the camera [m]; None where it is chosen to show every body
    target: Point | None = None  # where it looks [m]
    soft: tuple[SoftShape, ...] = ()
    cameras: tuple[Camera, ...] = ()


NOTHING = Scenery((), (), np.array([0.0, 0.0, 1.0]))
