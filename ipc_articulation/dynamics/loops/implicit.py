"""Loops given by a function φ(q) alone.

The user writes φ as a Python function of an array of n numbers, with numpy's functions. CasADi runs it once on symbols
and differentiates exactly: K = ∂φ/∂q and k = -∂(K q̇)/∂q q̇. (Complex steps would give K exactly, but not k. JAX would
compile for seconds a function that runs for microseconds.) With the columns of independent coordinates put first,
K = [K_i K_d], and

    G_i = 1,   G_d = -K_d⁻¹ K_i,   g_i = 0,   g_d = K_d⁻¹ k.

There is no closed form of q, so the position is q itself, and must stay on the manifold. If K_d is singular, the
independent coordinates do not determine the others.

Newton's method closes the loop by steps q_d ← q_d + λ p, p = -K_d⁻¹ φ. Along p, φ(q + λ p) = (1 - λ) φ + ½ λ² φ''[p, p]
+ …, so a step has the error ½ λ² c with c = -K_d⁻¹ φ''[p, p] = K_d⁻¹ k(q, p). The error is kept below half of the step,

    λ = min(1, |p| / |c|)

(the damping of Deuflhard 2011, «Newton Methods for Nonlinear Problems», ch. 3.1, with the exact second derivative). The
loop then follows the path on which φ decreases, to the nearest assembly; near a singular position undamped steps are of
size 1/det K_d and could end at any assembly. If φ is linear (gears), c = 0 and one step of any length is enough.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.loops.constraint import LoopConstraint
from ipc_articulation.errors import ModelError, StateError

CLOSED = 1e-12  # |φ| on the manifold, relative to |K| |q| and to 1 (loops are of some decimetres or radians)
SINGULAR = 1e8  # condition number of K_d above which it is singular
WELL_CONDITIONED = 1e3  # largest condition number of K_d at random positions
ROUNDING = 1e-15  # the same; between it and CLOSED one more Newton step is made, below it none
ROUNDED = 1e-9  # Newton steps below this that shrink no more are rounding errors of φ, whose terms may be large
ITERATIONS = 50
NEAR = 0.1  # Newton steps up to this length are not damped [rad or m]


class Implicit(LoopConstraint):
    """The constraint φ(q) = 0 between joints.

    Args:
        phi: The function, from an array of n numbers to n - m numbers.
        size: n.
        independent: Indices of the m coordinates that determine the others, among the n.
        scale: q̇ of an independent coordinate per unit of ẏ, one number or m.

    Raises:
        ModelError: φ cannot be run on symbols, its result has not one number for each dependent coordinate, or CasADi
            is not installed.
    """

    def __init__(
        self, phi: Callable[[Any], Any], size: int, independent: Sequence[int], scale: float | Sequence[float] = 1.0
    ) -> None:
        self._choose(size, independent, scale)
        self._function, self._constant_rows = _differentiated(phi, size, len(self._bound))

    def _choose(self, size: int, independent: Sequence[int], scale: float | Sequence[float]) -> None:
        """Set the independent coordinates; the arguments are those of the class."""
        self.size = self.position_size = size
        self.ndof = len(independent)
        self._free = np.array(independent, dtype=np.int64)
        if len(set(independent)) != self.ndof or not all(0 <= i < size for i in independent):
            given = list(independent)
            raise ModelError(f"independent coordinates must be different places from 0 to {size - 1}; they are {given}")
        self._bound = np.setdiff1d(np.arange(size), self._free)
        self._scale = np.broadcast_to(np.asarray(scale, dtype=float), self.ndof)

    _constant_rows: Sequence[Array] = ()  # rows of K that are the same at all positions, (n,) each

    def _evaluate(self, q: Array, q_dot: Array) -> list[Array]:
        """φ, K and k."""
        return self._function(q, q_dot)

    def spanning(self, x: Array) -> Array:
        return x

    def phi(self, q: Array) -> Array:
        return self._evaluate(q, np.zeros(self.size))[0]

    def K(self, q: Array) -> Array:
        return self._evaluate(q, np.zeros(self.size))[1]

    def k(self, q: Array, q_dot: Array) -> Array:
        return self._evaluate(q, q_dot)[2]

    def G(self, x: Array) -> Array:
        return self._tangent(self.K(x))

    def g(self, x: Array, y_dot: Array) -> Array:
        return self.motion(x, y_dot)[2]

    def motion(self, x: Array, y_dot: Array) -> tuple[Array, Array, Array]:
        """The spanning coordinates q, G and g.

        Raises:
            StateError: The loop is singular.
        """
        G = self.G(x)
        _, K, k = self._evaluate(x, G @ y_dot)
        g = np.zeros(self.size)
        g[self._bound] = self._solve(K, k)
        return x, G, g

    def _tangent(self, K: Array) -> Array:
        G = np.zeros((self.size, self.ndof))
        G[self._free, np.arange(self.ndof)] = self._scale
        G[self._bound] = -self._solve(K, K[:, self._free] * self._scale)
        return G

    def integrate(self, x: Array, y_dot: Array, dt: float) -> Array:
        return self.closed(x + dt * (self.G(x) @ y_dot))

    def difference(self, x: Array, x_end: Array) -> Array:
        return (x_end - x)[self._free] / self._scale

    def rate(self, x: Array, y_dot: Array) -> Array:
        return self.G(x) @ y_dot

    def position(self, q: Array) -> Array:
        return self.closed(q)

    def names(self, joints: Sequence[str]) -> tuple[list[str], list[str]]:
        return list(joints), [joints[place] for place in self._free]

    def moves_with_one(self, place: int) -> bool:
        return self.ndof == 1 or place in self._free

    def constant_rates(self) -> dict[int, tuple[int, float]]:
        """The rates of independent coordinates, and of others that a linear row of φ relates to only one of them."""
        rates = {int(place): (column, float(self._scale[column])) for column, place in enumerate(self._free)}
        for row in self._constant_rows:
            free, bound = np.flatnonzero(row[self._free]), self._bound[row[self._bound] != 0.0]
            if len(free) == len(bound) == 1:
                column, place = int(free[0]), int(bound[0])
                rates[place] = column, float(-row[self._free[column]] / row[place] * self._scale[column])
        return rates

    def closed(self, q: Array) -> Array:
        """The nearest position on the manifold with the same independent coordinates, by damped Newton steps from q.

        Raises:
            StateError: The iteration does not converge, or reaches a singular position.
        """
        q, last = np.array(q, dtype=float), np.inf
        for steps in range(ITERATIONS):
            phi, K, _ = self._evaluate(q, np.zeros(self.size))
            gap = np.max(np.abs(phi) / np.maximum(1.0, np.abs(K) @ np.abs(q)))
            inverse, condition = self._inverse(K)
            if gap <= ROUNDING or (gap <= CLOSED and not condition < SINGULAR):
                return q
            if not condition < SINGULAR:
                if steps:
                    break
                raise _singular(condition)
            step = self._damped(q, inverse, -inverse @ phi)
            q[self._bound] += step
            length = np.abs(step).max(initial=0.0)
            if gap <= CLOSED or last <= length <= ROUNDED * max(1.0, np.abs(q).max()):
                return q
            last = length
        gap = np.abs(phi).max()
        raise StateError(f"the loop cannot be closed from here: |φ| is {gap:.3g} after {steps} steps of Newton")

    def _damped(self, q: Array, inverse: Array, step: Array) -> Array:
        """The damped step λ p from a step p of the dependent coordinates."""
        length = np.abs(step).max()
        if length <= NEAR:
            return step
        rate = np.zeros(self.size)
        rate[self._bound] = step
        c = np.abs(inverse @ self._evaluate(q, rate)[2]).max()
        return step * (length / c) if c > length else step

    def random(self, rng: np.random.Generator, tries: int = 45) -> Array:
        """A random position on the manifold, far from singular ones; independent coordinates are uniform in [-1, 1].

        The others start near zero, and in later tries further from it, up to π.

        Raises:
            StateError: No position was found.
        """
        for attempt in range(1, tries + 1):
            q = rng.uniform(-1.0, 1.0, self.size) * min(0.1 * attempt, np.pi)
            q[self._free] = rng.uniform(-1.0, 1.0, self.ndof)
            try:
                q = self.closed(q)
            except StateError:
                continue
            if self._inverse(self.K(q))[1] < WELL_CONDITIONED:
                return q
        raise StateError(f"no position on the loop's manifold was found in {tries} tries")

    def _solve(self, K: Array, right: Array) -> Array:
        inverse, condition = self._inverse(K)
        if not condition < SINGULAR:
            raise _singular(condition)
        return np.asarray(inverse @ right, dtype=float)

    def _inverse(self, K: Array) -> tuple[Array, float]:
        """K_d⁻¹ and the condition number of K_d."""
        K_d = K[:, self._bound]
        try:
            inverse = np.linalg.inv(K_d)
        except np.linalg.LinAlgError:
            return K_d, np.inf
        return np.asarray(inverse), float(np.abs(K_d).max(initial=0.0) * np.abs(inverse).max(initial=0.0) * len(K_d))


def _singular(condition: float) -> StateError:
    return StateError(
        "the loop is singular here: its independent coordinates do not determine the others "
        f"(condition number {condition:.3g}); choose others, or another position"
    )


def _differentiated(
    phi: Callable[[Any], Any], size: int, count: int
) -> tuple[Callable[[Array, Array], list[Array]], list[Array]]:
    """(φ, K, k) as one compiled function of (q, q̇), and the rows of K that are constant."""
    try:
        import casadi
    except ModuleNotFoundError as error:
        raise ModelError("loops given by a function need CasADi: pip install 'ipc_articulation[loops]'") from error
    q, q_dot = casadi.SX.sym("q", size), casadi.SX.sym("q_dot", size)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # CasADi's, about numpy's future treatment of symbols
            value = casadi.vertcat(*np.ravel(phi(np.array([q[i] for i in range(size)], dtype=object))))
    except Exception as error:
        raise ModelError(f"the loop's function cannot be differentiated: {error}") from error
    if value.shape[0] != count:
        raise ModelError(
            f"the loop's function gives {value.shape[0]} numbers; {size} coordinates, {size - count} of them "
            f"independent, need {count}"
        )
    K = casadi.jacobian(value, q)
    k = -casadi.jtimes(K @ q_dot, q, q_dot)
    parts = [casadi.densify(part) for part in (value, K, k)]
    rows = [parts[1][i, :] for i in range(count)]
    constant = [np.array(casadi.DM(row)).ravel() for row in rows if row.is_constant()]
    return Compiled(casadi.Function("loop", [q, q_dot], parts), size, count), constant


class Compiled:
    """A CasADi function of (q, q̇) that works on numpy's memory: ten times as fast as with CasADi's matrices."""

    def __init__(self, function: Any, size: int, count: int) -> None:
        self._given = function, size, count
        self._buffer, self._run = function.buffer()
        self._arguments: list[Any] = [np.zeros(size), np.zeros(size)]
        self._results: list[Any] = [np.zeros(count), np.zeros((count, size), order="F"), np.zeros(count)]
        for place, argument in enumerate(self._arguments):
            self._buffer.set_arg(place, memoryview(argument))
        for place, result in enumerate(self._results):
            self._buffer.set_res(place, memoryview(result.T))

    def __reduce__(self) -> tuple[type[Compiled], tuple[Any, int, int]]:
        """For pickle: the pointers are made anew."""
        return Compiled, self._given

    def __call__(self, at: Array, rate: Array) -> list[Array]:
        """φ, K and k."""
        q, q_dot = self._arguments
        q[:], q_dot[:] = at, rate
        self._run()
        return [array.copy() for array in self._results]
