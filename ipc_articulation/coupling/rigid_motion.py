"""What multibody engines get of the motion of their free bodies, which IPC lets deform a little."""

from __future__ import annotations

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array
from ipc_articulation.compiled import compiled


def rigid_motion(q: Array, qdot: Array) -> tuple[Array, Array]:
    """The nearest rigid poses (see `affine.nearest_rigid`) of coordinates (..., 12), and the rates of transforms.

    Returns:
        (..., 4, 4) each.
    """
    poses, rates = np.zeros((2, *q.shape[:-1], 4, 4))
    _put(q.reshape(-1, DOF), qdot.reshape(-1, DOF), poses.reshape(-1, 4, 4), rates.reshape(-1, 4, 4))
    return poses, rates


@compiled
def _put(q, qdot, poses, rates):
    for k in range(len(q)):
        U, _, Vt = np.linalg.svd(q[k, 3:].copy().reshape(3, 3))
        U, Vt = np.ascontiguousarray(U), np.ascontiguousarray(Vt)
        U[:, 2] *= np.linalg.det(U @ Vt)
        poses[k, :3, :3], rates[k, :3, :3] = U @ Vt, qdot[k, 3:].copy().reshape(3, 3)
        poses[k, :3, 3], rates[k, :3, 3], poses[k, 3, 3] = q[k, :3], qdot[k, :3], 1.0
