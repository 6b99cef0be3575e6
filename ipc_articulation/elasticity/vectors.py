"""Vectors of three numbers as tuples, which compiled code keeps in registers."""

from __future__ import annotations

import numpy as np

from ipc_articulation.elasticity.kernel import kernel


@kernel
def between(x, v, w):
    """x_w - x_v of vertices x (n, 3)."""
    return x[w, 0] - x[v, 0], x[w, 1] - x[v, 1], x[w, 2] - x[v, 2]


@kernel
def scaled(a, u):
    """a u."""
    return a * u[0], a * u[1], a * u[2]


@kernel
def mix(a, u, b, v):
    """a u + b v."""
    return a * u[0] + b * v[0], a * u[1] + b * v[1], a * u[2] + b * v[2]


@kernel
def combined(a, u, v, w):
    """a₀ u + a₁ v + a₂ w."""
    return (
        a[0] * u[0] + a[1] * v[0] + a[2] * w[0],
        a[0] * u[1] + a[1] * v[1] + a[2] * w[1],
        a[0] * u[2] + a[1] * v[2] + a[2] * w[2],
    )


@kernel
def dot(u, v):
    """u · v."""
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


@kernel
def cross(u, v):
    """u × v."""
    return u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]


@kernel
def unit_normal(a, b):
    """The unit normal of unit vectors a and b, and the sine of the angle between them; any normal of a if parallel.

    n = a × (b ∓ a), the smaller of both: it keeps its digits where a and b are nearly parallel.
    """
    sign = 1.0 if dot(a, b) > 0.0 else -1.0
    n = cross(a, mix(1.0, b, -sign, a))
    sine = np.sqrt(dot(n, n))
    if sine > 0.0:
        return scaled(1.0 / sine, n), sine
    n = (0.0, a[2], -a[1]) if abs(a[0]) < 0.5 else (-a[2], 0.0, a[0])
    length = np.sqrt(dot(n, n))
    return scaled(1.0 / length, n), sine
