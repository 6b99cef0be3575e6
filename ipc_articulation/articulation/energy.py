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
from ipc_articulation.articulation.step_input import (
    are_finite,
    are_valid,
    delta_theta_tilde_array,
    mass_array,
    refuse_mass,
    refuse_not_finite,
)
from ipc_articulation.errors import ArticulationError

Array = NDArray[np.float64]


class Articulations(NamedTuple):
    """What the energy is made of, for m joints of several articulations; the last three change from step to step."""

    kind: NDArray[np.int64]  # (m,)
    bodies: NDArray[np.int64]  # (m, 2)
    local: Array  # (m, 4, 4)
    starts: NDArray[np.int64]  # articulation a has the joints starts[a] to starts[a + 1] - 1
    mass: Array  # (Σ mₐ²,) Mᵗ of each, row-major, one after the other
    tilde: Array  # (m,) δθ̃
    origin: Array  # (m, 2) `joint.coordinate` of the reference pose


class Given(NamedTuple):
    """What a step is given, before it has been looked at."""

    mass: Array  # (Σ mₐ²,) see `Articulations`
    tilde: Array  # (m,)


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
        self.arrays = Articulations(
            kind=np.ascontiguousarray(joints.kind, dtype=np.int64),
            bodies=np.ascontiguousarray(joints.bodies, dtype=np.int64),
            local=np.ascontiguousarray(joints.local),
            starts=np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64),
            mass=np.zeros(sum(size * size for size in self.sizes)),
            tilde=np.zeros(len(joints)),
            origin=np.zeros((len(joints), 2)),
        )
        self.given = Given(np.zeros(len(self.arrays.mass)), np.zeros(len(joints)))
        blocks = np.split(self.arrays.mass, np.cumsum([size * size for size in self.sizes])[:-1]) if sizes else []
        self._blocks = [block.reshape(size, size) for block, size in zip(blocks, self.sizes, strict=True)]

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
        blocks = [mass_array(*given) for given in zip(self.names, self.sizes, masses, strict=True)]
        predicted = [delta_theta_tilde_array(*given) for given in zip(self.names, self.sizes, tildes, strict=True)]
        self.set_flat([M.ravel() for M in blocks], predicted, self.coordinates(q_ref))

    def set_flat(self, mass: Sequence[Array], delta_theta_tilde: Sequence[Array], q_ref: Array) -> None:
        """The same as `set_step`, for arrays as libuipc has them, whose shapes are right.

        Args:
            mass: Mᵗ row-major, one (mₐ²,) array an articulation.
            delta_theta_tilde: δθ̃ [rad or m], one (mₐ,) array an articulation.
            q_ref: The reference pose of every body, (n, 12), contiguous.

        Raises:
            ArticulationError: see `set_step`.
        """
        self.give(mass, delta_theta_tilde)
        if not take(self.arrays, self.given, q_ref):
            self._refuse(mass, delta_theta_tilde, q_ref)

    def give(self, mass: Sequence[Array], delta_theta_tilde: Sequence[Array]) -> None:
        """Note Mᵗ and δθ̃ of a step as `set_flat` has them, for `take`."""
        _join(mass, self.given.mass)
        _join(delta_theta_tilde, self.given.tilde)

    @property
    def mass(self) -> list[Array]:
        """Mᵗ of each articulation, (mₐ, mₐ); the next step changes these arrays."""
        return self._blocks

    @property
    def delta_theta_tilde(self) -> Array:
        """δθ̃ of all joints, (m,) [rad or m]."""
        return self.arrays.tilde.copy()

    def theta(self, q: Array) -> Array:
        """θ of each joint, (m,) [rad in (-π, π], or m]; zero in the pose in which the joint was made."""
        return joint.theta_of_joints(self.arrays.kind, self.arrays.bodies, self.arrays.local, self.coordinates(q))

    def delta_theta(self, q: Array) -> Array:
        """δθ of each joint from the reference pose to q, (m,) [rad in (-π, π], or m]."""
        return delta_theta(self.arrays, self.coordinates(q))

    def energy(self, q: Array) -> float:
        """K(q)."""
        return float(self.joint_energies(q).sum())

    def joint_energies(self, q: Array) -> Array:
        """½ wₖ (δθₖ - δθ̃ₖ) of each joint, (m,); those of an articulation sum to its K."""
        return joint_energies(self.arrays, self.coordinates(q))

    def gradient(self, q: Array) -> Array:
        """∂K/∂q, (n, 12)."""
        q = self.coordinates(q)
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
        for start, M in zip(self.arrays.starts, self.mass, strict=False):
            J_a = J[start : start + len(M)]
            H += J_a.T @ M @ J_a
        np.add.at(H, (columns[:, :, None], columns[:, None, :]), at.curvature)
        return 0.5 * (H + H.T)

    def linearize(self, q: Array, project: bool = True) -> Linearization:
        """K and the parts of its gradient and Hessian, one joint each: ∇K = Jᵀw, ∇²K = Jᵀ Mᵗ J + Σ curvature."""
        return Linearization(*linearize(self.arrays, self.coordinates(q), project))

    def _refuse(self, mass: Sequence[Array], delta_theta_tilde: Sequence[Array], q_ref: Array) -> None:
        if not are_finite(q_ref):
            body = int(np.argwhere(~np.isfinite(q_ref))[0, 0])
            raise ArticulationError(f"body {body}: reference coordinates must be finite, got {q_ref[body]}")
        for name, size, M, predicted in zip(self.names, self.sizes, mass, delta_theta_tilde, strict=True):
            refuse_mass(name, np.reshape(M, (size, size)))
            refuse_not_finite(name, "delta_theta_tilde", predicted)

    def coordinates(self, q: Array) -> Array:
        """Coordinates as a contiguous array, (n, 12); an ArticulationError where they have another shape."""
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


