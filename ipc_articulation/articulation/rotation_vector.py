"""The turn of the right body relative to the left one since a reference pose, as a rotation vector.

Each body carries three axes: xᵢ, yᵢ, zᵢ and xⱼ, yⱼ, zⱼ. With a, b in (x, y, z)

    Z_ab = aᵢ·bⱼ,   Z' = (Zᵗ)ᵀ Z,   s = ½ (Z'_zy - Z'_yz, Z'_xz - Z'_zx, Z'_yx - Z'_xy),   c = ½ (tr Z' - 1),
    δφ = f s,   f = atan2(|s|, c)/|s|.

For rigid bodies Z is the rotation from the axes of the right body to those of the left one, and Z' = exp([δφ]×): so δφ
is in the right body's axes, with Z = Zᵗ exp([δφ]×), which is how MuJoCo integrates the velocities of its ball and free
joints. For the axes of the left body turned by the reference, X_b = Σ_a Zᵗ_ab aᵢ, Z'_ab = X_a·bⱼ. So y = (s, c) is
bilinear in the world vectors F = (X, the right body's axes).

**Derivatives.** With u = |s|², r² = u + c², and subscripts for derivatives of f(u, c)

    f_u = (c/r² - f)/2u,   f_uu = -(c/r⁴ + 3 f_u)/2u,   f_c = -1/r²,   f_uc = 1/r⁴,   f_cc = 2c/r⁴,

(near u = 0 by the series of the arctangent); h = w·δφ = f (w·s) has

    ∂h/∂s = f w + 2 f_u (w·s) s,                 ∂h/∂c = f_c (w·s),
    ∂²h/∂s² = 2 f_u (w sᵀ + s wᵀ + (w·s) 1) + 4 f_uu (w·s) s sᵀ,
    ∂²h/∂s∂c = f_c w + 2 f_uc (w·s) s,           ∂²h/∂c² = f_cc (w·s),

and ∂²h/∂F² = (∂y/∂F)ᵀ ∂²h/∂y² (∂y/∂F) + Σ (∂h/∂y) ∂²y/∂F². All are singular only where s = 0 and c < 0: at half a turn.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.articulation import vectors
from ipc_articulation.compiled import compiled

HOME = tuple(np.eye(3).ravel())  # Zᵗ from which δφ is the turn since the axes of both bodies coincided
_SMALL = 0.01  # u/c² below which the series is used
_TERMS = 12  # of the series: 0.01^12 is far below rounding
_SMALLEST = 1e-30  # of u where c < 0


@compiled
def set_reference(local: Array, q_i: Array, q_j: Array, reference: Array) -> None:
    """Write Zᵗ row by row into `reference` (9 or more,), for local axes (2, 3, 4)."""
    x, y = _axes(local, q_i, q_j)
    for a in range(3):
        for b in range(3):
            reference[3 * a + b] = np.dot(x[a], y[b])


@compiled
def delta_phi(local: Array, q_i: Array, q_j: Array, reference: Array, delta: Array) -> None:
    """Write δφ [rad], shorter than π, into `delta` (3 or more,); see `set_reference`."""
    x, y = _axes(turned(local, reference), q_i, q_j)
    values = _bilinear(x, y)
    f, _, _ = factors(values)
    for k in range(3):
        delta[k] = f * values[k]


@compiled
def derivatives(
    local: Array, q_i: Array, q_j: Array, reference: Array, w: Array, project: bool, J: Array, H: Array
) -> None:
    """∂δφ/∂q into J (3, 24) and Σ wₖ ∂²δφₖ/∂q², or its projection, into H (24, 24); see `kinds.derivatives`."""
    from_reference = turned(local, reference)
    x, y = _axes(from_reference, q_i, q_j)
    G, by_F = np.empty((3, 18)), np.empty((18, 18))
    derivatives_in_F(x, y, w, G, by_F)
    for k in range(3):
        vectors.gradient_to_q(from_reference, G[k], J[k])
    vectors.hessian_to_q(from_reference, vectors.project(by_F) if project else by_F, H)


@compiled
def turned(local: Array, reference: Array) -> Array:
    """The same local axes with the left body's turned by the reference: those of X for the left body, (2, 3, 4)."""
    result = np.zeros((2, 3, 4))
    result[1] = local[1, :3]
    for b in range(3):
        for a in range(3):
            for k in range(4):
                result[0, b, k] += reference[3 * a + b] * local[0, a, k]
    return result


