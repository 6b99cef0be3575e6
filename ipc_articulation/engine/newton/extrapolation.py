"""Start of Newton's method: bodies continue their motion, where nothing is in the way.

Continuing with the affine velocity q̇ would stretch a rotating body, which the stiff shape energy prevents. Bodies
continue rigidly instead, with the twist (v, ω) in q̇: A is rotated by exp(dt [ω]), and the centre of mass of a free
body moves on a straight line, while a link, which rotates about its joints, follows its screw.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import cross, dot
from ipc_articulation.engine import islands
from ipc_articulation.engine.potential import Potential


def advance(potential: Potential, q: Array, motion: Array, moving: Bools) -> tuple[Array, Array | None]:
    """Move from q (n, 12) along a motion (n, 12); islands whose energy would rise, or that would touch, do not move.

    Args:
        potential: E, with `begin_step` done.
        q: Coordinates.
        motion: Their change.
        moving: Which bodies move, (n,).

    Returns:
        Coordinates (n, 12), and the energies of the bodies there (n,), None if they were not measured.
    """
    if not np.count_nonzero(motion):
        return q, None
    potential.place(q, moving)
    share, labels = potential.step_fractions(q, motion)
    stays = islands.anyone(labels, share < 1.0)  # all of an island: others may be in the way of what stays
    ahead = q + np.where(stays[:, None], 0.0, motion)
    return lower(labels, q, potential.body_energies(q), ahead, potential.body_energies(ahead))


@compiled
def lower(labels, q, E, ahead, E_ahead):
    """Coordinates and energies of `ahead` for islands whose energy is lower there, and of q for the others."""
    total, total_ahead = islands.total(labels, E), islands.total(labels, E_ahead)
    start, energies = q.copy(), E.copy()
    for b in range(len(q)):
        if total_ahead[b] < total[b]:
            energies[b] = E_ahead[b]
            for i in range(DOF):
                start[b, i] = ahead[b, i]
    return start, energies


@compiled
def rigid_motion(q, qdot, moving, center, is_link, dt):
    """Change of the coordinates in dt [s] from q (n, 12) with q̇ (n, 12); zero for bodies that are not moving.

    Args:
        q: Coordinates.
        qdot: Velocities.
        moving: Which bodies move, (n,).
        center: Centre of mass, in the body's frame, (n, 3) [m].
        is_link: Links of an articulation, (n,).
        dt: Time [s].
    """
    motion, R, V = np.zeros_like(q), np.empty((3, 3)), np.empty((3, 3))
    for b in range(len(q)):
        if moving[b] and np.any(qdot[b]):
            _continue(q[b], qdot[b], center[b], is_link[b], dt, R, V, motion[b])
    return motion


@compiled
def _continue(q, qdot, center, is_link, dt, R, V, motion):
    """Write the continued motion of one body from q (12,) in dt to motion (12,); R and V are scratch for `screw`."""
    wx, wy, wz = angular_velocity(q, qdot)
    x, y, z = dt * wx, dt * wy, dt * wz
    screw(x, y, z, R, V)
    for k in range(3):
        for m in range(3):
            i = 3 + 3 * k + m
            motion[i] = R[k, 0] * q[3 + m] + R[k, 1] * q[6 + m] + R[k, 2] * q[9 + m] - q[i]
    if is_link:
        u = dt * qdot[0] - (y * q[2] - z * q[1])
        v = dt * qdot[1] - (z * q[0] - x * q[2])
        w = dt * qdot[2] - (x * q[1] - y * q[0])
        for k in range(3):
            motion[k] = dot(R[k], q[:3]) + V[k, 0] * u + V[k, 1] * v + V[k, 2] * w - q[k]
    else:
        for k in range(3):
            row = slice(3 + 3 * k, 6 + 3 * k)  # of A
            motion[k] = dt * (qdot[k] + dot(qdot[row], center)) - dot(motion[row], center)


@compiled
def angular_velocity(q, qdot):
    """The ω of the spin W = Ȧ A⁻¹ (see `affine.twist_from_qdot`), three numbers."""
    C = np.empty((3, 3))  # the columns of A⁻¹, times det A
    for k in range(3):
        i, j = 3 + 3 * ((k + 1) % 3), 3 + 3 * ((k + 2) % 3)
        cross(q[i : i + 3], q[j : j + 3], C[k])
    scale = 0.5 / dot(q[3:6], C[0])
    return (
        scale * (dot(qdot[9:12], C[1]) - dot(qdot[6:9], C[2])),
        scale * (dot(qdot[3:6], C[2]) - dot(qdot[9:12], C[0])),
        scale * (dot(qdot[6:9], C[0]) - dot(qdot[3:6], C[1])),
    )


@compiled
def screw(x, y, z, R, V):
    """Write the rotation R = exp([φ]), φ = (x, y, z), and the matrix V = ∫₀¹ exp(s [φ]) ds of a screw motion."""
    angle = np.sqrt(x * x + y * y + z * z)
    if angle < 1e-4:
        a, b, c = 1.0 - angle**2 / 6.0, 0.5 - angle**2 / 24.0, 1.0 / 6.0 - angle**2 / 120.0
    else:
        a = np.sin(angle) / angle
        b = (1.0 - np.cos(angle)) / angle**2
        c = (1.0 - a) / angle**2
    _write_polynomial(a, b, x, y, z, R)
    _write_polynomial(b, c, x, y, z, V)


@compiled
def _write_polynomial(a, b, x, y, z, P):
    """Write P = 1 + a [φ] + b [φ]², with [φ]² = φφᵀ - |φ|²."""
    d = 1.0 - b * (x * x + y * y + z * z)
    P[0, 0], P[0, 1], P[0, 2] = d + b * x * x, b * x * y - a * z, b * x * z + a * y
    P[1, 0], P[1, 1], P[1, 2] = b * x * y + a * z, d + b * y * y, b * y * z - a * x
    P[2, 0], P[2, 1], P[2, 2] = b * x * z - a * y, b * y * z + a * x, d + b * z * z
