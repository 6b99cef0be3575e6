"""Motion of the spanning tree of a robot with loops: q, q̇ = G ẏ, G and g from x and ẏ.

    joints in no loop   q = x           q̇ = ẏ
    gears, belts        q = G y + o     q̇ = G ẏ                        g = 0
    closed forms        q = x           q̇_i = s ẏ, q̇_d = G_d ẏ         G_d = -K_d⁻¹ K_i s,  g_d = K_d⁻¹ k
    the rest            q, G and g from Python functions

(`closed_form.py`). Constant entries of G have been filled before.
"""

from __future__ import annotations

from collections.abc import Callable

import numba
import numpy as np
from numba import types

from ipc_articulation.dynamics.kernels.kernel import kernel
from ipc_articulation.dynamics.kernels.sweep import finite
from ipc_articulation.dynamics.loops.closed_form import evaluate, inverse
from ipc_articulation.dynamics.loops.kinds import AFFINE, BAD, FREE, GIVEN, MANIFOLD, OPEN, SINGULAR
from ipc_articulation.dynamics.loops.program import LOOP

# Argument types of the compiled code: it is compiled once for these, and called without numba's check of types.
VECTOR, MATRIX, INDICES, PAIRS = types.float64[::1], types.float64[:, ::1], types.int64[::1], types.int64[:, ::1]
STATE = types.Array(types.float64, 1, "A")
LOOPS = types.Array(numba.from_dtype(LOOP), 1, "C")


@kernel
def unroll(loops, members, parameters, column, x, y_dot, q, v, G, g):
    """Fill q, v, g and the variable entries of G.

    Args:
        loops: Records, see `program.py`.
        members: (k, 2).
        parameters: (p,).
        column: (nv,) the column of G of each independent velocity.
        x: Position, (nx,).
        y_dot: Independent velocities, (nv,).
        q: (nq,), a result, like v (spanning nv,), G (spanning nv, columns) and g (spanning nv,).
        v: See q.
        G: See q; entries that are the same for all states are not changed.
        g: See q.

    Returns:
        0, or a sum: BAD, a wrong length or a number that is not finite; a loop is OPEN or SINGULAR.
    """
    end = loops[-1].x + loops[-1].nx if len(loops) else 0
    if len(x) != end or len(y_dot) != len(column) or not finite(x) or not finite(y_dot):
        return BAD
    status = 0
    for i in range(len(loops)):
        L = loops[i]
        if L.kind == FREE:
            at_q, at_v = members[L.member, 0], members[L.member, 1]
            for j in range(L.size):
                q[at_q + j] = x[L.x + j]
            for j in range(L.ndof):
                v[at_v + j] = y_dot[L.y + j]
                g[at_v + j] = 0.0
        elif L.kind == AFFINE:
            _affine(L, members, parameters, x, y_dot, q, v, g)
        elif L.kind == GIVEN:
            _given(L, members, parameters, column, y_dot, q, v, G, g)
        else:
            status |= _closed_form(L, members, parameters[L.parameter :], column, x, y_dot, q, v, G, g)
    return status


def compiled_unroll() -> Callable[..., int]:
    """`unroll` as machine code."""
    return unroll.compile((LOOPS, PAIRS, VECTOR, INDICES, STATE, STATE, VECTOR, VECTOR, MATRIX, VECTOR))


@kernel
def _affine(L, members, parameters, x, y_dot, q, v, g):
    n, m = L.size, L.ndof
    entry = L.parameter + n
    for j in range(n):
        value, rate = parameters[L.parameter + j], 0.0
        for c in range(m):
            value += parameters[entry] * x[L.x + c]
            rate += parameters[entry] * y_dot[L.y + c]
            entry += 1
        q[members[L.member + j, 0]], v[members[L.member + j, 1]], g[members[L.member + j, 1]] = value, rate, 0.0


@kernel
def _given(L, members, parameters, column, y_dot, q, v, G, g):
    n, m = L.size, L.ndof
    entry, last = L.parameter + n, L.parameter + n * (m + 1)
    for j in range(n):
        at_v, rate = members[L.member + j, 1], 0.0
        for c in range(m):
            G[at_v, column[L.y + c]] = parameters[entry]
            rate += parameters[entry] * y_dot[L.y + c]
            entry += 1
        q[members[L.member + j, 0]], v[at_v], g[at_v] = parameters[L.parameter + j], rate, parameters[last + j]


@kernel
def _closed_form(L, members, p, column, x, y_dot, q, v, G, g):
    n, m = L.size, L.ndof
    at, rate, phi, K, k = x[L.x : L.x + n], np.zeros(n), np.empty(2), np.empty((2, n)), np.empty(2)
    evaluate(L.kind, p[n + m :], at, rate, phi, K, k)
    a, b, c, f, good = inverse(p, m, K)
    d, e = int(p[m]), int(p[m + 1])
    dof_d, dof_e = members[L.member + d, 1], members[L.member + e, 1]
    for r in range(m):
        free, scale = int(p[r]), p[n + r]
        dof, y, place = members[L.member + free, 1], y_dot[L.y + r], column[L.y + r]
        G_d = -scale * (a * K[0, free] + b * K[1, free])
        G_e = -scale * (c * K[0, free] + f * K[1, free])
        G[dof, place], G[dof_d, place], G[dof_e, place] = scale, G_d, G_e
        rate[free], g[dof] = scale * y, 0.0
        rate[d] += G_d * y
        rate[e] += G_e * y
    gap = max(abs(phi[0]), abs(phi[1]))
    evaluate(L.kind, p[n + m :], at, rate, phi, K, k)
    g[dof_d], g[dof_e] = a * k[0] + b * k[1], c * k[0] + f * k[1]
    for j in range(n):
        q[members[L.member + j, 0]], v[members[L.member + j, 1]] = at[j], rate[j]
    return (0 if gap <= MANIFOLD else OPEN) + (0 if good else SINGULAR)
