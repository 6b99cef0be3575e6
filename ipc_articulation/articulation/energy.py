"""The articulation's energy: it pulls the bodies of a scene towards the joint motion that a multibody engine predicts.

    K(q) = ½ (δθ(q, q_ref) - δθ̃)ᵀ Mᵗ (δθ(q, q_ref) - δθ̃)
    ∇K   = Jᵀ w,               J = ∂δθ/∂q,   w = Mᵗ (δθ - δθ̃)
    ∇²K  = Jᵀ Mᵗ J + Σₖ wₖ ∂²δθₖ/∂q²

(libuipc's specification of the external articulation constraint.) Mᵗ is constant in a step: one dense block an
articulation. For Newton's method each term wₖ ∂²δθₖ is projected onto positive semidefinite matrices; Jᵀ Mᵗ J is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from ipc_articulation.articulation import joint
from ipc_articulation.articulation.joints import Joints
from ipc_articulation.articulation.step_input import are_finite, checked_delta_theta_tilde, checked_mass
from ipc_articulation.errors import ArticulationError

Array = NDArray[np.float64]


class Linearization(NamedTuple):
    """K, and what its derivatives are made of, for m joints at one q."""

    energy: float  # K [J·s²: K carries no dt²]
    force: Array  # (m,) w = Mᵗ (δθ - δθ̃)
    jacobian: Array  # (m, 24) ∂δθₖ/∂(qᵢ, qⱼ), left body then right body
    curvature: Array  # (m, 24, 24) wₖ ∂²δθₖ, exact or projected


class ArticulationEnergy:
    """K of any number of articulations, whose joints are concatenated; articulations may share bodies.

    Args:
        joints: All m joints, articulation after articulation.
        body_count: Number n of bodies that `joints.bodies` counts.
        sizes: Number of joints of each articulation; their sum is m.
        names: What to call each articulation in messages; «articulation 0», … if left out.

    Every method takes q, (n, 12): the affine coordinates of all bodies.
    """

    def __init__(
        self, joints: Joints, body_count: int, sizes: Sequence[int], names: Sequence[str] | None = None
    ) -> None:
        if sum(sizes) != len(joints):
            raise ArticulationError(f"sizes {tuple(sizes)} must sum to the number of joints, {len(joints)}")
        self.joints = joints
        self.body_count = body_count
        self.sizes = tuple(int(size) for size in sizes)
        self.names = tuple(names) if names else tuple(f"articulation {a}" for a in range(len(self.sizes)))
        self._joints = (
            np.ascontiguousarray(joints.kind, dtype=np.int64),
            np.ascontiguousarray(joints.bodies, dtype=np.int64),
            np.ascontiguousarray(joints.local),
        )
        self._starts = np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)
        self._set_mass([np.zeros((size, size)) for size in self.sizes])
        self._tilde = np.zeros(len(joints))
        self._origin = np.zeros((len(joints), 2))  # `joint.coordinate` of the reference pose

    def set_step(
        self, mass: Sequence[ArrayLike] | ArrayLike, delta_theta_tilde: Sequence[ArrayLike] | ArrayLike, q_ref: Array
    ) -> None:
        """What is constant in a step; nothing changes if any of it is refused.

        Args:
            mass: Mᵗ, one (mₐ, mₐ) array an articulation; a bare array where there is only one articulation.
            delta_theta_tilde: δθ̃ [rad or m], one (mₐ,) array an articulation, or a bare array likewise.
            q_ref: The reference pose of every body, (n, 12): `ref_dof_prev` or the body's own previous q.

        Raises:
            ArticulationError: see `step_input`; the message names the articulation.
        """
        masses = self._by_articulation("mass", mass, bare_dimensions=2)
        tildes = self._by_articulation("delta_theta_tilde", delta_theta_tilde, bare_dimensions=1)
        q_ref = self._coordinates(q_ref)
        if not are_finite(q_ref):
            body = int(np.argwhere(~np.isfinite(q_ref))[0, 0])
            raise ArticulationError(f"body {body}: reference coordinates must be finite, got {q_ref[body]}")
        blocks = [checked_mass(*given) for given in zip(self.names, self.sizes, masses, strict=True)]
        predicted = [checked_delta_theta_tilde(*given) for given in zip(self.names, self.sizes, tildes, strict=True)]
        self._set_mass(blocks)
        self._tilde = np.concatenate([np.zeros(0), *predicted])
        self._origin = _coordinates_of_joints(*self._joints, q_ref)

    @property
    def mass(self) -> list[Array]:
        """Mᵗ of each articulation, (mₐ, mₐ)."""
        return self._blocks

    def _set_mass(self, blocks: list[Array]) -> None:
        self._blocks = blocks
        self._mass = np.concatenate([np.zeros(0), *(block.ravel() for block in blocks)])  # row-major, one after another

    @property
    def delta_theta_tilde(self) -> Array:
        """δθ̃ of all joints, (m,) [rad or m]."""
        return self._tilde.copy()

    def theta(self, q: Array) -> Array:
        """θ of each joint, (m,) [rad in (-π, π], or m]; zero in the pose in which the joint was made."""
        return joint.theta_of_joints(*self._joints, self._coordinates(q))

    def delta_theta(self, q: Array) -> Array:
        """δθ of each joint from the reference pose to q, (m,) [rad in (-π, π], or m]."""
        return _delta_theta(*self._joints, self._origin, self._coordinates(q))

    def energy(self, q: Array) -> float:
        """K(q)."""
        return float(self.joint_energies(q).sum())

    def joint_energies(self, q: Array) -> Array:
        """½ wₖ (δθₖ - δθ̃ₖ) of each joint, (m,); those of an articulation sum to its K."""
        return _energies(*self._joints, self._origin, self._starts, self._mass, self._tilde, self._coordinates(q))

    def gradient(self, q: Array) -> Array:
        """∂K/∂q, (n, 12)."""
        q = self._coordinates(q)
        at = self.linearize(q, project=False)
        G = np.zeros_like(q)
        np.add.at(G, self.joints.bodies, (at.force[:, None] * at.jacobian).reshape(-1, 2, 12))
        return G

    def hessian(self, q: Array, project: bool = True) -> Array:
        """∂²K/∂q², (12n, 12n), exact or positive semidefinite. Dense: for checks and small scenes."""
        at = self.linearize(q, project)
        columns = (12 * self.joints.bodies[:, :, None] + np.arange(12)).reshape(
            -1, 24
        )  # places of a joint's q in all q
        J = np.zeros((len(self.joints), 12 * self.body_count))
        np.put_along_axis(J, columns, at.jacobian, axis=1)
        H = np.zeros((12 * self.body_count, 12 * self.body_count))
        for start, M in zip(self._starts, self.mass, strict=False):
            J_a = J[start : start + len(M)]
            H += J_a.T @ M @ J_a
        np.add.at(H, (columns[:, :, None], columns[:, None, :]), at.curvature)
        return 0.5 * (H + H.T)

    def linearize(self, q: Array, project: bool = True) -> Linearization:
        """K and the parts of its gradient and Hessian, one joint each: ∇K = Jᵀw, ∇²K = Jᵀ Mᵗ J + Σ curvature."""
        q = self._coordinates(q)
        return Linearization(
            *_linearize(*self._joints, self._origin, self._starts, self._mass, self._tilde, q, project)
        )

    def _coordinates(self, q: Array) -> Array:
        q = np.ascontiguousarray(q, dtype=float)
        if q.shape != (self.body_count, 12):
            raise ArticulationError(f"coordinates have shape {q.shape}, must be {(self.body_count, 12)}: a row a body")
        return q

    def _by_articulation(
        self, what: str, given: Sequence[ArrayLike] | ArrayLike, bare_dimensions: int
    ) -> Sequence[ArrayLike]:
        if isinstance(given, np.ndarray) and given.ndim == bare_dimensions and len(self.sizes) == 1:
            return [given]
        parts = list(given)  # type: ignore[arg-type]
        if len(parts) != len(self.sizes):
            raise ArticulationError(
                f"{what}: {len(parts)} arrays given, must be {len(self.sizes)}, one each for {', '.join(self.names)}"
            )
        return parts


@njit(cache=True)
def _coordinates_of_joints(kind: Array, bodies: Array, local: Array, q: Array) -> Array:
    origin = np.empty((len(kind), 2))
    for k in range(len(kind)):
        F = joint.world_vectors(local[k], q[bodies[k, 0]], q[bodies[k, 1]])
        origin[k, 0], origin[k, 1] = joint.coordinate(kind[k], F)
    return origin


@njit(cache=True)
def _delta_theta(kind: Array, bodies: Array, local: Array, origin: Array, q: Array) -> Array:
    delta = np.empty(len(kind))
    for k in range(len(kind)):
        F = joint.world_vectors(local[k], q[bodies[k, 0]], q[bodies[k, 1]])
        delta[k] = joint.delta_theta(kind[k], joint.coordinate(kind[k], F), (origin[k, 0], origin[k, 1]))
    return delta


@njit(cache=True)
def _force(starts: Array, mass: Array, residual: Array) -> Array:
    """The product w = Mᵗ (δθ - δθ̃), block by block."""
    w = np.zeros(len(residual))
    entry = 0
    for a in range(len(starts) - 1):
        for row in range(starts[a], starts[a + 1]):
            for column in range(starts[a], starts[a + 1]):
                w[row] += mass[entry] * residual[column]
                entry += 1
    return w


@njit(cache=True)
def _energies(
    kind: Array, bodies: Array, local: Array, origin: Array, starts: Array, mass: Array, tilde: Array, q: Array
) -> Array:
    residual = _delta_theta(kind, bodies, local, origin, q) - tilde
    return 0.5 * residual * _force(starts, mass, residual)


@njit(cache=True)
def _linearize(
    kind: Array,
    bodies: Array,
    local: Array,
    origin: Array,
    starts: Array,
    mass: Array,
    tilde: Array,
    q: Array,
    project: bool,
) -> tuple[float, Array, Array, Array]:
    residual = _delta_theta(kind, bodies, local, origin, q) - tilde
    w = _force(starts, mass, residual)
    J, curvature = np.empty((len(kind), 24)), np.empty((len(kind), 24, 24))
    for k in range(len(kind)):
        F = joint.world_vectors(local[k], q[bodies[k, 0]], q[bodies[k, 1]])
        J[k] = joint.gradient(kind[k], local[k], F)
        curvature[k] = joint.hessian(kind[k], local[k], F, w[k], project)
    return 0.5 * np.dot(residual, w), w, J, curvature
