"""Newton steps that turn bodies, on circles instead of straight lines.

A body turns on a circle, a Newton step goes straight: it stretches a body that turns by φ by φ²/2, and parts its
joints. The stiff energies that hold them make a narrow, curved valley of E, of which a line search takes only small
parts of each straight step. To first order a step moves body b with the spatial twist ξ_b = (ω, u) and strains it by
the rest. Along the tree of joints, from its root to the body, the twists relative to the parent make the rigid motion

    G_b = exp(ξ_root) … exp(ξ_parent - ξ_grandparent) exp(ξ_b - ξ_parent),

the product of exponentials of the joints' motions (Lynch, Park 2017, «Modern robotics», section 4.1): every joint whose
motions are a group, revolute, prismatic, helical, cylindrical, spherical or planar, is kept exactly.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import cross, dot


@compiled
def on_circles(q, step, order, parent):
    """The step (n, 12) from q (n, 12) with its rotations on circles; `order` and `parent` are of `joint_tree`."""
    after, n = step.copy(), len(q)
    twists, G, t = np.empty((n, 6)), np.empty((n, 3, 3)), np.empty((n, 3))
    for b in order:
        write_twist(q[b], step[b], twists[b])
        _move(twists, b, parent[b], G, t)
        _bend(q[b], twists[b], G[b], t[b], after[b])
    return after


@compiled
def write_twist(q, step, twist):
    """Write the spatial twist (ω, u) of a body's step."""
    x, y, z = _angular_velocity(q, step)
    twist[0], twist[1], twist[2] = x, y, z
    twist[3] = step[0] - (y * q[2] - z * q[1])
    twist[4] = step[1] - (z * q[0] - x * q[2])
    twist[5] = step[2] - (x * q[1] - y * q[0])


@compiled
def _move(twists, b, parent, G, t):
    """Write the rigid motion x → G x + t of body b, whose parent has its own."""
    R, V, relative = np.empty((3, 3)), np.empty((3, 3)), twists[b].copy()
    if parent >= 0:
        relative -= twists[parent]
    _screw(relative[0], relative[1], relative[2], R, V)
    for k in range(3):
        t[b, k] = V[k, 0] * relative[3] + V[k, 1] * relative[4] + V[k, 2] * relative[5]
    if parent < 0:
        G[b] = R
        return
    V[0] = t[b]
    for k in range(3):
        t[b, k] = t[parent, k]
        for m in range(3):
            t[b, k] += G[parent, k, m] * V[0, m]
            G[b, k, m] = G[parent, k, 0] * R[0, m] + G[parent, k, 1] * R[1, m] + G[parent, k, 2] * R[2, m]


@compiled
def _bend(q, twist, G, t, step):
    """Replace the first order [ω] A, [ω] p + u in a body's step by the whole rigid motion."""
    x, y, z = twist[0], twist[1], twist[2]
    D = G - np.array([[1.0, -z, y], [z, 1.0, -x], [-y, x, 1.0]])
    for k in range(3):
        step[k] += D[k, 0] * q[0] + D[k, 1] * q[1] + D[k, 2] * q[2] + t[k] - twist[3 + k]
        for m in range(3):
            step[3 + 3 * k + m] += D[k, 0] * q[3 + m] + D[k, 1] * q[6 + m] + D[k, 2] * q[9 + m]


@compiled
def _angular_velocity(q, qdot):
    """The ω of the spin W = Ȧ A⁻¹ (see `affine.twist_from_qdot`), three numbers; zeros where A is singular."""
    C = np.empty((3, 3))  # the columns of A⁻¹, times det A
    for k in range(3):
        i, j = 3 + 3 * ((k + 1) % 3), 3 + 3 * ((k + 2) % 3)
        cross(q[i : i + 3], q[j : j + 3], C[k])
    det = dot(q[3:6], C[0])
    scale = 0.5 / det if det != 0.0 else 0.0
    return (
        scale * (dot(qdot[9:12], C[1]) - dot(qdot[6:9], C[2])),
        scale * (dot(qdot[3:6], C[2]) - dot(qdot[9:12], C[0])),
        scale * (dot(qdot[6:9], C[0]) - dot(qdot[3:6], C[1])),
    )


@compiled
def _screw(x, y, z, R, V):
    """Write the rotation R = exp([φ]), φ = (x, y, z), and the matrix V = ∫₀¹ exp(s [φ]) ds of a screw motion."""
    angle = np.sqrt(x * x + y * y + z * z)
    if angle < 1e-4:
        a, b, c = 1.0 - angle**2 / 6.0, 0.5 - angle**2 / 24.0, 1.0 / 6.0 - angle**2 / 120.0
    else:
        a = np.sin(angle) / angle
        b = (1.0 - np.cos(angle)) / angle**2
        c = (1.0 - a) / angle**2
    write_polynomial(a, b, x, y, z, R)
    write_polynomial(b, c, x, y, z, V)


@compiled
def write_polynomial(a, b, x, y, z, P):
    """Write P = 1 + a [φ] + b [φ]², with [φ]² = φφᵀ - |φ|²."""
    d = 1.0 - b * (x * x + y * y + z * z)
    P[0, 0], P[0, 1], P[0, 2] = d + b * x * x, b * x * y - a * z, b * x * z + a * y
    P[1, 0], P[1, 1], P[1, 2] = b * x * y + a * z, d + b * y * y, b * y * z - a * x
    P[2, 0], P[2, 1], P[2, 2] = b * x * z - a * y, b * y * z + a * x, d + b * z * z
