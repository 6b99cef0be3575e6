"""The curvature of a distance under rotation and sliding of its primitives, for numba.

The distance is d = min over w of ‖C(w, x)‖, w the coordinates on edges or in a face. If the closest points are inside,

    -½ δ²d = Σ_k a_k b_k + ½ d bᵀG b   (+ terms that open the gap, left out)

where a = G Eᵀδc with G = (EᵀE)⁻¹ is the slip along the edges E_k = ∂C/∂w_k, and b_k = n·δE_k their rotation towards the
normal n: surfaces that slide while they rotate come closer. The slope of the barrier is negative, so this is a
stiffness, which prevents Newton steps that close a small gap. Two positive forms bound it; the smaller one is used:

    Σ_k ¼ (λa_k + b_k/λ)²            for small d, with the λ that gives both the same weight by vertices
    1/(2d) (Eᵀδc + d b)ᵀ G (…)       for large d: thick surfaces, and edges that are almost parallel

The terms that open the gap are those of what no edge follows: exactly,

    -½ δ²d = Σ_k a_k b_k + ½ d bᵀG b - ‖P δc‖²/(2d),   P = 1 - nnᵀ - E G Eᵀ,

where the first two are Σ_k c_k b_k for c = a + ½ d G b.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled

_FLAT = 1e-12  # squared sine of two edges below which they count as parallel


@compiled
def forms(d, w, G, slip, turn):
    """Fill slip and turn (2, 2), with which scale Σ_k (Σ_j slip_kj E_j·δc + turn_kj b_j)² bounds -δ²d.

    Returns:
        The scale.
    """
    square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3]
    if d * d * max(G[0, 0], G[1, 1]) <= 2.0 * square:
        for k in range(2):
            if G[k, k] > 0.0:
                ratio = np.sqrt(np.sqrt(2.0 / (square * G[k, k])))  # λ: ‖∂a_k‖² = square G_kk and ‖∂b_k‖² = 2
                slip[k, 0], slip[k, 1], turn[k, k] = ratio * G[k, 0], ratio * G[k, 1], 1.0 / ratio
        return 0.5
    slip[0, 0] = np.sqrt(G[0, 0])  # the factor Lᵀ of G = L Lᵀ
    slip[0, 1] = G[0, 1] / slip[0, 0]
    slip[1, 1] = np.sqrt(max(G[1, 1] - slip[0, 1] * slip[0, 1], 0.0))
    turn[:] = d * slip
    return 1.0 / d


@compiled
def invert_gram(E, count, G):
    """Fill G = (EᵀE)⁻¹ of one or two vectors. Returns: False if there are none, or they are almost dependent."""
    if count == 0:
        return False
    aa = E[0, 0] ** 2 + E[0, 1] ** 2 + E[0, 2] ** 2
    if count == 1:
        if aa > 0.0:
            G[0, 0] = 1.0 / aa
        return aa > 0.0
    bb = E[1, 0] ** 2 + E[1, 1] ** 2 + E[1, 2] ** 2
    ab = E[0, 0] * E[1, 0] + E[0, 1] * E[1, 1] + E[0, 2] * E[1, 2]
    det = aa * bb - ab * ab
    if det <= _FLAT * aa * bb:
        return False
    G[0, 0], G[1, 1], G[0, 1], G[1, 0] = bb / det, aa / det, -ab / det, -ab / det
    return True
