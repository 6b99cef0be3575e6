"""The barrier for one gap, and the mollifier for two edges, for numba.

    B(D, D̂) = -(D - D̂)² ln(D/D̂)

with D = d² and D̂ = d̂². For thick surfaces (ξ the sum of both radii) D - ξ² replaces D, and d̂² + 2 d̂ ξ replaces D̂ (Li et
al. 2020, «Incremental potential contact»; Li et al. 2021, «Codimensional incremental potential contact»; ipctk's
clamped log barrier and libuipc's).

If two edges are almost parallel, their closest points are discontinuous; then the barrier is multiplied by

    m(c) = (c/ε)(2 - c/ε)   for c = ‖e₁ × e₂‖² < ε,   ε = 10⁻³ ‖ē₁‖²‖ē₂‖²   (ē: at rest)
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled

MOLLIFIED = 1e-3  # squared sine below which edges are mollified
_EDGE = 1e-4  # of d̂: the force there is some 1e-8 of what it is deep within d̂


@compiled
def barrier(gap, d_hat, xi):
    """B(d² - ξ², d̂² + 2 d̂ ξ) and its first two derivatives by d = gap + ξ; zero for gaps of d̂ and more."""
    if gap >= d_hat:
        return 0.0, 0.0, 0.0
    d = gap + xi
    D, D_hat = gap * (gap + 2.0 * xi), d_hat * (d_hat + 2.0 * xi)
    short, log = D - D_hat, np.log(D / D_hat)
    B = -short * short * log
    B_D = -2.0 * short * log - short * short / D
    B_DD = -2.0 * log - 4.0 * short / D + short * short / (D * D)
    return B, 2.0 * d * B_D, 4.0 * d * d * B_DD + 2.0 * B_D


@compiled
def gap_scale(before, after, d_hat):
    """Changes of a gap that are small beside this change the force of its barrier by a small part [m].

    The force is about 1/d for small gaps d, and grows as the square of the depth d̂ - d at the edge of d̂, where light
    bodies lie. Depths below _EDGE d̂ count as that.
    """
    return min(before, max(d_hat - min(before, after), _EDGE * d_hat))


@compiled
def mollifier(c, eps):
    """The mollifier m(c) and its derivative; 1 and 0 if the edges are not almost parallel."""
    if c >= eps:
        return 1.0, 0.0
    s = c / eps
    return s * (2.0 - s), 2.0 * (1.0 - s) / eps


@compiled
def dot(a, b):
    """Scalar product of vectors of three; np.dot takes ten times as long."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@compiled
def cross(a, b, out):
    """Fill out = a × b."""
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]
