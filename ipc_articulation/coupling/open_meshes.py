"""Open and non-manifold surfaces made closed: cut, turned, filled, or replaced by convex hulls part by part."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import numpy as np
import trimesh
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import QhullError

from ipc_articulation.arrays import Array

Indices = NDArray[np.int64]

WHOLE_HULL = "replaced by its convex hull"  # the description of that change

_SMALL = 0.05  # area that may be added or left out, relative to that of the surface
_SAME = 1e-6  # distance of vertices that count as equal, relative to the size: rounding in files
_HULL = "hull"  # the mark of hulls
_POINT = 1e-12  # [m], size of a mesh that counts as a point
_MANY = 100  # parts whose hulls are no simpler than the hull of them all


def close(mesh: trimesh.Trimesh) -> tuple[trimesh.Trimesh, str] | None:
    """A closed surface from an open one, and a description of the changes; None if it encloses no volume.

    1. Equal vertices are merged; triangles with equal corners, and repeated triangles, are removed.
    2. The surface is cut along edges of more than two triangles, so that each piece has edges of its own there
       (Guéziec et al. 1998, «Converting sets of polygons to manifold surfaces by cutting and stitching»).
    3. Triangles are turned so that neighbours look to the same side.
    4. Holes are filled if that adds at most 5 % to the area of the part that they are in.
    5. Parts that are still open are replaced by their convex hulls.

    The result is the hull of the whole surface if more than 5 % of the area is in flat parts, which have no hull, or
    if there are too many open parts.
    """
    if not np.linalg.norm(np.ptp(mesh.vertices, axis=0)) > _POINT:
        return None
    clean = _clean(mesh)
    changed = _cut(clean)
    is_cut = len(changed.vertices) > len(clean.vertices)
    removed = len(mesh.faces) - len(changed.faces)
    changed, turned = _wind(changed)
    changed, filled = _fill(changed)
    parts = list(_closed_parts(changed))
    kept = [part for part, _ in parts if part is not None]
    flat = sum(area for part, area in parts if part is None)
    hulls = sum(_is_hull(part) for part in kept)
    if not kept or flat > _SMALL * mesh.area or hulls > _MANY or hulls == len(parts) == 1:
        whole = hull(mesh)
        return None if whole is None else (whole, WHOLE_HULL)
    notes = {
        "triangles removed": removed,
        "triangles turned": turned,
        "holes filled": filled,
        f"of {len(parts)} parts replaced by convex hulls": hulls,
        "flat parts left out": len(parts) - len(kept),
    }
    said = ", ".join(_counted(number, what) for what, number in notes.items() if number)
    return trimesh.util.concatenate(kept), said or (
        "cut along edges of more than two triangles" if is_cut else "equal vertices merged"
    )


def _counted(number: int, what: str) -> str:
    return f"{number} {what.replace('s ', ' ', 1) if number == 1 and not what.startswith('of') else what}"


def hull(mesh: trimesh.Trimesh) -> trimesh.Trimesh | None:
    """The convex hull; None if it is flat."""
    if np.linalg.matrix_rank(mesh.vertices - mesh.vertices[0], tol=1e-9 * mesh.scale) < 3:
        return None
    with contextlib.suppress(QhullError):  # nearly flat
        found = mesh.convex_hull
        found.metadata[_HULL] = True
        return found
    return None


def _clean(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    """The mesh without equal vertices, and without repeated triangles and triangles with equal corners."""
    merged = _mesh(mesh.vertices, mesh.faces)
    merged.merge_vertices(digits_vertex=round(-np.log10(_SAME * mesh.scale)))
    corners = np.sort(merged.faces, axis=1)
    keep = (corners[:, 0] != corners[:, 1]) & (corners[:, 1] != corners[:, 2])
    _, first = np.unique(corners, axis=0, return_index=True)
    return _mesh(merged.vertices, merged.faces[np.intersect1d(first, np.flatnonzero(keep))])


def _cut(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    """Corners of triangles are one vertex if edges of exactly two triangles join them."""
    faces = np.asarray(mesh.faces)
    pairs, edges = mesh.face_adjacency, mesh.face_adjacency_edges
    links = [
        3 * pairs + np.argmax(faces[pairs] == edges[:, [end], None], axis=2)  # (A, 2) corners at one end of the edge
        for end in (0, 1)
    ]
    corners = _components(np.concatenate(links), 3 * len(faces))
    vertices = np.empty((corners.max(initial=-1) + 1, 3))
    vertices[corners] = mesh.vertices[faces.ravel()]
    return _mesh(vertices, corners.reshape(-1, 3))


def _wind(mesh: trimesh.Trimesh) -> tuple[trimesh.Trimesh, int]:
    """Turn triangles so that neighbours look to the same side; how many were turned.

    Each triangle counts twice, as it is and turned. Two neighbours are joined as they are if they run along their
    common edge in opposite directions, else one with the other turned: the components are the oriented surfaces.
    """
    if mesh.is_winding_consistent or not len(mesh.faces):
        return mesh, 0
    count, pairs = len(mesh.faces), mesh.face_adjacency
    forward = _runs_along(mesh.faces[pairs[:, 0]], mesh.face_adjacency_edges)
    alike = forward != _runs_along(mesh.faces[pairs[:, 1]], mesh.face_adjacency_edges)
    other = np.where(alike, pairs[:, 1], pairs[:, 1] + count)
    other_turned = np.where(alike, pairs[:, 1] + count, pairs[:, 1])
    links = np.stack([np.concatenate([pairs[:, 0], pairs[:, 0] + count]), np.concatenate([other, other_turned])], 1)
    side = _components(links, 2 * count)
    turned = side[:count] > side[count:]
    faces = np.where(turned[:, None], mesh.faces[:, ::-1], mesh.faces)
    part = _components(pairs, count)
    volumes = np.bincount(part, np.linalg.det(mesh.vertices[faces] - mesh.centroid))
    inward = (volumes < 0.0) & (np.bincount(part, turned) > 0)
    turned ^= inward[part]
    return _mesh(mesh.vertices, np.where(turned[:, None], mesh.faces[:, ::-1], mesh.faces)), int(turned.sum())


def _runs_along(faces: Indices, edges: Indices) -> NDArray[np.bool_]:
    """Whether triangles (A, 3) have their edges (A, 2) in the direction from the first to the second vertex."""
    place = np.argmax(faces == edges[:, :1], axis=1)
    return faces[np.arange(len(faces)), (place + 1) % 3] == edges[:, 1]


def _fill(mesh: trimesh.Trimesh) -> tuple[trimesh.Trimesh, int]:
    """Close small holes by triangles around their centres; how many were closed.

    After `_cut`, an edge of one triangle belongs to one hole, and a vertex to one hole at most.
    """
    edges, owners = _boundary(mesh)
    if not len(edges):
        return mesh, 0
    part = _components(mesh.face_adjacency, len(mesh.faces))
    area = np.bincount(part, mesh.area_faces)
    _, hole = np.unique(_components(edges, len(mesh.vertices))[edges[:, 0]], return_inverse=True)
    centres = np.stack([np.bincount(hole, x) for x in mesh.vertices[edges[:, 0]].T], 1) / np.bincount(hole)[:, None]
    to_centre = mesh.vertices[edges] - centres[hole][:, None]
    areas = 0.5 * np.linalg.norm(np.cross(to_centre[:, 0], to_centre[:, 1]), axis=1)
    added = np.bincount(part[owners], areas, minlength=len(area))
    chosen = (added <= _SMALL * area)[part[owners]]
    fans = np.column_stack([edges[chosen, ::-1], len(mesh.vertices) + hole[chosen]])
    filled = _mesh(np.concatenate([mesh.vertices, centres]), np.concatenate([mesh.faces, fans]))
    return filled, len(np.unique(hole[chosen]))


def _closed_parts(mesh: trimesh.Trimesh) -> Iterator[tuple[trimesh.Trimesh | None, float]]:
    """Each part of a mesh, or its convex hull if it is open; None if it is flat; and the part's area."""
    labels = _components(mesh.face_adjacency, len(mesh.faces))
    order = np.argsort(labels, kind="stable")
    for faces in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1) if len(order) else []:
        used, corners = np.unique(mesh.faces[faces], return_inverse=True)
        part = _mesh(mesh.vertices[used], corners.reshape(-1, 3))
        closed = part.is_watertight and part.is_winding_consistent
        yield part if closed else hull(part), float(part.area)


def _is_hull(mesh: trimesh.Trimesh) -> bool:
    return _HULL in mesh.metadata


def _boundary(mesh: trimesh.Trimesh) -> tuple[Indices, Indices]:
    """The edges of one triangle, (E, 2), in its direction, and the triangle."""
    alone = trimesh.grouping.group_rows(mesh.edges_sorted, require_count=1)
    return mesh.edges[alone], mesh.edges_face[alone]


def _components(links: Indices, count: int) -> Indices:
    """Labels of the connected components of a graph of some nodes with links (L, 2)."""
    ones = np.ones(len(links), bool)
    return connected_components(coo_array((ones, (links[:, 0], links[:, 1])), (count, count)), directed=False)[1]


def _mesh(vertices: Array, faces: Indices) -> trimesh.Trimesh:
    """A mesh of exactly these vertices and triangles."""
    return trimesh.Trimesh(vertices, faces, process=False, validate=False)
