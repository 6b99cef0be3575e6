"""Forward dynamics by the articulated body algorithm.

From the leaves to the root, each column S of a body's joint takes its free motion out of the body's articulated
inertia Iᴬ and bias pᴬ,

    U = Iᴬ S,   D = Sᵀ U + rotor,   u = τ - Sᵀ pᴬ,   Iᴬ ← Iᴬ - U Uᵀ/D,   pᴬ ← pᴬ + U u/D,

and Iᴬ and pᴬ + Iᴬ c are added to the parent's. From the root to the leaves, a' starts as a_p + c, and each column
gives q̈ = (u - Uᵀ a')/D and a' ← a' + S q̈ (Featherstone 2008, ch. 7.3). For a joint of several columns this is Gauss
elimination on its block. All vectors are in one frame.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.forward_dynamics_with_loops import forward_dynamics_with_loops
from ipc_articulation.dynamics.algorithms.over_states import Algorithm, over_states
from ipc_articulation.dynamics.algorithms.solve import ROUNDING, refuse_singular
from ipc_articulation.dynamics.algorithms.velocity_products import transpose_times
from ipc_articulation.dynamics.arguments import require
from ipc_articulation.dynamics.kernels.kernel import inlined, kernel
from ipc_articulation.dynamics.kernels.sweep import (
    acceleration_of_world,
    add_inertia,
    at_velocity,
    body_inertias,
    subtract_wrench,
)
from ipc_articulation.dynamics.kernels.vectors import (
    cross_force,
    dot,
    inertia_times,
    plus,
    plus_times,
    put,
    put_row,
    row,
    six,
    size,
)
from ipc_articulation.dynamics.model.model import Model

_ARTICULATED = np.dtype([("I", "f8", (6, 6))], align=True)


@inlined
def _with_wrenches(tree, q, v, tau, wrenches, a):
    n = len(tree)
    kin, S, good = at_velocity(tree, q, v)
    bodies, U, Du = np.empty(n, _ARTICULATED), np.empty((len(a), 6)), np.empty((len(a), 2))
    body_inertias(tree, kin)
    for i in range(n):
        start(tree[i], kin[i], wrenches, bodies[i].I)
    for i in range(n - 1, -1, -1):
        b, k = tree[i], kin[i]
        for j in range(b.v + b.nv - 1, b.v - 1, -1):
            good &= _release(bodies[i].I, k, S, U, Du, j, tau[j], b.rotor[j - b.v])
        if b.parent >= 0:
            _add_to_parent(bodies[i].I, k, bodies[b.parent].I, kin[b.parent])
            add_inertia(k, kin[b.parent])
    world = acceleration_of_world(tree)
    for i in range(n):
        b, k = tree[i], kin[i]
        total = plus(world if b.parent < 0 else six(kin[b.parent].a), k.c)
        for j in range(b.v, b.v + b.nv):
            a[j] = (Du[j, 1] - dot(row(U, j), total)) / Du[j, 0]
            total = plus_times(total, a[j], row(S, j))
        put(k.a, total)
    return good


@kernel
def start(b, k, wrenches, I):  # noqa: E741
    """Iᴬ = I, and pᴬ = v ×* I v - w in k.f."""
    m, h, J = k.m, k.h, k.J
    I[0, 0], I[0, 1], I[0, 2], I[1, 1], I[1, 2], I[2, 2] = J[0], J[1], J[2], J[3], J[4], J[5]
    I[0, 3], I[0, 4], I[0, 5] = 0.0, -h[2], h[1]
    I[1, 3], I[1, 4], I[1, 5] = h[2], 0.0, -h[0]
    I[2, 3], I[2, 4], I[2, 5] = -h[1], h[0], 0.0
    I[3, 3], I[3, 4], I[3, 5], I[4, 4], I[4, 5], I[5, 5] = m, 0.0, 0.0, m, 0.0, m
    for r in range(6):
        for c in range(r):
            I[r, c] = I[c, r]
    put(k.f, cross_force(k.v, inertia_times(k, k.v)))
    subtract_wrench(b, wrenches, k)


@kernel
def _release(I, k, S, U, Du, j, tau, rotor):  # noqa: E741
    """Remove the free motion of one column from Iᴬ and pᴬ.

    Returns:
        Whether D is more than rounding errors of the inertia of all that the joint moves.
    """
    s = row(S, j)
    x = transpose_times(I, s)
    D = dot(s, x) + rotor
    u = tau - dot(s, k.f)
    put_row(U, j, x)
    Du[j, 0], Du[j, 1] = D, u
    y = (x[0] / D, x[1] / D, x[2] / D, x[3] / D, x[4] / D, x[5] / D)
    subtract(I, 0, y[0], x)
    subtract(I, 1, y[1], x)
    subtract(I, 2, y[2], x)
    subtract(I, 3, y[3], x)
    subtract(I, 4, y[4], x)
    subtract(I, 5, y[5], x)
    put(k.f, plus_times(six(k.f), u, y))
    return ROUNDING * size(k, s) < D


@kernel
def subtract(A, r, s, x):
    """Row r of A ← row r - s x."""
    A[r, 0] -= s * x[0]
    A[r, 1] -= s * x[1]
    A[r, 2] -= s * x[2]
    A[r, 3] -= s * x[3]
    A[r, 4] -= s * x[4]
    A[r, 5] -= s * x[5]


@kernel
def _add_to_parent(I, k, parent_I, parent):  # noqa: E741
    x = transpose_times(I, six(k.c))
    for r in range(6):
        for c in range(6):
            parent_I[r, c] += I[r, c]
        parent.f[r] += k.f[r] + x[r]


@inlined
def _without_wrenches(tree, q, v, tau, a):
    return _with_wrenches(tree, q, v, tau, np.empty((0, 6)), a)


_WITH_WRENCHES = Algorithm(_with_wrenches, ["q", "v", "tau", "wrenches"], "a", refuse=refuse_singular)


@over_states(_without_wrenches, ["q", "v", "tau"], "a", refuse=refuse_singular)
def _without(model, q, v, x, out=None):
    """The same without external wrenches."""


def forward_dynamics(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    wrenches: ArrayLike | None = None,
    out: Array | None = None,
) -> Array:
    """The acceleration q̈ due to a generalised force, M q̈ = τ - h + Σ Jᵀ w, in time linear in the number of bodies.

    Args:
        model: The model.
        q: Positions, (..., nq).
        v: Velocities, (..., nv).
        tau: Generalised forces, (..., nv) [N·m or N].
        wrenches: On the bodies, (..., nb, 6) [moment about the world's origin; force], world axes [N·m; N].
        out: Array for the result; None: a new one.

    Returns:
        (..., nv) [rad/s² or m/s²].

    Raises:
        ModelError: A joint moves no inertia.
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """
    try:
        loops = model.loops
    except AttributeError:
        require("model", model, Model)
        raise
    if loops:
        return forward_dynamics_with_loops(model, q, v, tau, wrenches, out)
    if wrenches is None:
        return _without(model, q, v, tau, out)
    return _WITH_WRENCHES(model, q, v, tau, wrenches, out=out)
