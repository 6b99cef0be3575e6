"""The maps of `SceneCoordinates` at rotations and free joints, in compiled loops over states.

All take `tables`: places in q and v and the constant C_R of each rotation, (k, 4), (k, 3), (k, 3, 3); the free joint
that it belongs to or -1, (k,); places in v, B_R and c of the free joints, (f, 3), (f, 3, 3), (f, 3). The last argument
has the model's or the scene's values and gets those of the other: only entries of rotations and free joints change.
"""

from __future__ import annotations

import math

import numpy as np

from ipc_articulation.dynamics.kernels.kernel import batch_kernel, kernel


@batch_kernel
def displacements_to_scene(tables, q, values):
    """Displacements (s, nv) of the model at positions (s, nq) become those of the scene."""
    at_q, at_v, child, free, at_x, axes, origin = tables
    R, S, r, x, phi = _space()
    for s in range(len(q)):
        for k in range(len(at_q)):
            _frames(q[s], at_q[k], child[k], R, S)
            _take(values[s], at_v[k], phi)
            if free[k] >= 0:
                f = free[k]
                _carry(R, origin[f], phi, r, x)
                for i in range(3):
                    x[i] += values[s, at_x[f, i]]
                _put_times(axes[f], x, values[s], at_x[f])
            _put_times(S.T, phi, values[s], at_v[k])


@batch_kernel
def displacements_to_model(tables, q, values):
    """Displacements (s, nv) of the scene at positions (s, nq) become those of the model."""
    at_q, at_v, child, free, at_x, axes, origin = tables
    R, S, r, x, phi = _space()
    for s in range(len(q)):
        for k in range(len(at_q)):
            _frames(q[s], at_q[k], child[k], R, S)
            _take(values[s], at_v[k], phi)
            _put_times(S, phi, values[s], at_v[k])
            if free[k] >= 0:
                f = free[k]
                _take(values[s], at_v[k], phi)
                _carry(R, origin[f], phi, r, x)
                _take(values[s], at_x[f], phi)
                _put_times(axes[f].T, phi, values[s], at_x[f])
                for i in range(3):
                    values[s, at_x[f, i]] -= x[i]


@batch_kernel
def velocities_to_model(tables, q, values):
    """Velocities (s, nv) of the scene at positions (s, nq) become the model's: ω = S ω_s, v = B_Rᵀ v_s + r × ω."""
    at_q, at_v, child, free, at_x, axes, origin = tables
    R, S, r, x, omega = _space()
    for s in range(len(q)):
        for k in range(len(at_q)):
            _frames(q[s], at_q[k], child[k], R, S)
            _take(values[s], at_v[k], omega)
            _put_times(S, omega, values[s], at_v[k])
            if free[k] >= 0:
                f = free[k]
                _take(values[s], at_v[k], omega)
                _times(R, origin[f], r)
                _take(values[s], at_x[f], x)
                _put_times(axes[f].T, x, values[s], at_x[f])
                for i in range(3):
                    a, b = (i + 1) % 3, (i + 2) % 3
                    values[s, at_x[f, i]] += r[a] * omega[b] - r[b] * omega[a]


@batch_kernel
def masses_to_scene(tables, q, values):
    """Mass matrices (s, nv, nv) of the model at positions (s, nq) become those of the scene: Vᵀ M V."""
    at_q, at_v, child, free, at_x, axes, origin = tables
    R, S, r, _, _ = _space()
    L = np.empty((3, 3))
    for s in range(len(q)):
        for k in range(len(at_q)):
            _frames(q[s], at_q[k], child[k], R, S)
            if free[k] >= 0:
                _times(R, origin[free[k]], r)
                for c in range(3):
                    for i in range(3):
                        a, b = (i + 1) % 3, (i + 2) % 3
                        L[i, c] = r[a] * S[b, c] - r[b] * S[a, c]
            _times_V(values[s], S, L, at_v[k], at_x, axes, free[k])
            _times_V(values[s].T, S, L, at_v[k], at_x, axes, free[k])


@kernel
def _times_V(M, S, L, at_v, at_x, axes, f):
    """M ← M V, whose columns at one rotation change."""
    x, omega = np.empty(3), np.empty(3)
    for row in range(len(M)):
        _take(M[row], at_v, omega)
        _put_times(S.T, omega, M[row], at_v)
        if f >= 0:
            _take(M[row], at_x[f], x)
            _put_times(axes[f], x, M[row], at_x[f])
            for c in range(3):
                M[row, at_v[c]] += L[0, c] * x[0] + L[1, c] * x[1] + L[2, c] * x[2]


@kernel
def _space():
    return np.empty((3, 3)), np.empty((3, 3)), np.empty(3), np.empty(3), np.empty(3)


@kernel
def _frames(q, at, child, R, S):
    """R of a quaternion of any length but zero, and S = R C_R."""
    w, x, y, z = q[at[0]], q[at[1]], q[at[2]], q[at[3]]
    f = 2.0 / (w * w + x * x + y * y + z * z)
    R[0, 0], R[1, 1], R[2, 2] = 1.0 - f * (y * y + z * z), 1.0 - f * (x * x + z * z), 1.0 - f * (x * x + y * y)
    R[0, 1], R[1, 0] = f * (x * y - w * z), f * (x * y + w * z)
    R[0, 2], R[2, 0] = f * (x * z + w * y), f * (x * z - w * y)
    R[1, 2], R[2, 1] = f * (y * z - w * x), f * (y * z + w * x)
    for i in range(3):
        for j in range(3):
            S[i, j] = R[i, 0] * child[0, j] + R[i, 1] * child[1, j] + R[i, 2] * child[2, j]


@kernel
def _carry(R, origin, phi, r, moved):
    """r = R c, and exp(φ~) r - r = 2 (w e × r + e × (e × r)) with the quaternion (w, e) of φ."""
    _times(R, origin, r)
    half = 0.5 * math.sqrt(phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2])
    factor, w = 0.5 * (math.sin(half) / half if half > 0.0 else 1.0), math.cos(half)
    e = factor * phi[0], factor * phi[1], factor * phi[2]
    c = e[1] * r[2] - e[2] * r[1], e[2] * r[0] - e[0] * r[2], e[0] * r[1] - e[1] * r[0]
    moved[0] = 2.0 * (w * c[0] + e[1] * c[2] - e[2] * c[1])
    moved[1] = 2.0 * (w * c[1] + e[2] * c[0] - e[0] * c[2])
    moved[2] = 2.0 * (w * c[2] + e[0] * c[1] - e[1] * c[0])


@kernel
def _take(values, at, x):
    for i in range(3):
        x[i] = values[at[i]]


@kernel
def _times(A, x, y):
    for i in range(3):
        y[i] = A[i, 0] * x[0] + A[i, 1] * x[1] + A[i, 2] * x[2]


@kernel
def _put_times(A, x, values, at):
    for i in range(3):
        values[at[i]] = A[i, 0] * x[0] + A[i, 1] * x[1] + A[i, 2] * x[2]
