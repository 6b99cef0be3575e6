"""Writing the end of a step into MuJoCo's positions and velocities, in compiled loops."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from ipc_articulation.arrays import Ints
from ipc_articulation.compiled import compiled

_exactly = compiled(error_model="numpy")


def free_addresses(model: mujoco.MjModel, bodies: tuple[int, ...]) -> Ints:
    """First addresses of f free bodies in qpos and in qvel, (f, 2)."""
    joints = model.body_jntadr[list(bodies)]
    return np.stack([model.jnt_qposadr[joints], model.jnt_dofadr[joints]], axis=1).astype(np.int64)


@_exactly
def put_joints(at_qpos, dofs, moved, gain, qpos, qvel):
    """Set the positions of joints, and add to their velocities.

    Args:
        at_qpos: Addresses of the joints' positions, (P,).
        dofs: Addresses of their velocities, (F,).
        moved: Positions after the step, (nq,).
        gain: What the velocities gain, (F,).
        qpos: (nq,), changed.
        qvel: (nv,), changed.
    """
    for address in at_qpos:
        qpos[address] = moved[address]
    for i in range(len(dofs)):
        qvel[dofs[i]] += gain[i]


@_exactly
def put_free(addresses, poses, rates, qpos, qvel):
    """Set positions and velocities of free bodies: ṗ in the world, and ω = Rᵀ ω_world with ω_world~ = Ṙ Rᵀ.

    Args:
        addresses: Of the bodies, (f, 2), see `free_addresses`.
        poses: Their rigid poses, the first ones of (f', 4, 4).
        rates: The poses' rates, (f', 4, 4).
        qpos: (nq,), changed.
        qvel: (nv,), changed.
    """
    for i in range(len(addresses)):
        q, v = addresses[i]
        R, W = poses[i, :3, :3], np.zeros((3, 3))
        for r in range(3):
            qpos[q + r], qvel[v + r] = poses[i, r, 3], rates[i, r, 3]
            for c in range(3):
                for k in range(3):
                    W[r, c] += rates[i, r, k] * R[c, k]
        omega = 0.5 * (W[2, 1] - W[1, 2]), 0.5 * (W[0, 2] - W[2, 0]), 0.5 * (W[1, 0] - W[0, 1])
        for c in range(3):
            qvel[v + 3 + c] = R[0, c] * omega[0] + R[1, c] * omega[1] + R[2, c] * omega[2]
        qpos[q + 3 : q + 7] = _quaternion(R)


@_exactly
def _quaternion(R):
    """The unit quaternion of a rotation, from its largest component, as MuJoCo's `mju_mat2Quat`."""
    q = np.empty(4)
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    if trace > 0.0:
        q[0] = 0.5 * math.sqrt(1.0 + trace)
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            q[1 + i] = 0.25 * (R[k, j] - R[j, k]) / q[0]
    else:
        i = 0 if R[0, 0] > R[1, 1] and R[0, 0] > R[2, 2] else (1 if R[1, 1] > R[2, 2] else 2)
        j, k = (i + 1) % 3, (i + 2) % 3
        q[1 + i] = largest = 0.5 * math.sqrt(1.0 + R[i, i] - R[j, j] - R[k, k])
        q[0] = 0.25 * (R[k, j] - R[j, k]) / largest
        q[1 + j] = 0.25 * (R[i, j] + R[j, i]) / largest
        q[1 + k] = 0.25 * (R[i, k] + R[k, i]) / largest
    return q / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
