"""Spatial vectors in compiled code: six numbers [angular; linear], tuples or arrays; formulas as in `spatial.py`."""

from __future__ import annotations

from ipc_articulation.dynamics.kernels.kernel import kernel


@kernel
def row(S, k):
    """Row k of an array (n, 6)."""
    return S[k, 0], S[k, 1], S[k, 2], S[k, 3], S[k, 4], S[k, 5]


@kernel
def six(x):
    """Six numbers as a tuple."""
    return x[0], x[1], x[2], x[3], x[4], x[5]


@kernel
def dot(x, y):
    """x·y."""
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3] + x[4] * y[4] + x[5] * y[5]


@kernel
def plus(x, y):
    """x + y of two tuples of six."""
    return x[0] + y[0], x[1] + y[1], x[2] + y[2], x[3] + y[3], x[4] + y[4], x[5] + y[5]


@kernel
def plus_times(x, s, y):
    """x + s y of two tuples of six."""
    return (
        x[0] + s * y[0],
        x[1] + s * y[1],
        x[2] + s * y[2],
        x[3] + s * y[3],
        x[4] + s * y[4],
        x[5] + s * y[5],
    )


@kernel
def put(x, y):
    """x ← y, six numbers."""
    for a in range(6):
        x[a] = y[a]


@kernel
def put_row(S, k, y):
    """Row k of S ← y, six numbers; no array is made for the row."""
    S[k, 0], S[k, 1], S[k, 2], S[k, 3], S[k, 4], S[k, 5] = y[0], y[1], y[2], y[3], y[4], y[5]


@kernel
def add(x, y):
    """x ← x + y, six numbers."""
    for a in range(6):
        x[a] += y[a]


@kernel
def cross3(x, y):
    """x × y of three numbers each."""
    return x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]


@kernel
def cross(v, x):
    """v × x = [ω×x_ω; ω×x_v + v×x_ω], for twists."""
    return (
        v[1] * x[2] - v[2] * x[1],
        v[2] * x[0] - v[0] * x[2],
        v[0] * x[1] - v[1] * x[0],
        v[1] * x[5] - v[2] * x[4] + v[4] * x[2] - v[5] * x[1],
        v[2] * x[3] - v[0] * x[5] + v[5] * x[0] - v[3] * x[2],
        v[0] * x[4] - v[1] * x[3] + v[3] * x[1] - v[4] * x[0],
    )


@kernel
def cross_force(v, f):
    """v ×* f = [ω×n + v×f; ω×f], for wrenches [n; f]."""
    return (
        v[1] * f[2] - v[2] * f[1] + v[4] * f[5] - v[5] * f[4],
        v[2] * f[0] - v[0] * f[2] + v[5] * f[3] - v[3] * f[5],
        v[0] * f[1] - v[1] * f[0] + v[3] * f[4] - v[4] * f[3],
        v[1] * f[5] - v[2] * f[4],
        v[2] * f[3] - v[0] * f[5],
        v[0] * f[4] - v[1] * f[3],
    )


@kernel
def inertia_times(k, x):
    """I x = [I_o ω + h × v; m v - h × ω] for a record with mass m, first moment h = m c and I_o about the origin."""
    m, h, J = k.m, k.h, k.J
    return (
        J[0] * x[0] + J[1] * x[1] + J[2] * x[2] + h[1] * x[5] - h[2] * x[4],
        J[1] * x[0] + J[3] * x[1] + J[4] * x[2] + h[2] * x[3] - h[0] * x[5],
        J[2] * x[0] + J[4] * x[1] + J[5] * x[2] + h[0] * x[4] - h[1] * x[3],
        m * x[3] - h[1] * x[2] + h[2] * x[1],
        m * x[4] - h[2] * x[0] + h[0] * x[2],
        m * x[5] - h[0] * x[1] + h[1] * x[0],
    )


@kernel
def size(k, s):
    """The size of the terms of sᵀ I s, for a record as in `inertia_times`."""
    x = inertia_times(k, s)
    return (
        abs(s[0] * x[0]) + abs(s[1] * x[1]) + abs(s[2] * x[2]) + abs(s[3] * x[3]) + abs(s[4] * x[4]) + abs(s[5] * x[5])
    )
