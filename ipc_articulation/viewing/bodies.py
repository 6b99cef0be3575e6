"""Where bodies are: their vertices, the rigid parts of their poses, the space that they fill."""

from __future__ import annotations

from itertools import product

import numpy as np

from ipc_articulation import affine
from ipc_articulation.arrays import Array
from ipc_articulation.recording import Recording, Scenery, Surface
from ipc_articulation.spatial import quaternion_from_rotation
from ipc_articulation.viewing.moments import spread

LOOKS = 24  # moments at which the space that bodies fill is measured
_NOTHING = np.zeros((0, 0, 3))  # no soft bodies
_CORNERS = np.array(list(product([-1.0, 1.0], repeat=3)))  # of a cube


def placed(vertices: Array, poses: Array) -> Array:
    """World positions of vertices under each of many poses: (V, 3), (..., 4, 4) -> (..., V, 3) [m]."""
    return vertices @ np.swapaxes(poses[..., :3, :3], -1, -2) + poses[..., None, :3, 3]


def nearest_rigid(poses: Array) -> Array:
    """The rigid poses nearest to affine poses [A p; 0 1], A = R S (polar decomposition): (..., 4, 4).

    A body of an IPC scene is very nearly rigid, and few programs take a pose that is not.
    """
    return affine.transform_from_q(affine.nearest_rigid(affine.q_from_transform(poses)))


def rigid_parts(poses: Array) -> tuple[Array, Array]:
    """Positions p, (..., 3) [m], and unit quaternions (w, x, y, z) of R, (..., 4), w ≥ 0, of `nearest_rigid`."""
    return poses[..., :3, 3], quaternion_from_rotation(nearest_rigid(poses)[..., :3, :3])


def bounds(recording: Recording) -> tuple[Array, Array]:
    """Lowest and highest corner of the space that the bodies fill in the course of a recording, (3,) each [m].

    Without bodies it is a cube of 2 m about the origin.
    """
    rows = spread(recording.rows, LOOKS)
    return bounds_of(
        recording.scenery, recording.body_names, recording.body_poses[rows], recording.soft_positions[rows]
    )


def outline(recording: Recording) -> Array:
    """Points about all bodies in the course of a recording, (k, 3) [m]."""
    rows = spread(recording.rows, LOOKS)
    return outline_of(
        recording.scenery, recording.body_names, recording.body_poses[rows], recording.soft_positions[rows]
    )


def outline_of(scenery: Scenery, names: tuple[str, ...], poses: Array, soft: Array = _NOTHING) -> Array:
    """Corners of boxes about the bodies in their own frames, and about soft bodies, (k, 3) [m].

    Without bodies they are those of a cube of 2 m about the origin.

    Args:
        scenery: The bodies.
        names: Of the n that move.
        poses: Theirs, (rows, n, 4, 4).
        soft: Vertices of soft bodies, (rows, V, 3) [m].
    """
    boxes = [_box(surface, names, poses) for surface in scenery.surfaces]
    if soft.size:
        low, high = np.nanmin(soft, axis=1), np.nanmax(soft, axis=1)
        boxes.append((0.5 * (low + high)[:, None] + 0.5 * (high - low)[:, None] * _CORNERS).reshape(-1, 3))
    return np.concatenate(boxes) if boxes else _CORNERS.copy()


def _box(surface: Surface, names: tuple[str, ...], poses: Array) -> Array:
    motion = poses[:, names.index(surface.name)] if surface.name in names else surface.pose[None]
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    return placed(0.5 * (low + high) + 0.5 * (high - low) * _CORNERS, motion).reshape(-1, 3)


def bounds_of(scenery: Scenery, names: tuple[str, ...], poses: Array, soft: Array = _NOTHING) -> tuple[Array, Array]:
    """As `bounds`; arguments are those of `outline_of`."""
    corners = [np.array([[-1.0] * 3, [1.0] * 3])] if not scenery.surfaces and not soft.size else []
    if soft.size:
        corners.append(np.stack([np.nanmin(soft, axis=(0, 1)), np.nanmax(soft, axis=(0, 1))]))
    for surface in scenery.surfaces:
        motion = poses[:, names.index(surface.name)] if surface.name in names else surface.pose[None]
        points = placed(surface.points, motion).reshape(-1, 3)
        corners.append(np.stack([points.min(axis=0), points.max(axis=0)]))
    return np.min(corners, axis=(0, 1)), np.max(corners, axis=(0, 1))
