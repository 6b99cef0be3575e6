"""The dihedral angle of a hinge and its derivatives: triangles (x₀, x₁, x₂) and (x₃, x₂, x₁), edge e = x₂ - x₁.

    θ = atan2((m × n)·e/|e|, m·n),   m = (x₁-x₀) × (x₂-x₀),   n = (x₂-x₃) × (x₁-x₃)

0 where the triangles are flat, ±π where they are folded onto each other; atan2 is exact near both, where the arc cosine
of libuipc loses half of its digits. (Tamstorf and Grinspun 2013, «Discrete bending forces and their Jacobians»; here
in a shorter form.) The gradient at x₀ and x₃ is along the normals, and the vertices of the edge take the rest, as
the feet of x₀ and x₃ on the edge share it. With s = (x₀-x₁)·e/|e|² and t = (x₃-x₁)·e/|e|²

    p = ∂θ/∂x₀ = -|e| m/|m|²,                    q = ∂θ/∂x₃ = -|e| n/|n|²
    ∂θ/∂x₁ = -(1-s) p - (1-t) q,                 ∂θ/∂x₂ = -s p - t q.

The second derivatives are the derivatives of these products. A hinge with a triangle without area, or an edge without
length, has no angle: where the height of a triangle over the edge is less than 1e-12 of its side.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.errors import MeshError

_FLAT = 1e-12  # height of a triangle over the edge, relative to its side, that counts as none


def angle_and_weight(X: Array, hinges: Ints) -> tuple[Array, Array]:
    """Rest angles θ̄, (k,) [rad], and L₀/h̄ = 3 L₀²/A, (k,), of hinges (k, 4) at X (n, 3) [m].

    L₀ is the length of the edge, A the area of both triangles, h̄ = A/(3 L₀) (Grinspun et al. 2003, «Discrete shells»).

    Raises:
        MeshError: A hinge has no angle.
    """
    angles = _angles(X, hinges)
    if not np.all(np.isfinite(angles)):
        raise MeshError(f"hinge {int(np.argmin(np.isfinite(angles)))} has a triangle without area at rest")
    x0, x1, x2, x3 = (X[hinges[:, v]] for v in range(4))
    normals = np.cross(x1 - x0, x2 - x0), np.cross(x2 - x3, x1 - x3)
    area = 0.5 * sum(np.linalg.norm(normal, axis=1) for normal in normals)
    return angles, 3.0 * np.sum((x2 - x1) ** 2, axis=1) / area


@compiled
def _angles(X, hinges):
    """θ of each hinge, nan for those without."""
    theta = np.empty(len(hinges))
    for h in range(len(hinges)):
        x = X[hinges[h]]
        theta[h] = angle(x) if has_angle(x) else np.nan
    return theta


@compiled
def has_angle(x):
    """Whether the hinge x (4, 3) has an angle."""
    e = x[2] - x[1]
    for v, normal in ((0, _first_normal(x)), (3, _second_normal(x))):
        side = x[v] - x[1]
        if np.sum(normal * normal) <= _FLAT**2 * np.sum(e * e) * np.sum(side * side):
            return False
    return True


@compiled
def angle(x):
    """θ [rad], in [-π, π], of a hinge x (4, 3) that has one."""
    m, n, e = _first_normal(x), _second_normal(x), x[2] - x[1]
    sine = np.sum(np.cross(m, n) * e) / np.sqrt(np.sum(e * e))
    return np.arctan2(sine + 0.0, np.sum(m * n))


@compiled
def wrapped(theta):
    """The same angle in [-π, π]."""
    return theta - 2.0 * np.pi * np.round(theta / (2.0 * np.pi))


@compiled
def angle_gradient(x):
    """∂θ/∂x (12,) of a hinge x (4, 3) that has an angle."""
    p, q, s, t = _parts(x)
    g = np.empty(12)
    g[0:3], g[9:12] = p, q
    g[3:6] = (s - 1.0) * p + (t - 1.0) * q
    g[6:9] = -s * p - t * q
    return g


@compiled
def angle_hessian(x):
    """∂²θ/∂x² (12, 12) of a hinge x (4, 3) that has an angle."""
    p, q, s, t = _parts(x)
    e = x[2] - x[1]
    Dp = _normal_derivative(_first_normal(x), e, x, 0, 1, 2)
    Dq = _normal_derivative(_second_normal(x), e, x, 3, 2, 1)
    Ds, Dt = _foot_derivative(x, 0, s), _foot_derivative(x, 3, t)
    H = np.empty((12, 12))
    for i in range(3):
        H[i], H[9 + i] = Dp[i], Dq[i]
        H[6 + i] = -s * Dp[i] - p[i] * Ds - t * Dq[i] - q[i] * Dt
        H[3 + i] = -H[6 + i] - Dp[i] - Dq[i]
    return 0.5 * (H + H.T)


@compiled
def _first_normal(x):
    return np.cross(x[1] - x[0], x[2] - x[0])


@compiled
def _second_normal(x):
    return np.cross(x[2] - x[3], x[1] - x[3])


@compiled
def _parts(x):
    """p, q (3,) and s, t."""
    m, n, e = _first_normal(x), _second_normal(x), x[2] - x[1]
    square = np.sum(e * e)
    p, q = -np.sqrt(square) / np.sum(m * m) * m, -np.sqrt(square) / np.sum(n * n) * n
    return p, q, np.sum((x[0] - x[1]) * e) / square, np.sum((x[3] - x[1]) * e) / square


@compiled
def _normal_derivative(m, e, x, a, b, c):
    """∂(-|e| m/|m|²)/∂x (3, 12), m = (x_b-x_a) × (x_c-x_a), e = x₂ - x₁.

    With the side o opposite to x_v, ∂m/∂x_v = [o]× and the part of x_v is -|e|/|m|² ([o]× - 2 m (m × o)ᵀ/|m|²).
    """
    D = np.zeros((3, 12))
    length, square = np.sqrt(np.sum(e * e)), np.sum(m * m)
    for v, p, q in ((a, b, c), (b, c, a), (c, a, b)):
        o = x[q] - x[p]
        normal = np.cross(m, o)
        for k in range(3):
            i, j = (k + 1) % 3, (k + 2) % 3
            D[i, 3 * v + k] += o[j]
            D[j, 3 * v + k] -= o[i]
            for row in range(3):
                D[row, 3 * v + k] -= 2.0 / square * m[row] * normal[k]
    for row in range(3):
        for k in range(12):
            D[row, k] *= -length / square
        for k in range(3):
            part = m[row] * e[k] / (length * square)
            D[row, 3 + k] += part
            D[row, 6 + k] -= part
    return D


@compiled
def _foot_derivative(x, v, s):
    """∂s/∂x (12,) of s = (x_v-x₁)·e/|e|²."""
    D, e = np.zeros(12), x[2] - x[1]
    square = np.sum(e * e)
    D[3 * v : 3 * v + 3] = e / square
    D[6:9] = (x[v] - x[1] - 2.0 * s * e) / square
    D[3:6] = -(D[6:9] + e / square)
    return D
