"""The ideal joint: the free relative motions of two bodies.

The relative pose of the child frame n in the parent frame r is H_rn(q), and its relative twist, expressed in n,

    T = X(q) ν,   [ω; v],   ν the generalised velocity

(arboris-python, «Rigid mechanisms»; Featherstone 2008, ch. 3.5). A joint is a chain of elements (`elements.py`), so

    H_rn = H_1(q₁) ⋯ H_m(q_m),   X_k = Ad(H_{n,k-1}) A_k,   dX_k/dt = -ad(Σ_{l≥k} X_l ν_l) X_k

where A_k has the element's columns in the frame before it, and H_{n,k-1} maps from that frame to n. The sum in the
last formula is the velocity of n relative to that frame.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation import spatial
from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.arguments import numbers, require_unit
from ipc_articulation.dynamics.joints.elements import Element, Rotation
from ipc_articulation.errors import StateError


class Joint:
    """A joint, with a position and a velocity of its own for experiments.

    Models use `pose_at`, `subspace` and similar methods, which take the state. `pose`, `twist`, `jacobian` and similar
    properties are evaluated at the joint's own `gpos` and `gvel`.

    Args:
        gpos: Position q, (nq,); None: neutral.
        gvel: Velocity ν, (ndof,); None: zero.

    Raises:
        StateError: A wrong number of coordinates.
    """

    elements: tuple[Element, ...] = ()

    def __init__(self, gpos: ArrayLike | None = None, gvel: ArrayLike | None = None) -> None:
        self.gpos = self._coordinates("gpos", np.ravel(self.neutral() if gpos is None else gpos), self.nq)
        self.gvel = self._coordinates("gvel", np.ravel(np.zeros(self.ndof) if gvel is None else gvel), self.ndof)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(gpos={self.gpos.tolist()}, gvel={self.gvel.tolist()})"

    @property
    def nq(self) -> int:
        """Number of position coordinates."""
        return sum(element.nq for element in self.elements)

    @property
    def ndof(self) -> int:
        """Number of velocity coordinates."""
        return sum(element.ndof for element in self.elements)

    def neutral(self) -> Array:
        """The position at which the two frames coincide, (nq,)."""
        return np.concatenate([np.zeros(0), *(element.neutral() for element in self.elements)])

    def pose_at(self, q: ArrayLike) -> Array:
        """H_rn(q), child coordinates to parent coordinates: (..., nq) -> (..., 4, 4)."""
        H = np.eye(4)
        for element, q_k, _ in self._split(q):
            H = H @ element.pose(q_k)
        return H

    def subspace(self, q: ArrayLike) -> Array:
        """X(q) in the child frame: (..., nq) -> (..., 6, ndof)."""
        blocks, H = [], np.eye(4)
        for element, q_k, _ in reversed(self._split(q)):
            H = element.pose(q_k) @ H
            blocks.append(spatial.adjoint(spatial.inverse(H)) @ element.columns())
        return np.concatenate(blocks[::-1], axis=-1) if blocks else np.zeros((*np.shape(q)[:-1], 6, 0))

    def subspace_rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        """dX/dt along the velocity v, in the child frame: (..., nq), (..., ndof) -> (..., 6, ndof)."""
        X, v = self.subspace(q), self._coordinates("velocity", v, self.ndof)
        blocks, T = [X[..., :0]], np.zeros(6)
        for _, _, dofs in reversed(self._split(q)):
            T = T + (X[..., dofs] @ v[..., dofs, None])[..., 0]
            blocks.append(-spatial.cross(T) @ X[..., dofs])
        return np.concatenate(blocks[::-1], axis=-1)

    def bias(self, q: ArrayLike, v: ArrayLike) -> Array:
        """dX/dt v, the relative acceleration at v̇ = 0, in the child frame: (..., nq), (..., ndof) -> (..., 6)."""
        return (self.subspace_rate(q, v) @ self._coordinates("velocity", v, self.ndof)[..., None])[..., 0]

    def integrate(self, q: ArrayLike, v: ArrayLike, dt: float = 1.0) -> Array:
        """The position after moving with a constant velocity for dt [s], on the configuration manifold, (..., nq)."""
        time = numbers("dt", dt)
        if not np.isfinite(time).all():
            raise StateError(f"dt must be finite; it is {dt}")
        displacement = time * self._coordinates("velocity", v, self.ndof)
        parts = [element.integrate(q_k, displacement[..., dofs]) for element, q_k, dofs in self._split(q)]
        return np.concatenate(parts or [np.zeros(0)], axis=-1)

    def difference(self, q0: ArrayLike, q1: ArrayLike) -> Array:
        """The velocity that takes q0 to q1 in unit time, (..., ndof): the inverse of `integrate`."""
        pairs = zip(self._split(q0), self._split(q1), strict=True)
        parts = [element.difference(a, b) for (element, a, _), (_, b, _) in pairs]
        return np.concatenate(parts or [np.zeros(0)], axis=-1)

    def rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        """q̇ of a velocity, (..., nq); it is v itself for joints without a quaternion."""
        v = self._coordinates("velocity", v, self.ndof)
        parts = [element.rate(q_k, v[..., dofs]) for element, q_k, dofs in self._split(q)]
        return np.concatenate(parts or [np.zeros(0)], axis=-1)

    @property
    def pose(self) -> Array:
        """H_rn, (4, 4)."""
        return self.pose_at(self.gpos)

    @property
    def ipose(self) -> Array:
        """H_nr, the inverse of `pose`, (4, 4)."""
        return spatial.inverse(self.pose)

    @property
    def twist(self) -> Array:
        """Twist of the child relative to the parent, in the child frame, (6,) [ω; v]."""
        return self.jacobian @ self.gvel

    @property
    def itwist(self) -> Array:
        """Twist of the parent relative to the child, in the parent frame, -Ad(H_rn) T, (6,)."""
        return -(spatial.adjoint(self.pose) @ self.twist)

    @property
    def jacobian(self) -> Array:
        """X, (6, ndof)."""
        return self.subspace(self.gpos)

    @property
    def djacobian(self) -> Array:
        """dX/dt, (6, ndof)."""
        return self.subspace_rate(self.gpos, self.gvel)

    def _split(self, q: ArrayLike) -> list[tuple[Element, Array, slice]]:
        """Each element with its position and the range of its velocity coordinates."""
        q = self._coordinates("position", q, self.nq)
        parts, at_q, at_v = [], 0, 0
        for element in self.elements:
            if isinstance(element, Rotation):
                require_unit(f"the position of a {type(self).__name__}: the quaternion", q[..., at_q : at_q + 4])
            parts.append((element, q[..., at_q : at_q + element.nq], slice(at_v, at_v + element.ndof)))
            at_q, at_v = at_q + element.nq, at_v + element.ndof
        return parts

    def _coordinates(self, what: str, value: ArrayLike, count: int) -> Array:
        x = np.atleast_1d(numbers(f"the {what} of a {type(self).__name__}", value))
        if x.shape[-1] != count:
            raise StateError(f"the {what} of a {type(self).__name__} has {count} coordinates, not {x.shape[-1]}")
        if not np.isfinite(x).all():
            raise StateError(f"the {what} of a {type(self).__name__} must be finite; it is {x.tolist()}")
        return x
