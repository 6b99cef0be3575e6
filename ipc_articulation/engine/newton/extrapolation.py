"""Start of Newton's method: bodies repeat the motion of the last step, where nothing is in the way.

Continuing with the affine velocity q̇ would stretch a rotating body, which the stiff shape energy prevents, and part
joints. So the rigid motion D_b, x → R x + t, that has led a body from q - dt q̇ to q is repeated. The twist (ω, u) of
dt q̇ about the middle of both is free of strain, and Cayley's map of it is that motion:

    R = (1 - ½[ω])⁻¹ (1 + ½[ω]) = 1 + ([ω] + ½[ω]²)/(1 + ¼|ω|²),     t = (1 - ½[ω])⁻¹ u = ½ (1 + R) u.

Of a free body the centre of mass goes straight instead. Bodies on a tree of joints repeat their motion relative to
their parents, D_b D_parent⁻¹, with which every joint whose motions are a group (revolute, prismatic, helical,
cylindrical, spherical or planar) stays as it is:

    G_root = D_root,     G_b = G_parent D_b D_parent⁻¹.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import dot
from ipc_articulation.engine.newton.turning import write_polynomial, write_twist


@compiled
def rigid_motion(q, qdot, moving, center, is_link, order, parent, dt):
    """Change of the coordinates in dt [s] from q (n, 12) with q̇ (n, 12); zero for bodies that are not moving.

    Args:
        q: Coordinates.
        qdot: Velocities.
        moving: Which bodies move, (n,).
        center: Centre of mass, in the body's frame, (n, 3) [m].
        is_link: Links of an articulation, (n,).
        order: This and the next one are of `joint_tree`.
        parent: (n,).
        dt: Time [s].
    """
    n = len(q)
    motion, step, twist = np.zeros_like(q), dt * qdot, np.empty(6)
    middle, R, G = q - 0.5 * step, np.zeros((n, 3, 3)), np.zeros((n, 3, 3))
    t, s = np.zeros((n, 3)), np.zeros((n, 3))
    for b in order:
        for k in range(3):
            R[b, k, k] = G[b, k, k] = 1.0
        if not (moving[b] and np.any(step[b])):
            continue
        write_twist(middle[b], step[b], twist)
        if not np.isfinite(dot(twist, twist)):  # almost half a turn: the middle of both is singular
            continue
        _write_last(twist, R[b], t[b])
        if parent[b] >= 0:
            _carry(R[b], t[b], R[parent[b]], t[parent[b]], G[parent[b]], s[parent[b]], G[b], s[b])
        elif is_link[b]:
            G[b], s[b] = R[b], t[b]
        else:
            _straighten(q[b], step[b], center[b], R[b], G[b], s[b])
        _write_motion(q[b], G[b], s[b], motion[b])
    return motion


@compiled
def _write_last(twist, R, t):
    """Write D = (R, t) of the last step, whose twist about the middle is (ω, u)."""
    x, y, z, u = twist[0], twist[1], twist[2], twist[3:]
    square = 1.0 + 0.25 * (x * x + y * y + z * z)
    write_polynomial(1.0 / square, 0.5 / square, x, y, z, R)
    for k in range(3):
        t[k] = 0.5 * (u[k] + dot(R[k], u))


@compiled
def _carry(R, t, R_parent, t_parent, G_parent, s_parent, G, s):
    """Write (G, s) = G_parent D D_parent⁻¹."""
    relative, moved = np.empty((3, 3)), np.empty(3)
    for k in range(3):
        for m in range(3):
            relative[k, m] = dot(R[k], R_parent[m])
        moved[k] = t[k] - dot(relative[k], t_parent)
    for k in range(3):
        for m in range(3):
            G[k, m] = (
                G_parent[k, 0] * relative[0, m] + G_parent[k, 1] * relative[1, m] + G_parent[k, 2] * relative[2, m]
            )
        s[k] = s_parent[k] + dot(G_parent[k], moved)


@compiled
def _straighten(q, step, center, R, G, s):
    """Write (G, s) = R about the centre of mass of a body, which goes as straight as its step (12,)."""
    c = np.empty(3)
    for k in range(3):
        c[k] = q[k] + dot(q[3 + 3 * k : 6 + 3 * k], center)
    for k in range(3):
        s[k] = c[k] + step[k] + dot(step[3 + 3 * k : 6 + 3 * k], center) - dot(R[k], c)
    G[:] = R


@compiled
def _write_motion(q, G, s, motion):
    """Write by how much x → G x + s changes q (12,)."""
    for k in range(3):
        motion[k] = dot(G[k], q[:3]) + s[k] - q[k]
        for m in range(3):
            i = 3 + 3 * k + m
            motion[i] = G[k, 0] * q[3 + m] + G[k, 1] * q[6 + m] + G[k, 2] * q[9 + m] - q[i]
