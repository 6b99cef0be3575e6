"""The incremental potential of one step: the sum of its terms.

E(q) = kinetic + dt² shape + joint penalties + K + dt² contact
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.contact.anchors import NO_ANCHORS
from ipc_articulation.contact.forces import ContactForces
from ipc_articulation.contact.held import NOTHING_HELD, Held
from ipc_articulation.contact.positions import Positions
from ipc_articulation.contact.springs import NO_SPRINGS, Springs
from ipc_articulation.contact.surfaces import Surfaces
from ipc_articulation.contact.world import ContactWorld
from ipc_articulation.engine import islands
from ipc_articulation.engine.joint_tree import joint_tree
from ipc_articulation.engine.linear_system.linear_system import LinearSystem
from ipc_articulation.engine.state import NO_CREASES, EngineState
from ipc_articulation.engine.terms.adaptive_resistance import AdaptiveResistance
from ipc_articulation.engine.terms.contact import Contact
from ipc_articulation.engine.terms.finite_elements import FiniteElements
from ipc_articulation.engine.terms.joint_penalty import JointForces, JointPenalties
from ipc_articulation.engine.terms.kinetic import Kinetic
from ipc_articulation.engine.terms.term import Approaching, Projecting, Term
from ipc_articulation.engine.usual_assembly import UsualAssembly
from ipc_articulation.engine.usual_terms import add_energies, usual_of
from ipc_articulation.frontend.soft.soft_rows import NO_SOFT_ROWS, SoftRows

# Of the tolerances, what Newton's last step may leave, see `newton.convergence`
USUAL_REMAINDER = 1e-3
EXACT_REMAINDER = 1e-8  # see `Term.exact`: joints, and contact forces on them, are then right to 1e-6

_GAP_CHANGE = 0.1  # of a gap: what a last step may change
# and of friction, in parts of μ λ; the second in islands with an articulation
_FRICTION_CHANGE, _EXACT_FRICTION_CHANGE = 0.1, 1e-3

_SHORTER = 0.25  # times a crowded way, which is shortened
_SHORTENED = 50  # times at most, to 10⁻³⁰ of it; no such way is crowded, if it is made of sensible numbers


class Potential:
    """E(q) for the coordinates q (n, 12) of all bodies."""

    def __init__(
        self,
        terms: Sequence[Term],
        surfaces: Surfaces,
        contact: ContactWorld | None,
        body_names: Sequence[str],
        is_fixed: Bools,
        adaptive: AdaptiveResistance | None = None,
        cfl: bool = False,
        soft: SoftRows = NO_SOFT_ROWS,
    ) -> None:
        """Collect the terms.

        Args:
            terms: All of them, contact included.
            surfaces: Surfaces of all bodies, by which motion is measured.
            contact: Limits steps; None if contact is off.
            body_names: Names of the n bodies, for messages.
            is_fixed: Which bodies never move, (n,).
            adaptive: Sets the contact resistance of each step; None if all of it is given.
            cfl: Whether a step moves vertices in contact by at most half of d̂ (libuipc's `cfl/enable`).
            soft: The rows of soft bodies, the last ones.
        """
        self.terms, self._surfaces, self._contact = tuple(terms), surfaces, contact
        self.body_names, self._adaptive, self._cfl = tuple(body_names), adaptive, cfl
        self._contact_term = next((term for term in self.terms if isinstance(term, Contact)), None)
        self._projecting = [term for term in self.terms if isinstance(term, Projecting)]
        usual = usual_of(self.terms)
        self._first_other = len(usual)
        self._approaching = [term for term in self.terms if isinstance(term, Approaching)]
        self._following = [term for term in self.terms if type(term).follow is not Term.follow]
        self._restraining = [term for term in self.terms if type(term).restrain is not Term.restrain]
        self._substeps = 1
        self.movable, self._whole = ~is_fixed, np.ones(len(is_fixed))
        self._selected: bytes | None = None  # the mask that the terms have
        self._moving = np.ones(len(is_fixed), dtype=np.bool_)  # that mask
        self.extent = np.zeros(len(is_fixed))  # of each body about its origin [m]
        np.maximum.at(self.extent, surfaces.body, np.linalg.norm(surfaces.points, axis=1))
        affine = len(is_fixed) - int(soft.first[-1])
        self.is_soft = np.arange(len(is_fixed)) >= affine  # rows of vertices
        self.has_soft = bool(self.is_soft.any())
        self.extent[self.is_soft] = 0.0  # their labels are no lengths
        couples = np.concatenate([soft.chains(affine, is_fixed), *(term.couples for term in self.terms)])
        self._joined = islands.join(np.arange(len(is_fixed)), couples, self.movable)
        self._usual = UsualAssembly(usual, len(is_fixed)) if usual else None
        joints = np.concatenate([np.zeros((0, 2), dtype=np.int64), *(term.joints for term in self.terms)])
        order, parent = joint_tree(joints, is_fixed)
        self.tree = order[~self.is_soft[order]], parent  # of the affine bodies, see `turning`
        self.labels = self._joined  # islands at the beginning of the step, (n,)
        self.driven, self.exact = np.zeros((2, len(is_fixed)), dtype=np.bool_)  # see `Term`
        self.remainder = np.full(len(is_fixed), USUAL_REMAINDER)  # (n,) see `convergence`
        for term in self.terms:
            self.driven[term.drives] = True
            self.exact[term.exact] = True
            self.remainder[term.exact] = EXACT_REMAINDER
        self.may_rest = bool((self.movable & ~self.driven).any())

    @property
    def _others(self) -> tuple[Term, ...]:
        """The terms that are not summed together by compiled code."""
        return self.terms[self._first_other :]

    @property
    def is_adaptive(self) -> bool:
        """True if contact resistance follows from the forces of the whole scene."""
        return self._adaptive is not None

    @property
    def resistances(self) -> Held:
        """Contact resistances that pairs have chosen themselves, as they are now."""
        return NOTHING_HELD if self._contact is None else self._contact.resistance.held

    def anchors(self, q: Array) -> Held:
        """What friction of affine bodies remembers at the end q (n, 12) of the step."""
        return NO_ANCHORS if self._contact_term is None else self._contact_term.remembered(q)

    def springs(self, q: Array) -> Springs:
        """What friction of soft bodies remembers at the end q (n, 12) of the step."""
        return NO_SPRINGS if self._contact_term is None else self._contact_term.springs(q)

    def creases(self, q: Array) -> Array:
        """Creases of plastic shells (c, 5) at the end q (n, 12) of the step."""
        of = [term.creases(q) for term in self.terms if isinstance(term, FiniteElements)]
        return of[0] if of else NO_CREASES

    @property
    def restiffened(self) -> Bools:
        """Bodies (n,) whose contact resistance is not that with which the last step ended."""
        n = len(self.movable)
        return np.zeros(n, dtype=np.bool_) if self._contact is None else self._contact.resistance.changed[:n]

    @property
    def may_touch(self) -> bool:
        """Whether there is contact."""
        return self._contact is not None

    def begin_step(self, state: EngineState, dt: float, substeps: int = 1) -> None:
        """Compute all that is constant in the step of dt [s] from a state; substeps are those of the animator."""
        self.select(self.movable)  # the resistance follows from the forces on all bodies
        for term in self.terms:
            term.begin_step(state, dt)
        if self._adaptive is not None:
            self._adaptive.begin_step(state, dt)
        self._substeps = substeps
        self.approach(1)
        if self._contact is not None:
            self.labels = islands.join(self._joined, self._contact.near_at_start, self.movable)

    def renew_friction(self, q: Array) -> bool:
        """Take normal forces and tangents of friction from q (n, 12), where a minimisation has ended.

        Bodies that touch there are of one island from now on: friction couples them also where they part again. What
        terms remember of the last Newton step is forgotten: islands have taken it at different times.

        Returns:
            Whether there may be any.
        """
        if self._contact_term is None:
            return False
        self.follow(q, np.zeros_like(q), np.zeros_like(self.movable))
        self.labels = islands.join(self.labels, self._contact_term.renew_friction(q), self.movable)
        return True

    def approach(self, iteration: int) -> bool:
        """Move the goals of constraints to their place in Newton iteration 1, 2, …. Returns: whether they are final."""
        share = min(iteration / self._substeps, 1.0)
        for term in self._approaching:
            term.approach(share)
        return share == 1.0 or not self._approaching

    def select(self, moving: Bools) -> None:
        """From now on only the bodies of a mask (n,) move."""
        mask = moving.tobytes()
        if mask == self._selected:
            return
        self._selected, moving = None, moving.copy()
        for term in self.terms:
            term.select(moving)
        self._selected, self._moving = mask, moving  # not before all terms have it

    def follow(self, q: Array, step: Array, turned: Bools) -> None:
        """Report to the terms a Newton step from q (n, 12) to q + step, on which some bodies (n,) have turned."""
        for term in self._following:
            term.follow(q, step, turned)

    def energies(self, q: Array) -> dict[str, float]:
        """Energy by term [J·s²]."""
        self.select(self.movable)
        return {term.name: term.energy(q) for term in self.terms}

    def body_energies(self, q: Array) -> Array:
        """E(q) of the moving bodies, (n,); that of several is added to one of them. It is inf if surfaces touch."""
        E = np.zeros(len(q))
        if self._usual is not None:
            add_energies(self._usual.terms, q, self._moving, E)
        for term in self._others:
            term.add_energy(q, E)
        return E

    def rounding(self, q: Array) -> Array:
        """By how much `body_energies` may change by rounding of q (n, 12) alone, (n,)."""
        return sum((term.rounding(q) for term in self.terms if isinstance(term, Kinetic)), np.zeros(len(q)))

    @property
    def projects(self) -> bool:
        """Whether Newton's method may need the exact Hessian: affine bodies without contact do not."""
        return bool(self._projecting) and (self._contact is not None or self.has_soft)

    def assemble(self, q: Array, system: LinearSystem, projected: Bools) -> Array:
        """The gradient (n, 12). The Hessian is added to `system`: projected for some bodies (n,), else exact."""
        for projecting in self._projecting:
            projecting.projected = projected
        g = np.zeros(q.shape)
        if self._usual is not None:
            self._usual.add(q, self._moving, projected, g, system)
        for term in self._others:
            term.assemble(q, g, system)
        return g

    def restrain(self, dq: Array, system: LinearSystem) -> Array:
        """The Newton step with what `assemble` leaves out, from the step dq (n, 12) without it."""
        for term in self._restraining:
            dq = term.restrain(dq, system)
        return dq

    def place(self, q: Array, moving: Bools) -> None:
        """Like `select`; also set the coordinates q (n, 12) from which `step_fractions` and `keeps_contact` start."""
        self.select(moving)
        if self._contact is not None:
            self._contact.place(q, moving)

    def step_fractions(self, q: Array, dq: Array) -> tuple[Array, Ints]:
        """The fraction of dq (n, 12) that each body may take so that nothing touches.

        Of a step on which bodies pass too much of each other (see `crowded_ways`) only the first part is looked at, and
        may be taken. The bodies are placed at q (n, 12), by `place` or `assemble`.

        Returns:
            A fraction in [0, 1] for each body, (n,), and the labels of the islands of bodies that are coupled or come
            near each other in this part of the step, (n,). Each island may take less.
        """
        if self._contact is None:
            return self._whole, self.labels
        contact = self._contact
        share, labels, ahead, near = self._first_fractions(contact, q, dq)
        for _ in range(_SHORTENED):
            crowded = contact.crowded(ahead, near)
            if not crowded.any():
                break
            share = np.where(islands.anyone(labels, crowded), _SHORTER * share, share)
            ahead = contact.ahead(q + share[:, None] * dq)
            near = contact.near(ahead)
        contact.cover(ahead, near)
        covered = contact.covered()
        if any(map(len, covered)):
            share = share * contact.step_fractions(ahead, covered, labels, planes=False)
        return share, labels

    def _first_fractions(self, contact: ContactWorld, q: Array, dq: Array) -> tuple[Array, Ints, Positions, list[Ints]]:
        """Fractions (n,) by what touches already, islands (n,), the positions there, and what is near on the way."""
        labels, ahead = self.labels, contact.ahead(q + dq)
        touching = contact.touching()  # these first: a shorter way has fewer pairs
        for stencils in touching:
            labels = islands.join(labels, stencils.bodies, self.movable) if len(stencils) else labels
        share = contact.step_fractions(ahead, touching, labels)
        if self._cfl:
            share = np.minimum(share, _cfl_limit(contact, ahead))
        if share.min(initial=1.0) < 1.0:
            ahead = contact.ahead(q + share[:, None] * dq)
        near = contact.near(ahead)
        meeting = contact.meeting(near)
        return share, islands.join(labels, meeting, self.movable) if len(meeting) else labels, ahead, near

    def cover(self, q: Array) -> None:
        """Prepare `body_energies` for the straight way from the placed bodies to q (n, 12)."""
        if self._contact is not None:
            ahead = self._contact.ahead(q)
            self._contact.cover(ahead, self._contact.near(ahead))

    def keeps_contact(self, q: Array, labels: Ints) -> Bools:
        """Returns: (n,), whether a step to q (n, 12) almost preserves gaps and friction of a body's island.

        If a step changes them by much, contact forces still change by much, however short the step is.
        """
        if self._contact is None:
            return np.ones(len(q), dtype=np.bool_)
        ahead = self._contact.ahead(q)
        gaps, friction = self._contact.gap_changes(ahead), self._contact.friction_changes(ahead)
        kept = islands.largest(labels, gaps) < _GAP_CHANGE
        allowed = np.where(islands.anyone(labels, self.exact), _EXACT_FRICTION_CHANGE, _FRICTION_CHANGE)
        return kept & ~islands.anyone(labels, friction >= allowed)

    def motions(self, dq: Array) -> Array:
        """Largest displacement (n,) [m] of a vertex of each body under dq (n, 12), or of its origin without surface."""
        return self._surfaces.motions(dq)

    def minimum_distance(self, q: Array) -> float:
        """Smallest distance [m] of surfaces that may touch; inf if nothing is near or contact is off."""
        return np.inf if self._contact is None else self._contact.minimum_distance(q)

    def collisions(self, q: Array) -> int:
        """Number of pairs of primitives within d̂ at q (n, 12), and of vertices within d̂ of a half-plane."""
        self.place(q, self.movable)
        return 0 if self._contact is None else self._contact.count()

    def contact_forces(self, q: Array, dt: float) -> ContactForces:
        """All contacts at the end q (n, 12) of a step of dt [s], with forces in N; none if contact is off."""
        if self._contact is None:
            return ContactForces.join([])
        return self._contact.forces(q).times(1.0 / dt**2)

    def joint_forces(self, q: Array, dt: float) -> JointForces:
        """The forces that hold joints together at the end q (n, 12) of a step of dt [s], conjugate to q [N, N·m]."""
        found = [term.forces(q) for term in self.terms if isinstance(term, JointPenalties)]
        none = JointForces(np.zeros((0, 2), dtype=np.int64), np.zeros((0, 2, 12)))
        bodies, forces = zip(none, *found, strict=True)
        return JointForces(np.concatenate(bodies), np.concatenate(forces) / dt**2)

    def closest_bodies(self, q: Array) -> tuple[int, ...]:
        """Rows of the two closest bodies, or of the body closest to a half-plane; none if nothing is near."""
        return () if self._contact is None else self._contact.closest(q)[1]


def _cfl_limit(contact: ContactWorld, ahead: Positions) -> float:
    """The fraction of a step to positions ahead that moves no vertex in contact by more than half of d̂."""
    motion = contact.active_motion(ahead)
    return min(1.0, 0.5 * contact.d_hat / motion) if motion > 0.0 else 1.0