def _join(parts: Sequence[Array], joined: Array) -> None:
    first = 0
    for part in parts:
        joined[first : first + len(part)] = part
        first += len(part)


@njit(cache=True)
def take(arrays: Articulations, given: Given, q_ref: Array) -> bool:
    """Take what a step is given, with reference poses q_ref (n, 12), if it is valid; whether it is."""
    if not are_valid(arrays.starts, given.mass, given.tilde, q_ref):
        return False
    first, mass = 0, given.mass
    for a in range(len(arrays.starts) - 1):
        size = arrays.starts[a + 1] - arrays.starts[a]
        for row in range(size):
            for column in range(size):
                entry, mirrored = first + size * row + column, first + size * column + row
                arrays.mass[entry] = 0.5 * (mass[entry] + mass[mirrored])
        first += size * size
    arrays.tilde[:] = given.tilde
    _set_origin(arrays, q_ref)
    return True


@njit(cache=True)
def _set_origin(arrays: Articulations, q: Array) -> None:
    for k in range(len(arrays.kind)):
        C, S = joint.coordinate(arrays.kind[k], _world_vectors(arrays, k, q))
        arrays.origin[k, 0], arrays.origin[k, 1] = C, S


@njit(cache=True)
def _world_vectors(arrays: Articulations, k: int, q: Array) -> Array:
    return joint.world_vectors(arrays.local[k], q[arrays.bodies[k, 0]], q[arrays.bodies[k, 1]])


@njit(cache=True)
def delta_theta(arrays: Articulations, q: Array) -> Array:
    """δθ of each joint at q (n, 12), (m,)."""
    delta = np.empty(len(arrays.kind))
    for k in range(len(delta)):
        coord = joint.coordinate(arrays.kind[k], _world_vectors(arrays, k, q))
        delta[k] = joint.delta_theta(arrays.kind[k], coord, (arrays.origin[k, 0], arrays.origin[k, 1]))
    return delta


@njit(cache=True)
def _force(arrays: Articulations, residual: Array) -> Array:
    """The product w = Mᵗ (δθ - δθ̃), block by block."""
    starts, w = arrays.starts, np.zeros(len(residual))
    entry = 0
    for a in range(len(starts) - 1):
        for row in range(starts[a], starts[a + 1]):
            for column in range(starts[a], starts[a + 1]):
                w[row] += arrays.mass[entry] * residual[column]
                entry += 1
    return w


@njit(cache=True)
def joint_energies(arrays: Articulations, q: Array) -> Array:
    """½ wₖ (δθₖ - δθ̃ₖ) of each joint at q (n, 12), (m,)."""
    residual = delta_theta(arrays, q) - arrays.tilde
    return 0.5 * residual * _force(arrays, residual)


@njit(cache=True)
def linearize(arrays: Articulations, q: Array, project: bool) -> tuple[float, Array, Array, Array]:
    """The fields of a `Linearization` at q (n, 12)."""
    residual = delta_theta(arrays, q) - arrays.tilde
    w = _force(arrays, residual)
    J, curvature = np.empty((len(w), 24)), np.empty((len(w), 24, 24))
    for k in range(len(w)):
        F = _world_vectors(arrays, k, q)
        joint.derivatives(arrays.kind[k], arrays.local[k], F, w[k], project, J[k], curvature[k])
    return 0.5 * np.dot(residual, w), w, J, curvature
