"""The universal joint: the left body carries the first axis a, the right one the second axis e, orthogonal to it.

    R = exp(θ₁ [a]×) exp(θ₂ [e]×),   n = a × e,
    θ₁ = arg(eᵢ·eⱼ + i nᵢ·eⱼ),   θ₂ = arg(aⱼ·aᵢ + i nⱼ·aᵢ),

δθ the differences to the reference pose, each in (-π, π] [rad]. Each z = C + iS is bilinear in four world vectors F,
C = ½ Fᵀ K F, S = ½ Fᵀ L F, so that with z' = ∂z/∂F

    ∂θ = (C S' - S C')/r²,   ∂²θ = (C L - S K)/r² - ((C² - S²)(C'S'ᵀ + S'C'ᵀ) - 2CS (C'C'ᵀ - S'S'ᵀ))/r⁴,   r² = C² + S²

(the imaginary parts of ∂ log z and ∂² log z). The penalty holds the anchor and the right angle between the axes:

    r = (cᵢ - cⱼ, aᵢ·eⱼ, 0, 0).
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.articulation import vectors
from ipc_articulation.articulation.frames import Placement, local_directions, local_points, unit
from ipc_articulation.compiled import compiled
from ipc_articulation.errors import ArticulationError

HOME = (1.0, 0.0, 1.0, 0.0)  # (C, S) of both angles where they are zero
_TOLERANCE = 1e-6  # of a·e


def _bilinear(a: int, b: int) -> Array:
    K = np.zeros((4, 4))
    K[a, b] = K[b, a] = 1.0
    return K


# F = (eᵢ, nᵢ, eⱼ, nⱼ) for the first angle, (aᵢ, nᵢ, aⱼ, nⱼ) for the second
_COSINE = _bilinear(0, 2)
_SINES = np.stack([_bilinear(1, 2), _bilinear(0, 3)])


def measured(placement: Placement) -> Array:
    """(ā, ē, n̄) in both bodies, (m, 2, 3, 4).

    Raises:
        ArticulationError: The axes are not orthogonal.
    """
    a, e = _axes(placement)
    return local_directions(np.stack([a, e, np.cross(a, e)], axis=-2)[:, None], placement.transforms)


def held(placement: Placement) -> Array:
    """The anchor in both bodies with ā in the left one, ē in the right one, (m, 2, 2, 4)."""
    a, e = _axes(placement)
    axes = local_directions(np.stack([a, e], axis=1)[:, :, None], placement.transforms)
    return np.concatenate([local_points(placement.points[:, :, :1]), axes], axis=2)


def _axes(placement: Placement) -> tuple[Array, Array]:
    a, e = unit(placement.axes[:, 0]), unit(placement.second)
    cosine = np.abs(np.sum(a * e, axis=-1))
    if np.any(cosine > _TOLERANCE):
        k = int(np.argmax(cosine))
        raise ArticulationError(
            f"universal joint {k}: its axes {a[k].round(6).tolist()} and {e[k].round(6).tolist()} must be orthogonal"
        )
    return a, e


@compiled
def set_reference(local: Array, q_i: Array, q_j: Array, reference: Array) -> None:
    """Write (C₁, S₁, C₂, S₂); see `kinds.set_reference`."""
    for angle in range(2):
        F = vectors.pairs(vectors.pick(local, 1 - angle, 2), q_i, q_j)
        reference[2 * angle], reference[2 * angle + 1] = _value(_COSINE, F), _value(_SINES[angle], F)


@compiled
def delta_theta(local: Array, q_i: Array, q_j: Array, reference: Array, delta: Array) -> None:
    """Write δθ (2,); see `kinds.delta_theta`."""
    for angle in range(2):
        F = vectors.pairs(vectors.pick(local, 1 - angle, 2), q_i, q_j)
        C, S = _value(_COSINE, F), _value(_SINES[angle], F)
        C_t, S_t = reference[2 * angle], reference[2 * angle + 1]
        delta[angle] = np.arctan2(S * C_t - C * S_t, C * C_t + S * S_t)


@compiled
def derivatives(local: Array, q_i: Array, q_j: Array, w: Array, project: bool, J: Array, H: Array) -> None:
    """∂δθ/∂q into J (2, 24) and Σ wₖ ∂²δθₖ/∂q² into H (24, 24); see `kinds.derivatives`."""
    by_q, G, by_F = np.empty((24, 24)), np.empty(12), np.empty((12, 12))
    H[:] = 0.0
    for angle in range(2):
        chosen = vectors.pick(local, 1 - angle, 2)
        _derivatives_in_F(vectors.pairs(chosen, q_i, q_j), _SINES[angle], w[angle], G, by_F)
        vectors.gradient_to_q(chosen, G, J[angle])
        vectors.hessian_to_q(chosen, vectors.project(by_F) if project else by_F, by_q)
        H += by_q


@compiled
def _value(K: Array, F: Array) -> float:
    """½ Fᵀ K F of world vectors F (4, 3)."""
    value = 0.0
    for a in range(4):
        for b in range(a):
            if K[a, b] != 0.0:
                value += K[a, b] * np.dot(F[a], F[b])
    return value


@compiled
def _derivatives_in_F(F: Array, sine: Array, weight: float, G: Array, H: Array) -> None:
    """∂θ/∂F into G (12,) and weight·∂²θ/∂F² into H (12, 12), for the bilinear form (4, 4) of the sine."""
    C, S = _value(_COSINE, F), _value(sine, F)
    C1, S1, r2 = (_COSINE @ F).ravel(), (sine @ F).ravel(), C * C + S * S
    G[:] = (C * S1 - S * C1) / r2
    even, odd = weight * (C * C - S * S) / (r2 * r2), 2.0 * weight * C * S / (r2 * r2)
    for k in range(12):
        for m in range(12):
            bilinear = C * sine[k // 3, m // 3] - S * _COSINE[k // 3, m // 3] if k % 3 == m % 3 else 0.0
            H[k, m] = (
                weight * bilinear / r2 - even * (C1[k] * S1[m] + S1[k] * C1[m]) + odd * (C1[k] * C1[m] - S1[k] * S1[m])
            )


@compiled
def residual(x: Array, y: Array, r: Array) -> None:
    """Write r of world vectors x, y (2, 3); see `kinds.residual`."""
    r[3:6] = 0.0
    for k in range(3):
        r[k] = x[0, k] - y[0, k]
        r[3] += x[1, k] * y[1, k]


@compiled
def residual_slopes(x: Array, y: Array, D: Array) -> None:
    """Write ∂r by the world vectors x, y (2, 3); see `kinds.residual_slopes`."""
    D[:] = 0.0
    for k in range(3):
        D[k, 0, 0, k], D[k, 1, 0, k] = 1.0, -1.0
        D[3, 0, 1, k], D[3, 1, 1, k] = y[1, k], x[1, k]
