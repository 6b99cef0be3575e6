"""Displacements of positions with quaternions, in compiled loops over states; `joints/elements.py` has the formulas."""

from __future__ import annotations

import math

from ipc_articulation.dynamics.kernels.kernel import batch_kernel, kernel


@batch_kernel
def move(plain, turning, q, step, moved):
    """moved ← q ⊕ step.

    Args:
        plain: Coordinates in q and in the step, of those that belong to no quaternion, (n,) each.
        turning: First coordinates of each quaternion in q and in the step, (k, 2).
        q: Positions, (s, nq).
        step: Displacements, (s, nv).
        moved: The result, (s, nq).
    """
    for s in range(len(q)):
        for i in range(len(plain[0])):
            moved[s, plain[0][i]] = q[s, plain[0][i]] + step[s, plain[1][i]]
        for k in range(len(turning)):
            a, v = turning[k]
            x, y, z = step[s, v], step[s, v + 1], step[s, v + 2]
            half = 0.5 * math.sqrt(x * x + y * y + z * z)
            factor = 0.5 * (math.sin(half) / half if half > 0.0 else 1.0)
            turn = math.cos(half), factor * x, factor * y, factor * z
            p = product(turn, (q[s, a], q[s, a + 1], q[s, a + 2], q[s, a + 3]))
            length = math.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3])
            for i in range(4):
                moved[s, a + i] = p[i] / length


@batch_kernel
def part(plain, turning, q0, q1, step):
    """step ← the displacements that take q0 to q1, (s, nq) each; the other arguments are those of `move`."""
    for s in range(len(q0)):
        for i in range(len(plain[0])):
            step[s, plain[1][i]] = q1[s, plain[0][i]] - q0[s, plain[0][i]]
        for k in range(len(turning)):
            a, v = turning[k]
            back = q0[s, a], -q0[s, a + 1], -q0[s, a + 2], -q0[s, a + 3]
            w, x, y, z = product((q1[s, a], q1[s, a + 1], q1[s, a + 2], q1[s, a + 3]), back)
            sine = math.sqrt(x * x + y * y + z * z)
            half = math.atan2(sine, abs(w))
            factor = math.copysign(2.0, w) * (half / math.sin(half) if half > 0.0 else 1.0)
            step[s, v], step[s, v + 1], step[s, v + 2] = factor * x, factor * y, factor * z


@kernel
def product(a, b):
    """The product of two quaternions (w, x, y, z)."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )
