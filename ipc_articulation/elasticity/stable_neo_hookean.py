"""StableNeoHookean, rubber-like solids (libuipc's constitution 10).

    E = v Ψ,   Ψ = λ/2 (J - α)² + μ/2 (I - 3) - μ/2 ln(I + 1),   J = det F,   I = ‖F‖²,   α = 1 + 3μ/(4λ)

(Smith, de Goes and Kim 2018, «Stable neo-Hookean flesh simulation», eq. 14). Ψ is defined for every F: flat and
inverted elements have finite energies. At rest Ψ is not 0, but stationary. μ and λ are the paper's; `from_lame`
computes them from Lamé's. With m = μ (1 - 1/(I+1)) and p = λ (J - α)

    ∂Ψ/∂F = m F + p ∂J/∂F,   Ψᵢ = m sᵢ + p sⱼ s_k
    twists m + p s_k,   flips m - p s_k,
    Aᵢᵢ = m + 2μ sᵢ²/(I+1)² + λ (sⱼ s_k)²,   Aᵢⱼ = 2μ sᵢ sⱼ/(I+1)² + λ (sⱼ s_k)(sᵢ s_k) + p s_k.

The exact derivatives need no singular values: with f_v = F b_v, c_v = (∂J/∂F) b_v for the b_v of `deformation`

    ∂Ψ/∂x_v = m f_v + p c_v
    ∂²Ψ/∂x_v∂x_w = m (b_v·b_w) 1 + 2μ/(I+1)² f_v f_wᵀ + λ c_v c_wᵀ - p [F (b_v × b_w)]×.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.elasticity import isotropic
from ipc_articulation.elasticity.deformation import of_tetrahedron
from ipc_articulation.elasticity.kernel import inlined, kernel
from ipc_articulation.elasticity.over_elements import over_elements
from ipc_articulation.elasticity.tetrahedron import shape_and_volume
from ipc_articulation.elasticity.vectors import combined, cross, dot, scaled


def from_lame(mu: float, lam: float) -> tuple[float, float]:
    """The energy's μ and λ of a material with Lamé's parameters [Pa] (the paper's section 3.4): (4μ/3, λ + 5μ/6)."""
    return 4.0 * mu / 3.0, lam + 5.0 * mu / 6.0


def rest(X: Array, tetrahedra: Ints, mu: Array | float, lam: Array | float) -> Array:
    """Constants of k elements, (k, 15): b, v, μ, λ.

    Args:
        X: (n, 3) rest positions [m].
        tetrahedra: (k, 4) with positive volumes.
        mu: μ of the energy [Pa], one number or (k,).
        lam: λ of the energy [Pa], not 0, likewise.
    """
    b, v = shape_and_volume(X, tetrahedra)
    return np.column_stack([b, v, np.broadcast_to(mu, len(v)), np.broadcast_to(lam, len(v))])


@inlined
def energy(x, c, arrays):
    """E [J] of x (4, 3) with constants c (15,)."""
    F, v, mu, lam = arrays[0], c[12], c[13], c[14]
    of_tetrahedron(x, c, F)
    J, square = 0.0, 0.0
    for j in range(3):
        k, m = (j + 1) % 3, (j + 2) % 3
        J += F[0, j] * (F[1, k] * F[2, m] - F[2, k] * F[1, m])
        square += F[0, j] ** 2 + F[1, j] ** 2 + F[2, j] ** 2
    off = J - 1.0 - 0.75 * mu / lam
    return v * (0.5 * lam * off**2 + 0.5 * mu * (square - 3.0) - 0.5 * mu * np.log(square + 1.0))


@inlined
def write_derivatives(x, c, project, arrays, g, H):
    """Write ∂E/∂x into g (12,) and ∂²E/∂x² into H (12, 12), exact or projected."""
    if not project:
        _write_exact(x, c, arrays[0], g, H)
        return
    isotropic.to_frames(x, c, arrays)
    _, s, _, _, slope, A, twists, flips = arrays
    mu, lam = c[13], c[14]
    more = 1.0 + s[0] ** 2 + s[1] ** 2 + s[2] ** 2
    m = mu * (1.0 - 1.0 / more)
    p = lam * (s[0] * s[1] * s[2] - 1.0 - 0.75 * mu / lam)
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        slope[k] = m * s[k] + p * s[i] * s[j]
        twists[k], flips[k] = m + p * s[k], m - p * s[k]
        A[k, k] = m + 2.0 * mu * (s[k] / more) ** 2 + lam * (s[i] * s[j]) ** 2
        A[i, j] = A[j, i] = 2.0 * mu * s[i] * s[j] / more**2 + lam * s[i] * s[j] * s[k] ** 2 + p * s[k]
    isotropic.to_vertices(arrays, c[12], project, g, H)


@kernel
def _write_exact(x, c, F, g, H):
    """The exact derivatives, see above; F (3, 3) is scratch."""
    of_tetrahedron(x, c, F)
    v, mu, lam = c[12], c[13], c[14]
    first, second, third = (F[0, 0], F[1, 0], F[2, 0]), (F[0, 1], F[1, 1], F[2, 1]), (F[0, 2], F[1, 2], F[2, 2])
    cofactors = cross(second, third), cross(third, first), cross(first, second)
    more = 1.0 + dot(first, first) + dot(second, second) + dot(third, third)
    m = v * mu * (1.0 - 1.0 / more)
    p = v * lam * (dot(first, cofactors[0]) - 1.0 - 0.75 * mu / lam)
    along, lam = 2.0 * v * mu / more**2, v * lam
    for a in range(4):
        b_a = c[3 * a], c[3 * a + 1], c[3 * a + 2]
        f_a, c_a = combined(b_a, first, second, third), combined(b_a, *cofactors)
        for k in range(3):
            g[3 * a + k] = m * f_a[k] + p * c_a[k]
        for b in range(a + 1):
            b_b = c[3 * b], c[3 * b + 1], c[3 * b + 2]
            f_b, c_b = combined(b_b, first, second, third), combined(b_b, *cofactors)
            turn = scaled(p, combined(cross(b_a, b_b), first, second, third))
            same = m * dot(b_a, b_b)
            _write_block(same, along, f_a, f_b, lam, c_a, c_b, turn, 3 * a, 3 * b, H)


@inlined
def _write_block(same, along, f, f_other, lam, c, c_other, turn, row, column, H):
    """Write same 1 + along f f_otherᵀ + lam c c_otherᵀ - [turn]× and its transpose."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        H[row + i, column + i] = H[column + i, row + i] = same + along * f[i] * f_other[i] + lam * c[i] * c_other[i]
        h = along * f[i] * f_other[j] + lam * c[i] * c_other[j] + turn[k]
        H[row + i, column + j] = H[column + j, row + i] = h
        h = along * f[i] * f_other[k] + lam * c[i] * c_other[k] - turn[j]
        H[row + i, column + k] = H[column + k, row + i] = h


energies, derivatives, gradients, hessians = over_elements(4, isotropic.scratch, energy, write_derivatives)
