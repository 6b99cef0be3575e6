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
from ipc_articulation.elasticity.kernel import kernel
from ipc_articulation.elasticity.vectors import between, cross, dot, scaled
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


@kernel
def _angles(X, hinges):
    """θ of each hinge, nan for those without."""
    theta, x = np.empty(len(hinges)), np.empty((4, 3))
    for h in range(len(hinges)):
        for v in range(4):
            for i in range(3):
                x[v, i] = X[hinges[h, v], i]
        theta[h] = angle(x) if has_angle(x) else np.nan
    return theta


@kernel
def normals(x):
    """m, n and e of a hinge x (4, 3)."""
    m = cross(between(x, 0, 1), between(x, 0, 2))
    n = cross(between(x, 3, 2), between(x, 3, 1))
    return m, n, between(x, 1, 2)


@kernel
def has_angle(x):
    """Whether the hinge x (4, 3) has an angle."""
    m, n, e = normals(x)
    return not (_is_flat(m, e, between(x, 1, 0)) or _is_flat(n, e, between(x, 1, 3)))


@kernel
def _is_flat(normal, e, side):
    return dot(normal, normal) <= _FLAT**2 * dot(e, e) * dot(side, side)


@kernel
def angle(x):
    """θ [rad], in [-π, π], of a hinge x (4, 3) that has one."""
    m, n, e = normals(x)
    return np.arctan2(dot(cross(m, n), e) / np.sqrt(dot(e, e)) + 0.0, dot(m, n))


@kernel
def wrapped(theta):
    """The same angle in [-π, π]."""
    return theta - 2.0 * np.pi * np.round(theta / (2.0 * np.pi))


@kernel
def write_derivatives(x, slope, curve, exact, arrays, g, H):
    """Write those of an energy of θ: its gradient into g (12,), its Hessian into H (12, 12), which is 0 before.

    Args:
        x: (4, 3), a hinge that has an angle.
        slope: ∂E/∂θ.
        curve: ∂²E/∂θ².
        exact: Whether to add ∂E/∂θ ∂²θ; else the Hessian is Gauss and Newton's.
        arrays: As of `scratch`.
        g: ∂E/∂x.
        H: ∂²E/∂x².
    """
    m, n, e = normals(x)
    square, length = dot(e, e), np.sqrt(dot(e, e))
    s, t = dot(between(x, 1, 0), e) / square, dot(between(x, 1, 3), e) / square
    p, q = scaled(-length / dot(m, m), m), scaled(-length / dot(n, n), n)
    for i in range(3):
        g[i], g[3 + i], g[6 + i], g[9 + i] = p[i], (s - 1.0) * p[i] + (t - 1.0) * q[i], -s * p[i] - t * q[i], q[i]
    if exact:
        _add_angle_hessian(x, (p, q, s, t), m, n, e, slope, arrays, H)
    for i in range(12):
        for j in range(12):
            H[i, j] += curve * g[i] * g[j]
    for i in range(12):
        g[i] *= slope


@kernel
def scratch():
    """∂p/∂x, ∂q/∂x (3, 12), ∂s/∂x, ∂t/∂x (12,)."""
    return np.empty((3, 12)), np.empty((3, 12)), np.empty(12), np.empty(12)


@kernel
def _add_angle_hessian(x, parts, m, n, e, slope, arrays, H):
    """Add slope · ∂²θ/∂x² to H."""
    p, q, s, t = parts
    Dp, Dq, Ds, Dt = arrays
    _normal_derivative(m, e, x, (0, 1, 2), Dp)
    _normal_derivative(n, e, x, (3, 2, 1), Dq)
    _foot_derivative(x, e, 0, s, Ds)
    _foot_derivative(x, e, 3, t, Dt)
    for i in range(3):
        for k in range(12):
            second = -s * Dp[i, k] - p[i] * Ds[k] - t * Dq[i, k] - q[i] * Dt[k]
            first = -second - Dp[i, k] - Dq[i, k]
            for row, value in ((i, Dp[i, k]), (3 + i, first), (6 + i, second), (9 + i, Dq[i, k])):
                H[row, k] += 0.5 * slope * value
                H[k, row] += 0.5 * slope * value


@kernel
def _normal_derivative(m, e, x, triangle, D):
    """Write ∂(-|e| m/|m|²)/∂x into D (3, 12), m = (x_b-x_a) × (x_c-x_a), triangle (a, b, c), e = x₂ - x₁.

    With the side o opposite to x_v, ∂m/∂x_v = [o]× and the part of x_v is -|e|/|m|² ([o]× - 2 m (m × o)ᵀ/|m|²).
    """
    length, square = np.sqrt(dot(e, e)), dot(m, m)
    scale = -length / square
    for i in range(3):
        for k in range(12):
            D[i, k] = 0.0
    for corner in range(3):
        v = triangle[corner]
        o = between(x, triangle[(corner + 1) % 3], triangle[(corner + 2) % 3])
        normal = cross(m, o)
        for k in range(3):
            i, j = (k + 1) % 3, (k + 2) % 3
            D[i, 3 * v + k] = scale * o[j]
            D[j, 3 * v + k] = -scale * o[i]
            for row in range(3):
                D[row, 3 * v + k] -= 2.0 * scale / square * m[row] * normal[k]
    for row in range(3):
        for k in range(3):
            part = m[row] * e[k] / (length * square)
            D[row, 3 + k] += part
            D[row, 6 + k] -= part


@kernel
def _foot_derivative(x, e, v, s, D):
    """Write ∂s/∂x of s = (x_v-x₁)·e/|e|² into D (12,)."""
    square, side = dot(e, e), between(x, 1, v)
    for k in range(12):
        D[k] = 0.0
    for k in range(3):
        own, end = e[k] / square, (side[k] - 2.0 * s * e[k]) / square
        D[3 * v + k], D[6 + k], D[3 + k] = own, end, -end - own
