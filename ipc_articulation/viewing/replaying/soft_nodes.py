"""Soft bodies in a viser scene: one mesh in one colour, or one for each of a few colours of strain.

viser's meshes that can move have one colour each. So where strain is shown, the triangles of a surface are sorted into
bands of strain, and each band is a mesh of its own, which gets its triangles anew at each moment.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.viewing.palette import rgb
from ipc_articulation.viewing.soft_strain import StrainScale
from ipc_articulation.viewing.soft_surfaces import SoftSurface
from ipc_articulation.viewing.strain_colours import strain_colours

BANDS = 16  # of strain

Points = NDArray[np.float32]  # (V, 3) [m], as viser sends them


class SoftNode:
    """The nodes of one soft body.

    Args:
        scene: A `viser.SceneApi`.
        surface: What is drawn.

    Attributes:
        surface: What is drawn.
        plain: The mesh in one colour.
    """

    def __init__(self, scene: Any, surface: SoftSurface) -> None:
        self.surface, self._scene = surface, scene
        self._node = f"/soft/{quote(surface.shape.name, safe=' ')}"
        points = surface.vertices(surface.shape.vertices).astype(np.float32)
        self.plain = self._add("plain", points, surface.faces, rgb(surface.colour))
        self._bands: list[Any] = []
        self._opacity: float | None = None

    def place(self, positions: Array, strain: Array | None = None, scale: StrainScale | None = None) -> None:
        """Move the body's vertices (V, 3) [m]; with their strain (V,) and its scale, show that."""
        points = self.surface.vertices(positions).astype(np.float32)
        is_plain = strain is None or scale is None
        self.plain.visible = is_plain
        for handle in self._bands if is_plain else ():
            handle.visible = False
        if strain is None or scale is None:
            self.plain.vertices = points
            return
        if not self._bands:
            self._add_bands(points, scale)
        of_faces = strain[self.surface.sources][self.surface.faces].mean(axis=1)
        band = np.clip(BANDS * of_faces / scale.largest, 0, BANDS - 1).astype(np.int64)
        for k, handle in enumerate(self._bands):
            faces = self.surface.faces[band == k]
            handle.visible = bool(len(faces))
            if len(faces):
                handle.vertices, handle.faces = _of(points, faces)

    def see_through(self, opacity: float | None) -> None:
        """Make it as opaque as this; None: completely."""
        self._opacity = opacity
        for handle in (self.plain, *self._bands):
            handle.opacity = opacity

    def remove(self) -> None:
        """Remove the nodes."""
        for handle in (self.plain, *self._bands):
            handle.remove()

    def _add_bands(self, points: Points, scale: StrainScale) -> None:
        middles = (np.arange(BANDS) + 0.5) * scale.largest / BANDS
        for k, colour in enumerate(strain_colours(middles, scale).tolist()):
            self._bands.append(self._add(f"strain {k}", points, self.surface.faces[:1], tuple(colour)))
        self.see_through(self._opacity)

    def _add(self, name: str, points: Points, faces: Ints, colour: tuple[int, ...]) -> Any:
        side = "double" if self.surface.is_sheet else "front"
        return self._scene.add_mesh_simple(f"{self._node}/{name}", points, faces, color=colour, side=side)


def _of(points: Points, faces: Ints) -> tuple[Points, NDArray[np.uint32]]:
    """The vertices that some faces have, and the faces of these."""
    used, inverse = np.unique(faces, return_inverse=True)
    return points[used], inverse.reshape(-1, 3).astype(np.uint32)
