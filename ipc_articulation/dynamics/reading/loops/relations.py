"""Relations φ(q) = 0 between the positions of a few joints. They close loops, and constraints are made from them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.model.mechanism import Mechanism
from ipc_articulation.dynamics.reading.loops.paths import Values, Vector, paths_between
from ipc_articulation.errors import ModelError


class Relation(ABC):
    """One relation."""

    where: str  # beginning of messages: file, line, element
    joints: tuple[str, ...]
    follower: str | None = None  # the joint that is meant to depend on the others
    linear: bool = False
    unit: str = "rad or m"  # unit of φ

    @abstractmethod
    def phi(self, q: Values) -> Vector:
        """φ for numbers, complex numbers or CasADi's symbols."""


class PointLoop(Relation):
    """A point of one link coincides with a point of another one.

        φ = p₁(q) - p₂(q)           in the frame of their nearest common ancestor, or
        φ = A R₁(q)ᵀ (p₁ - p₂)      along axes that are fixed to the first link

    where the rows of A are orthonormal (generalized_rbda, `<loop>`; RaiSim, `<pin>` and `<equality>`).

    Args:
        mechanism: A tree; the joints between the two links have one degree of freedom each.
        predecessor: A link, and the point in its frame, (3,) [m].
        successor: The other link, and the point in its frame, (3,) [m].
        where: Beginning of messages.
        axes: Directions in the predecessor's frame along which the points coincide, (1 or 2, 3); None: all.

    Raises:
        ModelError: A link is unknown, a joint between the links does not have one degree of freedom, or no joint moves;
            an axis has no length, or the axes are parallel.
    """

    unit = "m"

    def __init__(
        self,
        mechanism: Mechanism,
        predecessor: tuple[str, ArrayLike],
        successor: tuple[str, ArrayLike],
        where: str = "loop",
        axes: ArrayLike | None = None,
    ) -> None:
        self.where, self.meeting = where, (predecessor, successor)
        self._points = [np.asarray(point, dtype=float) for _, point in (predecessor, successor)]
        self._paths = paths_between(mechanism, predecessor[0], successor[0], where)
        self._axes = None if axes is None else _orthonormal(axes, where)
        self.in_all_directions = axes is None
        self.joints = tuple(joint.name for path in self._paths for joint in path.joints)

    def phi(self, q: Values) -> Vector:
        first, second = (path.point(q, x) for path, x in zip(self._paths, self._points, strict=True))
        if self._axes is None:
            return first - second
        return self._axes @ self._paths[0].direction_in_link(q, first - second)


def _orthonormal(axes: ArrayLike, where: str) -> Array:
    """Rows that span the same directions, (k, 3)."""
    rows = np.atleast_2d(np.asarray(axes, dtype=float))
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not lengths.all() or np.linalg.svd(rows / lengths, compute_uv=False)[-1] < 1e-9:
        raise ModelError(f"{where}: axes must have a length, and must not be parallel; they are {rows.tolist()}")
    return np.linalg.qr(rows.T)[0].T


class LinearRelation(Relation):
    """Σ c_j q_j = o: gears, and joints that follow others.

    Args:
        coefficients: c_j by joint.
        offset: o [rad or m].
        where: Beginning of messages.
        follower: The joint that depends on the others.

    Raises:
        ModelError: A coefficient that is zero or not finite.
    """

    linear = True

    def __init__(
        self, coefficients: Mapping[str, float], offset: float = 0.0, where: str = "loop", follower: str | None = None
    ) -> None:
        self.where, self.joints, self.follower = where, tuple(coefficients), follower
        self._coefficients, self._offset = dict(coefficients), offset
        for joint, c in coefficients.items():
            if c == 0.0 or not np.isfinite(c):
                raise ModelError(
                    f"{where}: the ratio for joint '{joint}' must be finite and not zero; it is {c + 0.0:g}"
                )

    def phi(self, q: Values) -> Vector:
        return np.array([sum(c * q[joint] for joint, c in self._coefficients.items()) - self._offset])


class Polynomial(Relation):
    """q_f = r_f + Σ a_k (q_l - r_l)^k: cams.

    Args:
        follower: f.
        leader: l.
        coefficients: a_0, a_1, ….
        references: r_f, r_l.
        where: Beginning of messages.
    """

    def __init__(
        self, follower: str, leader: str, coefficients: Sequence[float], references: tuple[float, float], where: str
    ) -> None:
        self.where, self.joints, self.follower = where, (follower, leader), follower
        self._coefficients, self._references = [float(a) for a in coefficients], references

    def phi(self, q: Values) -> Vector:
        x: Any = q[self.joints[1]] - self._references[1]
        value: Any = 0.0
        for a in reversed(self._coefficients):
            value = value * x + a
        return np.array([q[self.joints[0]] - self._references[0] - value])
