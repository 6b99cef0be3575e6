"""How much nearer to each other two bodies may have come since an earlier time, without a look at their surfaces.

Seen from body a, only body b moves. With ° for the earlier time, M = A_a A_a°⁻¹, and points v of a and w of b, w would
be at p_a + M (w° - p_a°) if b had followed a. It is farther by

    e = ΔA w̄ + Δp,   ΔA = A_b - A_a B,   Δp = p_b - p_a - A_a c,   B = A_a°⁻¹ A_b°,   c = A_a°⁻¹ (p_b° - p_a°),

and v - w = M (v° - w°) - e. So distances are at least σ d° - |e|, σ the smallest singular value of M. Bounds are

    σ² ≥ 1 - ‖MᵀM - 1‖,   |e_k| ≤ |(ΔA m̄ + Δp)_k| + Σ_l |ΔA_kl| h̄_l,   m̄ ± h̄ the local box of b.

Motions that both bodies share, rotations included, do not count. On a straight motion M and e are linear in time, so
|e| is greatest at an end, and |M u|² is at least the smaller of its values at the ends, less ‖M₁ - M₀‖²/4.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled

NUMBERS = 21  # A_a°⁻¹, B and c of a pair


@compiled
def refer(q, a, b, earlier):
    """Write the pair's numbers at coordinates q (n, 12) to `earlier` (21,); zeros if A_a has no inverse."""
    earlier[:] = 0.0
    A = q[a, 3:]
    det = 0.0
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        for m in range(3):
            r, s = (m + 1) % 3, (m + 2) % 3
            earlier[3 * m + k] = A[3 * i + r] * A[3 * j + s] - A[3 * i + s] * A[3 * j + r]
    for m in range(3):
        det += A[m] * earlier[3 * m]
    if det == 0.0:
        earlier[:] = 0.0
        return
    for k in range(9):
        earlier[k] /= det
    for k in range(3):
        for m in range(3):
            earlier[18 + k] += earlier[3 * k + m] * (q[b, m] - q[a, m])
            for r in range(3):
                earlier[9 + 3 * k + r] += earlier[3 * k + m] * q[b, 3 + 3 * m + r]


@compiled
def approach(earlier, a, b, start, end, middle, half, M, N):
    """Bounds σ and |e| [m] while bodies a and b move straight from start to end, (n, 12) each.

    Args:
        earlier: The numbers of `refer`, (21,).
        a: Row of the first body.
        b: Row of the second.
        start: Coordinates.
        end: Coordinates.
        middle: m̄ of b, (3,) [m].
        half: h̄ of b, (3,) [m].
        M: Scratch (3, 3).
        N: Scratch (3, 3).
    """
    square, e = _strain(earlier, start[a], M), _excess(earlier, start[a], start[b], middle, half)
    square = min(square, _strain(earlier, end[a], N))
    e = max(e, _excess(earlier, end[a], end[b], middle, half))
    for k in range(3):
        for m in range(3):
            square -= 0.25 * (N[k, m] - M[k, m]) ** 2
    return np.sqrt(max(square, 0.0)), e


@compiled
def _strain(earlier, q, M):
    """Write M to (3, 3) for body a at q (12,); returns the bound of σ²."""
    for k in range(3):
        for m in range(3):
            M[k, m] = 0.0
            for r in range(3):
                M[k, m] += q[3 + 3 * k + r] * earlier[3 * r + m]
    squares = 0.0
    for k in range(3):
        for m in range(3):
            E = M[0, k] * M[0, m] + M[1, k] * M[1, m] + M[2, k] * M[2, m] - (1.0 if k == m else 0.0)
            squares += E * E
    return 1.0 - np.sqrt(squares)


@compiled
def _excess(earlier, q, other, middle, half):
    """The bound of |e| with bodies a and b at q and other, (12,) each."""
    squares = 0.0
    for k in range(3):
        e, wide = other[k] - q[k], 0.0
        for r in range(3):
            e -= q[3 + 3 * k + r] * earlier[18 + r]
        for m in range(3):
            D = other[3 + 3 * k + m]
            for r in range(3):
                D -= q[3 + 3 * k + r] * earlier[9 + 3 * r + m]
            e += D * middle[m]
            wide += abs(D) * half[m]
        squares += (abs(e) + wide) ** 2
    return np.sqrt(squares)
