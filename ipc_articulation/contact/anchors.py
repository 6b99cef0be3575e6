"""Friction that holds: every pair of bodies remembers by how far its points are displaced from their anchors.

    E = Σ_k μ λ_k f₀(|s_k + u_k|, δ),   δ = 10⁻³ d̂

u_k is the tangential displacement of contact point k in this step, s_k that of the steps before: the tangential springs
of Cundall & Strack 1979, «A discrete numerical model for granular assemblies», in an incremental potential. f₀' <= 1
(see `smooth_norm`), so the cone is exact whatever is remembered; what is below it comes to rest with f₀' = load/(μ λ),
at less than δ from its anchor, and stays.

The points are found anew in each step. So it is the pair that remembers, a rigid field in world axes

    s(x) = t + ω × (x - c),   of which a point reads   s_k = P_k s(x_k),   P_k = 1 - n_k n_kᵀ.

At the end of a step the points have s_k + u_k, at most δ long: at the cone the anchor follows. The new field is

    min over t, ω of   Σ λ_k |P_k (t + ω × (x_k - c)) - s_k|²/Λ
    Λ = Σ λ_k,   c = Σ λ_k x_k/Λ,   ρ² = Σ λ_k |x_k - c|²/Λ + d̂²,

by A z = b for z = (t, ρ ω): z = Σ_m f(σ_m)/σ_m v_m v_mᵀ b with the eigenvalues σ and vectors v of A. f rises from 0
to 1 between σ = 10⁻⁴ and 10⁻³. A flat patch has σ = 1, 1 and almost 1 for what it feels. A body that sticks moves by a
rigid field, which the fit returns as it is, whichever points are found next; what the points hardly see is forgotten:
rotations out of the plane, and the twist of a patch of less than a hundredth of d̂.

Then the field goes with the pair: c by the mean motion of both bodies, t and ω turned by the mean of their rotations.
So a body that is held and swung finds its springs turned with it. A body that rolls by φ on another, or on a
half-plane, turns them by φ/2 out of their plane, and loses φ²/8 of them.

A pair without contact points forgets. A pair of which no body moves keeps its field to the last bit.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import cross, dot
from ipc_articulation.contact.held import Held, place

LENGTH = 1e-3  # δ/d̂
_UNSEEN, _SEEN = 1e-4, 1e-3  # σ where f is 0, and where it is 1
_FIELD = 9  # numbers of a field: t, ω, c

NO_ANCHORS = Held(np.zeros(0, dtype=np.int64), np.zeros((0, _FIELD)))


@compiled
def read(pairs, fields, count, bodies, pair, point, normal):
    """What contact points read from the held fields.

    Args:
        pairs: Those that are held, (h,).
        fields: Theirs, (h, 9).
        count: N, the number of bodies and half-planes.
        bodies: Pairs of bodies (P, 2), the first one not after the second.
        pair: Rows of `bodies`, (k,).
        point: At the beginning of the step, (k, 3) [m].
        normal: Unit vectors, (k, 3).

    Returns:
        s (k, 3) [m].
    """
    s, arm = np.zeros(point.shape), np.empty(3)
    row = np.empty(len(bodies), dtype=np.int64)
    for p in range(len(bodies)):
        row[p] = place(pairs, bodies[p, 0] * count + bodies[p, 1])
    for k in range(len(pair)):
        if row[pair[k]] < 0:
            continue
        field, along = fields[row[pair[k]]], 0.0
        for m in range(3):
            arm[m] = point[k, m] - field[6 + m]
        cross(field[3:6], arm, s[k])
        for m in range(3):
            s[k, m] += field[m]
            along += s[k, m] * normal[k, m]
        for m in range(3):
            s[k, m] -= along * normal[k, m]
    return s


@compiled
def normal_equations(bodies, pair, weight, point, normal, stretch, length):
    """A (P, 6, 6) and b (P, 6) of (t, ρ ω), c (P, 3) and ρ (P,)."""
    P = len(bodies)
    A, b, c, rho, total = np.zeros((P, 6, 6)), np.zeros((P, 6)), np.zeros((P, 3)), np.zeros(P), np.zeros(P)
    for k in range(len(pair)):
        total[pair[k]] += weight[k]
        c[pair[k]] += weight[k] * point[k]
    for p in range(P):
        c[p] /= total[p]
    for k in range(len(pair)):
        arm = point[k] - c[pair[k]]
        rho[pair[k]] += weight[k] / total[pair[k]] * dot(arm, arm)
    for p in range(P):
        rho[p] = np.sqrt(rho[p] + (length[p] / LENGTH) ** 2)
    G = np.empty((6, 3))
    for k in range(len(pair)):
        p = pair[k]
        _moves((point[k] - c[p]) / rho[p], normal[k], G)
        size = np.sqrt(dot(stretch[k], stretch[k]))
        part = weight[k] / total[p]
        held = part * min(1.0, length[p] / size) if size > 0.0 else 0.0
        for a in range(6):
            b[p, a] += held * dot(G[a], stretch[k])
            for m in range(6):
                A[p, a, m] += part * dot(G[a], G[m])
    return A, b, c, rho


@compiled
def weighted(sigma, v):
    """f(σ)/σ v, (P, 6, 6), of eigenvalues (P, 6) and vectors, in the columns of (P, 6, 6)."""
    weighted = np.empty(v.shape)
    for p in range(len(sigma)):
        for m in range(6):
            share = min(max((sigma[p, m] - _UNSEEN) / (_SEEN - _UNSEEN), 0.0), 1.0)
            f = share**2 * (3.0 - 2.0 * share) / max(sigma[p, m], _UNSEEN)
            for k in range(6):
                weighted[p, k, m] = v[p, k, m] * f
    return weighted


@compiled
def _moves(arm, n, G):
    """Fill G (6, 3): by what the point at `arm` from the centre moves in its plane with each unknown."""
    G[:] = 0.0
    for m in range(3):
        i, j = (m + 1) % 3, (m + 2) % 3
        G[m, m] = 1.0
        G[3 + m, i], G[3 + m, j] = -arm[j], arm[i]  # e_m × arm
    for a in range(6):
        G[a] -= dot(G[a], n) * n


@compiled
def carried(bodies, z, c, rho, held, q_prev, q):
    """The fields of z = (t, ρ ω) (P, 6), with their pairs from q_prev to q, and sorted by their keys."""
    held_keys, held_fields, count = held
    fields, keys = np.empty((len(bodies), _FIELD)), np.empty(len(bodies), dtype=np.int64)
    for p in range(len(bodies)):
        keys[p] = bodies[p, 0] * count + bodies[p, 1]
        for k in range(3):
            fields[p, k], fields[p, 3 + k], fields[p, 6 + k] = z[p, k], z[p, 3 + k] / rho[p], c[p, k]
    _carry(bodies, keys, held_keys, held_fields, q_prev, q, fields)
    order = np.argsort(keys)
    return keys[order], fields[order]


@compiled
def _carry(bodies, keys, held_keys, held_fields, q_prev, q, fields):
    """Move the fields (P, 9) with their pairs; those of pairs that do not move are as they were."""
    turn, half, moved = np.empty(3), np.empty(3), np.empty(3)
    for p in range(len(bodies)):
        turn[:], moved[:] = 0.0, 0.0
        is_still = True
        for body in bodies[p]:
            if body < len(q) and np.any(q[body] != q_prev[body]):
                is_still = False
                _rotation(q_prev[body], q[body], half)
                turn += 0.5 * half
                _displacement(q_prev[body], q[body], fields[p, 6:], half)
                moved += 0.5 * half
        at = place(held_keys, keys[p])
        if is_still:
            fields[p, :6] = 0.0
            if at >= 0:
                fields[p] = held_fields[at]
        else:
            _turn(turn, fields[p, :3])
            _turn(turn, fields[p, 3:6])
            fields[p, 6:] += moved


@compiled
def _rotation(before, after, turn):
    """Fill turn (3,), the rotation vector of R = A' Aᵀ, with coordinates (12,) before and after."""
    R = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            R[i, j] = dot(after[3 + 3 * i : 6 + 3 * i], before[3 + 3 * j : 6 + 3 * j])
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        turn[k] = 0.5 * (R[j, i] - R[i, j])
    sine = np.sqrt(dot(turn, turn))
    if sine > 0.0:
        turn *= np.arctan2(sine, 0.5 * (R[0, 0] + R[1, 1] + R[2, 2] - 1.0)) / sine


@compiled
def _displacement(before, after, x, moved):
    """Fill moved (3,): by how much a body's material at x (3,) moves, p' - p + (A' - A) x̄; Aᵀ stands for A⁻¹ in x̄."""
    local, change = np.zeros(3), after - before
    for k in range(3):
        local += before[3 + 3 * k : 6 + 3 * k] * (x[k] - before[k])
    for k in range(3):
        moved[k] = change[k] + dot(change[3 + 3 * k : 6 + 3 * k], local)


@compiled
def _turn(phi, v):
    """Turn v (3,) by the rotation vector φ (Rodrigues)."""
    angle = np.sqrt(dot(phi, phi))
    if angle > 0.0:
        axis, side = phi / angle, np.empty(3)
        cross(axis, v, side)
        along = dot(axis, v)
        v[:] = np.cos(angle) * v + np.sin(angle) * side + (1.0 - np.cos(angle)) * along * axis
