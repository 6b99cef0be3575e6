"""Tetrahedra of nearly one size that fill a closed surface («isosurface stuffing», F. Labelle, J. Shewchuk, 2007).

Points of a body-centred cubic lattice are inside or outside, by their distance φ from the surface (positive inside).
The surface cuts the edge from p to q at p + φ_p/(φ_p - φ_q) (q - p). A point with a cut very near moves there, and lies
on the surface then; tetrahedra that are still cut are clipped. So no element is much smaller than the lattice. Edges
and corners of the shape between lattice points are cut off.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.errors import MeshError
from ipc_articulation.meshing.boundary import edges, volumes
from ipc_articulation.meshing.clipping import clipped
from ipc_articulation.meshing.lattice import Lattice, lattice_around
from ipc_articulation.meshing.nearest_surface import nearest_triangles

_NEAR_LONG, _NEAR_SHORT = 0.24999, 0.41189  # fractions of an edge within which a cut moves its end (table 1)
_MOST = 4_000_000  # lattice points in the box around the surface
_LARGEST_LOSS = 0.25  # fraction of the volume that may be cut off


def filled(vertices: Array, faces: Ints, spacing: float) -> tuple[Array, Ints]:
    """Fill a closed surface.

    Args:
        vertices: Of the surface, (V, 3) [m].
        faces: Its triangles, counter-clockwise from outside, (F, 3).
        spacing: Length of the elements' edges, about [m].

    Returns:
        Vertices, (n, 3) [m], and tetrahedra of positive volume, (T, 4).

    Raises:
        MeshError: The spacing is too coarse for the shape, or so fine that there are millions of elements.
    """
    _refuse_too_fine(vertices, spacing)
    whole = float(np.linalg.det(vertices[faces] - vertices[faces].mean(axis=(0, 1))).sum()) / 6.0
    points, tetrahedra = _stuffed(lattice_around(vertices, faces, spacing), vertices, faces, spacing)
    got = float(volumes(points, tetrahedra).sum())
    if abs(got - whole) > _LARGEST_LOSS * whole:
        raise MeshError(
            f"elements of {spacing:g} m are too coarse for this shape: they fill {got:.3g} m³ of its {whole:.3g} m³; "
            "give a smaller resolution, at most half of its thinnest part"
        )
    return points, tetrahedra


def _refuse_too_fine(vertices: Array, spacing: float) -> None:
    size = np.ptp(vertices, axis=0)
    count = float(np.prod(size / spacing + 3.0))
    if count > _MOST:
        coarse = (float(np.prod(np.maximum(size, spacing))) / _MOST) ** (1.0 / 3.0)
        raise MeshError(
            f"elements of {spacing:g} m are too small for a shape of {' x '.join(f'{side:.3g}' for side in size)} m: "
            f"give a larger resolution, at least {coarse:.2g} m"
        )


def _stuffed(lattice: Lattice, vertices: Array, faces: Ints, spacing: float) -> tuple[Array, Ints]:
    points, is_inside = lattice.points.copy(), lattice.is_inside
    pairs = edges(lattice.tetrahedra)
    crossing = pairs[is_inside[pairs[:, 0]] != is_inside[pairs[:, 1]]]
    phi = _signed_distances(points, is_inside, np.unique(crossing), vertices, faces)
    inner = np.where(is_inside[crossing[:, 0]], crossing[:, 0], crossing[:, 1])
    outer = crossing.sum(axis=1) - inner
    fraction = phi[inner] / (phi[inner] - phi[outer])
    cut = points[inner] + fraction[:, None] * (points[outer] - points[inner])
    is_long = np.linalg.norm(points[outer] - points[inner], axis=1) > 0.93 * spacing
    near = np.where(is_long, _NEAR_LONG, _NEAR_SHORT)
    sides = np.where(is_inside, 1, -1)
    _warp(points, sides, (inner, outer), fraction, near, cut)
    keep = (sides[inner] == 1) & (sides[outer] == -1)
    inner, outer, cut = inner[keep], outer[keep], cut[keep]
    size = len(points)
    keys = inner * size + outer
    order = np.argsort(keys)

    def cuts(within: Ints, without: Ints) -> Ints:
        return size + order[np.searchsorted(keys[order], within * size + without)]

    return _tidy(np.concatenate([points, cut]), clipped(lattice.tetrahedra, sides, cuts))


def _signed_distances(points: Array, is_inside: Bools, wanted: Ints, vertices: Array, faces: Ints) -> Array:
    """φ of the wanted points, 0 elsewhere, (n,) [m]; at least a tiny distance, so that every cut is defined."""
    phi = np.zeros(len(points))
    distance, _ = nearest_triangles(points[wanted], vertices, faces)
    phi[wanted] = np.where(is_inside[wanted], 1.0, -1.0) * np.maximum(distance, 1e-12 * np.ptp(vertices))
    return phi


def _warp(points: Array, sides: Ints, ends: tuple[Ints, Ints], fraction: Array, near: Array, cut: Array) -> None:
    """Move points to the nearest cut that is very near, one after the other; a point that moved has no cuts."""
    edge = np.tile(np.arange(len(fraction)), 2)
    end, other = np.concatenate(ends), np.concatenate(ends[::-1])
    distance = np.concatenate([fraction, 1.0 - fraction])
    close = distance < near[edge]
    order = np.lexsort((distance[close], end[close]))
    for k in np.flatnonzero(close)[order]:
        if sides[end[k]] != 0 and sides[other[k]] != 0:
            points[end[k]], sides[end[k]] = cut[edge[k]], 0


def _tidy(points: Array, tetrahedra: Ints) -> tuple[Array, Ints]:
    """Used points only, and positive volumes."""
    v = volumes(points, tetrahedra)
    tetrahedra[v < 0.0] = tetrahedra[v < 0.0][:, [0, 2, 1, 3]]
    used, inverse = np.unique(tetrahedra, return_inverse=True)
    return points[used], inverse.reshape(-1, 4)
