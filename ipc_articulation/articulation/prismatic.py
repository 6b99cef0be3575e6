"""The displacement of one prismatic joint as a function of its four world vectors, F = (cᵢ, t̂ᵢ, cⱼ, t̂ⱼ).

    θ = ((cⱼ - cᵢ)·t̂ᵢ - (cᵢ - cⱼ)·t̂ⱼ)/2 = d·s,   d = cⱼ - cᵢ,   s = (t̂ᵢ + t̂ⱼ)/2,   δθ = θ - θᵗ

(libuipc's specification of the external articulation constraint.) The four vectors are linear in q, so all curvature
in q is curvature in F, and there it is constant: along a change (d', s') the second derivative is 2 d'·s'. In the
orthonormal coordinates d'/√2 and √2 s' its eigenvalues are ±1, three of each, so that

    H: 2 d'·s',   |H|: ½|d'|² + 2|s'|²,

and the projection of w H onto positive semidefinite matrices is ½(w H + |w| |H|). c in metres, t̂ a pure number.

The penalty holds what is no slide along the axis: with n and b, two normals of the axis that each body carries along,

    r = ((cⱼ-cᵢ) × tᵢ, (cᵢ-cⱼ) × tⱼ, nᵢ-nⱼ, bᵢ-bⱼ).
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.articulation import vectors
from ipc_articulation.articulation.frames import (
    Placement,
    axis_from_local,
    local_directions,
    local_points,
    orthonormal_basis,
    unit,
)
from ipc_articulation.compiled import compiled

HOME = (0.0,)  # θ where θ = 0
D = np.array([-1.0, 0.0, 1.0, 0.0])  # d = D F
S = np.array([0.0, 0.5, 0.0, 0.5])  # s = S F
HESSIAN = np.kron(np.outer(D, S) + np.outer(S, D), np.eye(3))
ABSOLUTE_HESSIAN = np.kron(0.5 * np.outer(D, D) + 2.0 * np.outer(S, S), np.eye(3))


def measured(placement: Placement) -> Array:
    """(c̄, t̄) in both bodies, the axis edge's first end and the direction of the axis, (m, 2, 2, 4)."""
    t = local_directions(unit(placement.axes)[:, :, None], placement.transforms)
    return np.concatenate([local_points(placement.points[:, :, :1]), t], axis=2)


def held(placement: Placement) -> Array:
    """(c̄, t̄, n̄, b̄) in both bodies, of the left body's axis edge, (m, 2, 4, 4)."""
    axis = axis_from_local(placement.points[:, 0], placement.transforms[:, 0])
    frame = np.stack(orthonormal_basis(axis), axis=-2)  # (m, 3, 3)
    directions = local_directions(frame[:, None], placement.transforms)
    return np.concatenate([local_points(placement.points[:, :, :1]), directions], axis=2)


def right_axis_reversed(local: Array) -> Array:
    """Local vectors (2, v, 4) of the same joint with -t̄ⱼ for t̄ⱼ: its θ is d·(tᵢ - tⱼ)/2."""
    reversed_axis = local.copy()
    reversed_axis[1, 1] *= -1.0
    return reversed_axis


@compiled(inline="always")
def set_reference(local: Array, q_i: Array, q_j: Array, reference: Array) -> None:
    """Write θᵗ; see `kinds.set_reference`."""
    reference[0] = displacement(vectors.pairs(local, q_i, q_j))


@compiled(inline="always")
def delta_theta(local: Array, q_i: Array, q_j: Array, reference: Array, delta: Array) -> None:
    """Write δθ [m]; see `kinds.delta_theta`."""
    delta[0] = displacement(vectors.pairs(local, q_i, q_j)) - reference[0]


@compiled
def derivatives(local: Array, q_i: Array, q_j: Array, w: float, project: bool, g: Array, H: Array) -> None:
    """∂δθ/∂q into g (24,) and w ∂²δθ/∂q² into H (24, 24); see `kinds.derivatives`."""
    G, by_F = np.empty(12), np.empty((12, 12))
    derivatives_in_F(vectors.pairs(local, q_i, q_j), w, project, G, by_F)
    vectors.gradient_to_q(local, G, g)
    vectors.hessian_to_q(local, by_F, H)


@compiled
def displacement(F: Array) -> float:
    """θ [m] of world vectors F (4, 3)."""
    c_i, t_i, c_j, t_j = F[0], F[1], F[2], F[3]
    theta = 0.0
    for a in range(3):
        theta += 0.5 * (c_j[a] - c_i[a]) * (t_i[a] + t_j[a])
    return theta


@compiled
def derivatives_in_F(F: Array, weight: float, project: bool, G: Array, H: Array) -> None:
    """∇θ = (-s, d/2, s, d/2) into G (12,), and weight·∇²θ or its projection into H (12, 12); see `revolute`."""
    for a in range(3):
        d, s = F[2, a] - F[0, a], 0.5 * (F[1, a] + F[3, a])
        G[a], G[3 + a], G[6 + a], G[9 + a] = -s, 0.5 * d, s, 0.5 * d
    for k in range(12):
        for m in range(12):
            if project:
                H[k, m] = 0.5 * (weight * HESSIAN[k, m] + abs(weight) * ABSOLUTE_HESSIAN[k, m])
            else:
                H[k, m] = weight * HESSIAN[k, m]


@compiled
def residual(x: Array, y: Array, r: Array) -> None:
    """Write r of world vectors x, y (4, 3); see `kinds.residual`."""
    off_axis(x, y, r)
    for k in range(3):
        r[6 + k], r[9 + k] = x[2, k] - y[2, k], x[3, k] - y[3, k]


@compiled
def residual_slopes(x: Array, y: Array, D: Array) -> None:
    """Write ∂r by the world vectors x, y (4, 3); see `kinds.residual_slopes`."""
    D[:] = 0.0
    off_axis_slopes(x, y, D)
    for k in range(3):
        for a in range(2):
            D[6 + 3 * a + k, 0, 2 + a, k], D[6 + 3 * a + k, 1, 2 + a, k] = 1.0, -1.0


@compiled
def off_axis(x: Array, y: Array, r: Array) -> None:
    """Write ((cⱼ-cᵢ) × tᵢ, (cᵢ-cⱼ) × tⱼ) into r (6 or more,), for x and y that begin with c and t."""
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        r[k] = (y[0, i] - x[0, i]) * x[1, j] - (y[0, j] - x[0, j]) * x[1, i]
        r[3 + k] = (x[0, i] - y[0, i]) * y[1, j] - (x[0, j] - y[0, j]) * y[1, i]


@compiled
def off_axis_slopes(x: Array, y: Array, D: Array) -> None:
    """Write the slopes of `off_axis` into the first six rows of D, which are zero."""
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        c_i, c_j = y[0, i] - x[0, i], y[0, j] - x[0, j]
        # by cⱼ - cᵢ: eₖ × t has the entries -t_j at i and t_i at j
        D[i, 1, 0, k], D[j, 1, 0, k] = -x[1, j], x[1, i]
        D[i, 0, 0, k], D[j, 0, 0, k] = x[1, j], -x[1, i]
        D[3 + i, 0, 0, k], D[3 + j, 0, 0, k] = -y[1, j], y[1, i]
        D[3 + i, 1, 0, k], D[3 + j, 1, 0, k] = y[1, j], -y[1, i]
        # by the directions: c × eₖ has the entries c_j at i and -c_i at j
        D[i, 0, 1, k], D[j, 0, 1, k] = c_j, -c_i
        D[3 + i, 1, 1, k], D[3 + j, 1, 1, k] = -c_j, c_i
