"""Loops with explicit compiled formulas of φ, K and k.

Each has two equations. With the coordinates in the order q = (q_i, q_d), independent before dependent,

    q̇_i = s ẏ,   q̇_d = -K_d⁻¹ K_i s ẏ,   g_d = K_d⁻¹ k,   K_d⁻¹ = adj(K_d) / det K_d

and Newton's method closes the loop, as in `implicit.py`. The parameters of a loop are the indices of the m independent
coordinates, those of the two dependent ones, s (m), and the parameters of its kind.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.kernels.kernel import kernel
from ipc_articulation.dynamics.loops.formulas import four_bar, tello_hip, tello_knee_ankle
from ipc_articulation.dynamics.loops.implicit import CLOSED, ITERATIONS, NEAR, ROUNDING, SINGULAR, Implicit
from ipc_articulation.dynamics.loops.kinds import FOUR_BAR, TELLO_HIP


class ClosedForm(Implicit):
    """φ(q) = 0 with two equations, of one of the compiled kinds.

    Args:
        kind: The kind of loop.
        own: The parameters of its kind.
        size: n.
        independent: Indices of the m coordinates that determine the others, among the n.
        scale: q̇ of an independent coordinate per unit of ẏ.

    Raises:
        ModelError: The indices of independent coordinates are not different.
    """

    def __init__(
        self, kind: int, own: Sequence[float], size: int, independent: Sequence[int], scale: float = 1.0
    ) -> None:
        self._choose(size, independent, scale)
        self.kind = kind
        self.parameters = np.concatenate([self._free, self._bound, self._scale, own]).astype(float)

    def _evaluate(self, q: Array, q_dot: Array) -> list[Array]:
        phi, K, k = np.empty(2), np.empty((2, self.size)), np.empty(2)
        own = self.parameters[self.size + self.ndof :]
        evaluate(self.kind, own, np.asarray(q, dtype=float), np.asarray(q_dot, dtype=float), phi, K, k)
        return [phi, K, k]

    def closed(self, q: Array) -> Array:
        """The position that `Implicit.closed` finds.

        Raises:
            StateError: The iteration does not converge, or reaches a singular position.
        """
        end = np.array(q, dtype=float)
        if close(self.kind, self.parameters, self.size, self.ndof, end):
            return end
        return super().closed(q)  # for its error message


@kernel
def evaluate(kind, p, q, q_dot, phi, K, k):
    """φ (2,), K (2, n) and k (2,) of q and q̇ (n,); p: the loop's own parameters."""
    if kind == FOUR_BAR:
        four_bar(p, q, q_dot, phi, K, k)
    elif kind == TELLO_HIP:
        tello_hip(p, q, q_dot, phi, K, k)
    else:
        tello_knee_ankle(p, q, q_dot, phi, K, k)


@kernel
def inverse(p, m, K):
    """K_d⁻¹ in row order, and whether the independent coordinates determine the others."""
    d, e = int(p[m]), int(p[m + 1])
    det = K[0, d] * K[1, e] - K[0, e] * K[1, d]
    size = max(abs(K[0, d]), abs(K[0, e]), abs(K[1, d]), abs(K[1, e]))
    good = 2.0 * size * size < SINGULAR * abs(det)  # both matrices have the same largest entry, up to det
    return K[1, e] / det, -K[0, e] / det, -K[1, d] / det, K[0, d] / det, good


@kernel
def close(kind, p, n, m, q):
    """Close a loop by changing its dependent coordinates, with the method of `implicit.py`.

    Returns:
        Whether the loop was closed.
    """
    d, e, own, rate = int(p[m]), int(p[m + 1]), p[n + m :], np.zeros(n)
    phi, K, k = np.empty(2), np.empty((2, n)), np.empty(2)
    for _ in range(ITERATIONS):
        rate[d], rate[e] = 0.0, 0.0
        evaluate(kind, own, q, rate, phi, K, k)
        a, b, c, f, good = inverse(p, m, K)
        closed = _is_closed(phi, K, q, CLOSED)
        if not good or (closed and _is_closed(phi, K, q, ROUNDING)):
            return closed
        rate[d], rate[e] = -a * phi[0] - b * phi[1], -c * phi[0] - f * phi[1]
        length, damping = max(abs(rate[d]), abs(rate[e])), 1.0
        if length > NEAR:
            evaluate(kind, own, q, rate, phi, K, k)
            c_p = max(abs(a * k[0] + b * k[1]), abs(c * k[0] + f * k[1]))
            damping = length / max(length, c_p)
        q[d] += damping * rate[d]
        q[e] += damping * rate[e]
        if closed:
            return True
    return False


@kernel
def _is_closed(phi, K, q, tolerance):
    """Whether |φ| is zero, relative to |K| |q| and to 1."""
    for i in range(len(phi)):
        size = 0.0
        for j in range(len(q)):
            size += abs(K[i, j] * q[j])
        if not abs(phi[i]) <= tolerance * max(1.0, size):
            return False
    return True
