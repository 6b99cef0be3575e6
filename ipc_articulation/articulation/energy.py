"""The articulation's energy: it pulls the bodies of a scene towards the joint motion that a multibody engine predicts.

    K(q) = ½ (δθ(q, q_ref) - δθ̃)ᵀ Mᵗ (δθ(q, q_ref) - δθ̃) + Σₛ Dₛ(xₛ),     x = C δθ
    ∇K   = Jᵀ w,                          J = ∂δθ/∂q,   w = Mᵗ (δθ - δθ̃) + Cᵀ D'
    ∇²K  = Jᵀ (Mᵗ + Cᵀ diag D'' C) J + Σₖ wₖ ∂²δθₖ/∂q²

(libuipc's specification of the external articulation constraint, and D of `bounded_springs`, which libuipc does not
have: limits, dry friction and motors that saturate; C is that of `spring_rows`.) δθ holds the freedoms of the joints,
joint after joint. Mᵗ is constant in a step: one dense block an articulation. For Newton's method Σ wₖ ∂²δθₖ of each
joint is projected onto positive semidefinite matrices; Jᵀ (Mᵗ + Cᵀ diag D'' C) J is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.articulation.bounded_springs import curvatures, refuse_springs
from ipc_articulation.articulation.evaluation import (
    Articulations,
    HeldArticulations,
    add_gradient,
    differentiate,
    forces,
    freedom_energies,
    hold,
    make_articulations,
    take,
)
from ipc_articulation.articulation.joints import Joints, delta_theta
from ipc_articulation.articulation.kinds import KINDS
from ipc_articulation.articulation.pieces import WORTH, pieces
from ipc_articulation.articulation.spring_rows import BoundedRows, along, bounded_rows
from ipc_articulation.articulation.step_input import (
    delta_theta_tilde_array,
    mass_array,
    refuse_mass,
    refuse_not_finite,
    refuse_reference,
    refuse_unreachable,
)
from ipc_articulation.articulation.step_places import StepInput, StepPlaces, step_places
from ipc_articulation.cores import parts, share
from ipc_articulation.errors import ArticulationError


class Linearization(NamedTuple):
    """What the derivatives of K are made of, for m joints with F freedoms at one q."""

    force: Array  # (F,) Mᵗ (δθ - δθ̃), without Cᵀ D'
    displacement: Array  # (F,) δθ
    jacobian: Array  # (F, 24) ∂δθₖ/∂(qᵢ, qⱼ), left body then right body
    curvature: Array  # (m, 24, 24) Σ wₖ ∂²δθₖ of each joint, exact or projected


class ArticulationEnergy:
    """K of any number of articulations, whose joints are concatenated; articulations may share bodies.

    Args:
        joints: All m joints, articulation after articulation.
        body_count: Number n of bodies that `joints.bodies` counts.
        joint_counts: Number of joints of each articulation; their sum is m.
        names: Names of the articulations in messages; «articulation 0», … if left out.
        joint_names: Names of the joints in messages; «joint 0», … if left out.
        row_names: For each articulation the names of its rows with springs besides its freedoms, see `spring_rows`;
            none if left out.

    Every method takes q, (n, 12): the affine coordinates of all bodies.

    Raises:
        ArticulationError: `joint_counts` do not sum to m; a joint is fixed, or does not join two different bodies.
    """

    def __init__(
        self,
        joints: Joints,
        body_count: int,
        joint_counts: Sequence[int],
        names: Sequence[str] | None = None,
        joint_names: Sequence[str] | None = None,
        row_names: Sequence[Sequence[str]] = (),
    ) -> None:
        if sum(joint_counts) != len(joints):
            raise ArticulationError(
                f"joint_counts {tuple(joint_counts)} must sum to the number of joints, {len(joints)}"
            )
        self.joints = joints
        self.body_count = body_count
        row_names = row_names or ((),) * len(joint_counts)
        self._joint_counts = tuple(joint_counts)
        self._row_counts = tuple(len(own) for own in row_names)
        self._row_names = [name for own in row_names for name in own]
        self.arrays = make_articulations(joints, self._joint_counts, self._row_counts)
        self.held = hold(self.arrays)
        self.sizes = tuple(np.diff(self.arrays.starts).tolist())  # freedoms of each articulation
        self.names = list(names or [f"articulation {a}" for a in range(len(self.sizes))])
        self._joint_names = list(joint_names or [f"joint {k}" for k in range(len(joints))])
        _refuse_joints(joints, self._joint_names, body_count)
        self.places = step_places(self.sizes, self._row_counts)
        blocks = np.split(self.arrays.mass, np.cumsum(np.square(self.sizes)))
        self._blocks = [M.reshape(f, f) for M, f in zip(blocks, self.sizes, strict=False)]

    def name(self, articulation: int, name: str, joints: Sequence[str]) -> None:
        """Name an articulation, by its number, and its joints in messages."""
        first = sum(self._joint_counts[:articulation])
        self.names[articulation] = name
        self._joint_names[first : first + len(joints)] = joints

    def set_step(
        self, mass: Sequence[ArrayLike] | ArrayLike, delta_theta_tilde: Sequence[ArrayLike] | ArrayLike, q_ref: Array
    ) -> None:
        """Set what is constant in a step; nothing changes if any of it is refused.

        Args:
            mass: Mᵗ, one (fₐ, fₐ) array an articulation; a bare array where there is only one articulation.
            delta_theta_tilde: δθ̃ [rad or m], one (fₐ,) array an articulation, or a bare array likewise.
            q_ref: The reference pose of every body, (n, 12): `ref_dof_prev` or the body's own previous q.

        Raises:
            ArticulationError: see `step_input`; the message names the articulation.
        """
        masses = self._by_articulation("mass", mass, bare_dimensions=2)
        tildes = self._by_articulation("delta_theta_tilde", delta_theta_tilde, bare_dimensions=1)
        blocks = [mass_array(*given) for given in zip(self.names, self.sizes, masses, strict=True)]
        predicted = [delta_theta_tilde_array(*given) for given in zip(self.names, self.sizes, tildes, strict=True)]
        self.set_flat([M.ravel() for M in blocks], predicted, self.coordinates(q_ref))

    def set_flat(
        self,
        mass: Sequence[Array],
        delta_theta_tilde: Sequence[Array],
        q_ref: Array,
        springs: Sequence[Array | None] | None = None,
        rows: Sequence[BoundedRows | None] | None = None,
    ) -> None:
        """The same as `set_step`, for arrays as libuipc has them, whose shapes are right.

        Args:
            mass: Mᵗ row-major, one (fₐ²,) array an articulation.
            delta_theta_tilde: δθ̃ [rad or m], one (fₐ,) array an articulation.
            q_ref: The reference pose of every body, (n, 12), contiguous.
            springs: One (fₐ, 4, 4) array an articulation, see `bounded_springs`; None for none.
            rows: The rows of each articulation, see `spring_rows`; None for none.

        Raises:
            ArticulationError: see `set_step`.
        """
        none = [None] * len(self.sizes)
        given = zip(mass, delta_theta_tilde, springs or none, rows or none, strict=True)
        for a, (M, tilde, own_springs, own_rows) in enumerate(given):
            checked = BoundedRows(*bounded_rows(self.names[a], self.sizes[a], self._row_counts[a], own_rows))
            self.give(StepInput(M, tilde, own_springs, checked), self.places[a])
        self.take(q_ref)

    def give(self, step: StepInput, to: StepPlaces) -> None:
        """Store the input of a step of some articulations, whose shapes are right, for `take`."""
        to.put(step, self.arrays.unchecked)

    def take(self, q_ref: Array) -> None:
        """Begin a step with the input that is stored.

        Args:
            q_ref: The reference pose of every body, (n, 12), contiguous.

        Raises:
            ArticulationError: see `set_step`.
        """
        if not take(self.held, q_ref):
            self._refuse(q_ref)

    @property
    def mass(self) -> list[Array]:
        """Mᵗ of each articulation, (fₐ, fₐ); the next step changes these arrays."""
        return self._blocks

    @property
    def delta_theta_tilde(self) -> Array:
        """δθ̃ of all freedoms, (F,) [rad or m]."""
        return self.arrays.tilde.copy()

    def delta_theta(self, q: Array) -> Array:
        """δθ of all freedoms from the reference pose to q, (F,) [rad in (-π, π], or m]."""
        delta = np.empty(len(self.arrays.tilde))
        delta_theta(self.arrays.joints, self.arrays.reference, self.coordinates(q), delta)
        return delta

    @property
    def springs(self) -> Array:
        """The springs of all rows, those of the freedoms first, (S, 4, 4), see `bounded_springs`."""
        return self.arrays.springs.copy()

    def energy(self, q: Array) -> float:
        """K(q)."""
        return float(self.freedom_energies(q).sum())

    def freedom_energies(self, q: Array) -> Array:
        """½ (lₖᵀ (δθ - δθ̃))² + Dₖ, (F,), lₖ the columns of `mass_factor`; those of an articulation sum to its K."""
        held, q = self._pieces, self.coordinates(q)
        return np.concatenate(share(lambda one: freedom_energies(held[one.start], q), parts(len(held), 1)))

    def gradient(self, q: Array) -> Array:
        """∂K/∂q, (n, 12)."""
        held, q, g = self._pieces, self.coordinates(q), np.zeros((self.body_count, 12))
        share(lambda one: add_gradient(held[one.start], q, g), parts(len(held), 1))
        return g

    @cached_property
    def _pieces(self) -> list[HeldArticulations | Articulations]:
        return [hold(piece) for piece in pieces(self.arrays, self._joint_counts)]

    def hessian(self, q: Array, project: bool = True) -> Array:
        """∂²K/∂q², (12n, 12n), exact or positive semidefinite. Dense: for checks and small scenes."""
        at = self.linearize(q, project)
        J = np.zeros((len(at.force), 12 * self.body_count))
        np.put_along_axis(J, _columns(self.arrays.bodies), at.jacobian, axis=1)
        H = np.zeros((12 * self.body_count, 12 * self.body_count))
        for start, M in zip(self.arrays.starts, self.mass, strict=False):
            part = slice(start, start + len(M))
            H += J[part].T @ M @ J[part]
        CJ = np.stack([along(self.arrays.rows, column) for column in J.T], axis=1)
        H += CJ.T @ (curvatures(self.arrays.springs, along(self.arrays.rows, at.displacement))[:, None] * CJ)
        columns = _columns(self.joints.bodies)
        np.add.at(H, (columns[:, :, None], columns[:, None, :]), at.curvature)
        return 0.5 * (H + H.T)

    def linearize(self, q: Array, project: bool | Bools = True, moving: Bools | None = None) -> Linearization:
        """The parts of gradient and Hessian, but for those of D, which `terms.restrained_step` adds.

        Args:
            q: (n, 12).
            project: Whether the curvature is projected; or the bodies of whose joints it is, (n,).
            moving: Bodies that move, (n,); None: all. Derivatives are zero of joints of which neither body does.
        """
        held, q, m = self.held, self.coordinates(q), len(self.joints)
        moving = np.ones(self.body_count, dtype=np.bool_) if moving is None else moving
        projected = np.ascontiguousarray(np.broadcast_to(project, moving.shape))
        force, delta, w = forces(held, q)
        J, curvature = np.zeros((len(w), 24)), np.zeros((m, 24, 24))

        def some(joints: slice) -> None:
            differentiate(held, q, w, moving, projected, joints.start, joints.stop, J, curvature)

        share(some, parts(m, WORTH))
        return Linearization(force, delta, J, curvature)

    def _refuse(self, q_ref: Array) -> None:
        given = self.arrays.unchecked
        refuse_reference(q_ref)
        for name, size, own in zip(self.names, self.sizes, self.places, strict=True):
            refuse_mass(name, given.mass[own.entries].reshape(size, size))
            refuse_not_finite(name, "delta_theta_tilde", given.tilde[own.freedoms[0]])
        refuse_unreachable(self.joints.kind, self._joint_names, given.tilde)
        names = [*np.repeat(self._joint_names, self.joints.freedoms).tolist(), *self._row_names]
        refuse_springs(names, given.springs)
        for name, own in zip(self.names, self.places, strict=True):
            refuse_not_finite(name, "weights of bounded_rows", given.weights[own.weights[0]])

    def coordinates(self, q: Array) -> Array:
        """Coordinates as a contiguous array, (n, 12); an ArticulationError where they have another shape."""
        q = np.ascontiguousarray(q, dtype=float)
        if q.shape != (self.body_count, 12):
            raise ArticulationError(
                f"coordinates have shape {q.shape}, must be {(self.body_count, 12)}: one row per body"
            )
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


def _refuse_joints(joints: Joints, names: Sequence[str], n: int) -> None:
    """Refuse joints that do not join two of n bodies, or have no freedom.

    Raises:
        ArticulationError: names the first such joint.
    """
    is_outside = ((joints.bodies < 0) | (joints.bodies >= n)).any(axis=1)
    bad = is_outside | (joints.bodies[:, 0] == joints.bodies[:, 1]) | (joints.freedoms == 0)
    if not bad.any():
        return
    k = int(np.argmax(bad))
    if joints.freedoms[k] == 0:
        raise ArticulationError(
            f"{names[k]} is {KINDS[int(joints.kind[k])].name}; a joint of an articulation must move"
        )
    left, right = joints.bodies[k].tolist()
    raise ArticulationError(
        f"{names[k]} joins the bodies {left} and {right}, must join two different ones from 0 to {n - 1}"
    )


def _columns(bodies: Ints) -> Ints:
    """Places of the coordinates of pairs of bodies (k, 2) among those of all bodies, (k, 24)."""
    return (12 * bodies[:, :, None] + np.arange(12)).reshape(-1, 24)
