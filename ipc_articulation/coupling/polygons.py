"""Polygons of mesh files cut into triangles, concave ones too."""

from __future__ import annotations

import re

import numpy as np
import shapely

from ipc_articulation.arrays import Array, Ints

_FLAT = 1e-9  # twice a triangle's area that counts as none, relative to the square of a polygon's size
_NEEDS_CUTTING = re.compile(r"^\s*f(?:[ \t]+[^\s#]+){4}|^\s*f.*(?:[ \t/]-|[ \t]0|#)", re.MULTILINE)


def cut(polygons: Array) -> Ints:
    """Places of the corners of triangles, (k, n - 2, 3), in polygons of n corners, (k, n, 3).

    Convex ones are fans around their first corner, the others constrained Delaunay triangulations.
    """
    edges = np.roll(polygons, -1, axis=1) - polygons
    turns = np.cross(np.roll(edges, 1, axis=1), edges)
    from_first = polygons - polygons[:, :1]
    normals = np.cross(from_first, np.roll(from_first, -1, axis=1)).sum(axis=1)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), np.finfo(float).tiny)
    sizes = np.ptp(polygons, axis=1).max(axis=1)
    count = polygons.shape[1]
    fan = np.stack([np.zeros(count - 2, int), np.arange(1, count - 1), np.arange(2, count)], axis=1)
    triangles = np.tile(fan, (len(polygons), 1, 1))
    turn = np.einsum("kni,ki->kn", turns, normals).min(axis=1)
    for k in np.flatnonzero(turn <= _FLAT * sizes**2):
        triangles[k] = _delaunay(polygons[k], normals[k], fan)
    return triangles


def _delaunay(corners: Array, normal: Array, fan: Ints) -> Ints:
    """Triangles of one polygon; a fan if it crosses itself."""
    flat = np.delete(corners, np.argmax(np.abs(normal)), axis=1)
    try:
        found = shapely.constrained_delaunay_triangles(shapely.Polygon(flat))
    except shapely.errors.GEOSException:
        return fan
    places = {tuple(corner): k for k, corner in enumerate(flat.tolist())}
    rings = shapely.get_coordinates(found).reshape(-1, 4, 2)[:, :3].tolist()
    if len(rings) != len(fan):
        return fan
    triangles = np.array([[places[tuple(corner)] for corner in ring] for ring in rings])
    return triangles[:, ::-1] if shapely.LinearRing(flat).is_ccw else triangles


def obj_of_off(text: str) -> str:
    """The text of an OFF file as that of an OBJ file.

    Raises:
        ValueError: It is none.
    """
    head, *rows = [row for line in text.splitlines() if (row := line.partition("#")[0].split())] or [[""]]
    if not head[0].upper().endswith("OFF"):
        raise ValueError("it does not begin with OFF")
    counts, *rows = [head[1:], *rows] if head[1:] else rows
    vertices, faces = (int(count) for count in counts[:2])
    corners = [[int(k) for k in row[1 : 1 + int(row[0])]] for row in rows[vertices : vertices + faces]]
    if len(corners) < faces or any(not 0 <= k < vertices for face in corners for k in face):
        raise ValueError(f"it does not have {vertices} vertices and {faces} faces of these")
    lines = ["v " + " ".join(row[:3]) for row in rows[:vertices]]
    return "\n".join(lines + ["f " + " ".join(str(k + 1) for k in face) for face in corners])


def obj_of_triangles(text: str) -> str:
    """The text of an OBJ file with its polygons cut into triangles, and indices that count from the first.

    Raises:
        ValueError: A face has a vertex that is not there.
    """
    text = text.replace("\\\n", " ")
    if not _NEEDS_CUTTING.search(text):
        return text
    lines, counts = text.splitlines(), {"v": 0, "vt": 0, "vn": 0}
    points: list[str] = []  # all in one list: Python's collector would look at many of them again and again
    faces: dict[int, tuple[list[int], list[str]]] = {}  # by the number of corners: lines, and corners of all
    for number, line in enumerate(lines):
        word, *rest = line.partition("#")[0].split() or [""]
        if word in counts:
            counts[word] += 1
        if word == "v":
            points += rest[:3]
        elif word == "f" and rest:
            corners = [_absolute(corner, counts) for corner in rest] if "-" in line else rest
            lines[number] = "f " + " ".join(corners)
            numbers, of_all = faces.setdefault(len(corners), ([], []))
            numbers.append(number)
            of_all += corners
    places = np.array(points, dtype=float).reshape(-1, 3)
    for count, (numbers, of_all) in faces.items():
        named = np.array(of_all, dtype=object).reshape(-1, count)
        at = np.array([int(corner.partition("/")[0]) - 1 for corner in of_all]).reshape(named.shape)
        for face, k in np.argwhere((at < 0) | (at >= len(places))):
            raise ValueError(f"line {numbers[face] + 1} has vertex {at[face, k] + 1}, of {len(places)}")
        if count > 3:
            triangles = named[np.arange(len(named))[:, None, None], cut(places[at])].reshape(len(named), -1)
            form = "\n".join(["f %s %s %s"] * (count - 2))
            for number, corners in zip(numbers, triangles.tolist(), strict=True):
                lines[number] = form % tuple(corners)
    return "\n".join(lines)


def _absolute(corner: str, counts: dict[str, int]) -> str:
    """A corner v/vt/vn whose negative indices, which count back from the last so far, are made positive."""
    pairs = zip(corner.split("/"), counts.values(), strict=False)
    return "/".join(str(int(i) + n + 1) if i.startswith("-") else i for i, n in pairs)
