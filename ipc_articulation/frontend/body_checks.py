"""Checks of affine bodies: values with which no step is possible are refused."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ipc_articulation import affine
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.errors import SceneError

_STRAIN = 0.01  # of its size, to which no load strains a body that is to be rigid
_ROUNDING = 1e-9  # of the second moment: a negative eigenvalue that is accepted; of size², an area that is none


def check_mass(m: float, first_moment: Array, second_moment: Array, owner: str) -> None:
    """Refuse a dyadic mass (m, s, S) that no body can have; thin rods and point masses are bodies.

    Raises:
        SceneError: m is not positive, something is not finite, or S - s sᵀ/m has a negative eigenvalue.
    """
    if not (np.isfinite(m) and np.isfinite(first_moment).all() and np.isfinite(second_moment).all()):
        raise SceneError(f"{owner} has a mass that is not finite; are its density and its vertices?")
    if m <= 0.0:
        raise SceneError(f"{owner} has mass {m:g} kg; density and volume must be positive")
    smallest = np.linalg.eigvalsh(second_moment - np.outer(first_moment, first_moment) / m)[0]
    if smallest < -_ROUNDING * np.trace(second_moment):
        raise SceneError(
            f"{owner} has an impossible inertia: its second moment about the centre of mass has the eigenvalue "
            f"{smallest:g} kg·m²; no principal inertia may exceed the sum of the other two, and a surface from which "
            "it was computed must be closed and oriented outwards"
        )


def check_columns(columns: Mapping[str, Any], owner: str) -> None:
    """Refuse coordinates, velocities and stiffnesses (see `BodyTable`) of a geometry's bodies.

    Raises:
        SceneError: A value is not finite, a kappa is negative, a volume not positive, or a transform is a reflection.
    """
    names = columns["names"]
    for key, what in {"q": "transform", "qdot": "velocity", "kappa": "kappa", "volume": "volume"}.items():
        finite = np.isfinite(columns[key]).reshape(len(names), -1).all(axis=1)
        _refuse(~finite, names, owner, f"has a {what} that is not finite")
    _refuse(columns["kappa"] < 0.0, names, owner, "has a negative kappa; a stiffness is 0 Pa or more")
    _refuse(columns["volume"] <= 0.0, names, owner, "has a volume that is not positive")
    mirrored = np.linalg.det(affine.linear_part(columns["q"])) <= 0.0
    _refuse(mirrored, names, owner, "has a transform that mirrors or flattens it; its determinant must be positive")


def check_orientation(points: Array, faces: Ints, volume: float, owner: str) -> None:
    """Refuse a volume that was computed from a surface on which neighbouring faces do not have the same side outwards.

    Args:
        points: Vertices, (V, 3) [m].
        faces: All triangles of the geometry, (F, 3).
        volume: That of the geometry [m³]; where somebody has given it, the surface may be any.
        owner: The name of the geometry in messages.

    Raises:
        SceneError: An edge of that surface does not have as many triangles in one direction as in the other, and what
            such edges enclose has an area: an edge beside two shorter ones has none.
    """
    corners = points[faces]
    signed = np.einsum("fi,fi->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    if len(faces) == 0 or not np.isclose(signed, volume, rtol=1e-9, atol=0.0):
        return
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    own, which = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True)
    turns = np.bincount(which.ravel(), np.where(edges[:, 0] < edges[:, 1], 1.0, -1.0), minlength=len(own))
    loose = own[turns != 0.0]
    wrong = _encloses(points - points.mean(axis=0), loose, turns[turns != 0.0])
    if wrong.any():
        a, b = loose[int(np.argmax(wrong))].tolist()
        raise SceneError(
            f"{owner} has faces that are oriented differently at its edge between the vertices {a} and {b}, so that "
            f"its volume of {volume:g} m³ and its mass are wrong; all faces must be counter-clockwise as seen from "
            "outside (trimesh.repair.fix_normals orients them)"
        )


def _encloses(x: Array, edges: Ints, turns: Array) -> Bools:
    """Which edges (e, 2) are on loops of edges that enclose an area, ½ Σ t xₐ × x_b for t turns (e,) from a to b."""
    if not len(edges):
        return np.zeros(0, dtype=np.bool_)
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    a, b = edges.T
    loop = connected_components(coo_array((np.ones(len(edges)), (a, b)), shape=(len(x), len(x))))[1][a]
    pieces = 0.5 * turns[:, None] * np.cross(x[a], x[b])
    area = np.linalg.norm([np.bincount(loop, column) for column in pieces.T], axis=0)
    return area[loop] > _ROUNDING * np.abs(x).max() ** 2


def scaled(bodies: Any, known: Container[tuple[int, int]]) -> Iterator[str]:
    """A warning for each movable body of a table whose transform scales or shears it, except those that are known."""
    A = affine.linear_part(bodies.q[: len(bodies.rows)])
    stretch = np.abs(np.linalg.svd(A, compute_uv=False) - 1.0).max(axis=1, initial=0.0)
    for key, row in bodies.rows.items():
        if stretch[row] > _STRAIN and not bodies.is_fixed[row] and key not in known:
            yield (
                f"'{bodies.names[row]}' starts with a transform that scales or shears it by {stretch[row]:.2g}, which "
                "is a strain: within a step it has the size of its mesh; scale the vertices in place of the transform"
            )


def _refuse(bad: Bools, names: Sequence[str], owner: str, why: str) -> None:
    if bad.any():
        raise SceneError(f"body '{names[int(np.argmax(bad))]}' ({owner}) {why}")