@compiled
def derivatives_in_F(x: Array, y: Array, w: Array, G: Array, H: Array) -> None:
    """∂δφ/∂F into G (3, 18) and Σ wₖ ∂²δφₖ/∂F² into H (18, 18), for axes x = X and y (3, 3) of the two bodies."""
    values, Y = _bilinear(x, y), _bilinear_slopes(x, y)
    f, f_u, f_uu = factors(values)
    s, c = values[:3], values[3]
    r2 = np.dot(s, s) + c * c
    by_y = np.zeros((3, 4))  # ∂δφ/∂y
    for k in range(3):
        by_y[k, :3] = 2.0 * f_u * s[k] * s
        by_y[k, k] += f
        by_y[k, 3] = -s[k] / r2
    G[:] = by_y @ Y
    ws, B = np.dot(w[:3], s), np.zeros((4, 4))  # ∂²h/∂y²
    for k in range(3):
        for m in range(3):
            B[k, m] = 2.0 * f_u * (w[k] * s[m] + s[k] * w[m]) + 4.0 * f_uu * ws * s[k] * s[m]
        B[k, k] += 2.0 * f_u * ws
        B[k, 3] = B[3, k] = -w[k] / r2 + 2.0 * ws * s[k] / (r2 * r2)
    B[3, 3] = 2.0 * c * ws / (r2 * r2)
    H[:] = Y.T @ (B @ Y)
    _add_curvature_of_y(np.dot(w[:3], by_y), H)


@compiled
def factors(values: Array) -> tuple[float, float, float]:
    """(f, f_u, f_uu) at y = (s, c), (4,)."""
    u, c = values[0] * values[0] + values[1] * values[1] + values[2] * values[2], values[3]
    if c > 0.0 and u < _SMALL * c * c:
        x, power, f, f_u, f_uu = -u / (c * c), 1.0, 0.0, 0.0, 0.0  # terms (-u/c²)^k / (2k+1), and derivatives
        for k in range(_TERMS):
            f += power / (2 * k + 1)
            f_u -= (k + 1) * power / (2 * k + 3)
            f_uu += (k + 1) * (k + 2) * power / (2 * k + 5)
            power *= x
        return f / c, f_u / c**3, f_uu / c**5
    u = max(u, _SMALLEST)
    r2, root = u + c * c, np.sqrt(u)
    f = np.arctan2(root, c) / root
    f_u = (c / r2 - f) / (2.0 * u)
    return f, f_u, -(c / (r2 * r2) + 3.0 * f_u) / (2.0 * u)


@compiled
def _axes(local: Array, q_i: Array, q_j: Array) -> tuple[Array, Array]:
    """World vectors of the first three local ones of both bodies, (3, 3) each."""
    x, y = np.empty((3, 3)), np.empty((3, 3))
    vectors.to_world(local[0], 3, q_i, x)
    vectors.to_world(local[1], 3, q_j, y)
    return x, y


@compiled
def _bilinear(x: Array, y: Array) -> Array:
    """The values y = (s, c), (4,), of axes x = X and y (3, 3)."""
    values = np.empty(4)
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        values[k] = 0.5 * (np.dot(x[j], y[i]) - np.dot(x[i], y[j]))
    values[3] = 0.5 * (np.dot(x[0], y[0]) + np.dot(x[1], y[1]) + np.dot(x[2], y[2]) - 1.0)
    return values


@compiled
def _bilinear_slopes(x: Array, y: Array) -> Array:
    """∂(s, c)/∂F, (4, 18)."""
    Y = np.zeros((4, 18))
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        for a in range(3):
            Y[k, 3 * j + a], Y[k, 3 * i + a] = 0.5 * y[i, a], -0.5 * y[j, a]
            Y[k, 9 + 3 * i + a], Y[k, 9 + 3 * j + a] = 0.5 * x[j, a], -0.5 * x[i, a]
            Y[3, 3 * k + a], Y[3, 9 + 3 * k + a] = 0.5 * y[k, a], 0.5 * x[k, a]
    return Y


@compiled
def _add_curvature_of_y(slope: Array, H: Array) -> None:
    """Add Σ (∂h/∂y) ∂²y/∂F², for ∂h/∂y (4,), to H (18, 18)."""
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        for a in range(3):
            _add_symmetric(H, 3 * j + a, 9 + 3 * i + a, 0.5 * slope[k])
            _add_symmetric(H, 3 * i + a, 9 + 3 * j + a, -0.5 * slope[k])
            _add_symmetric(H, 3 * k + a, 9 + 3 * k + a, 0.5 * slope[3])


@compiled
def _add_symmetric(H: Array, row: int, column: int, value: float) -> None:
    H[row, column] += value
    H[column, row] += value
