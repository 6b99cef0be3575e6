"""The core of an engine: a scene by nodes, its terms, and what compiled stages of a step share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.contact import readouts
from ipc_articulation.engine.joint_tree import joint_tree
from ipc_articulation.engine.newton import direction, ends, stages, touching
from ipc_articulation.engine.newton.convergence import EXACT_REMAINDER, USUAL_REMAINDER
from ipc_articulation.engine.newton.ends import hold_ends
from ipc_articulation.engine.newton.work import make_limits, make_work, set_step, sums_of
from ipc_articulation.engine.scene.model import EngineModel
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms import ortho_potential
from ipc_articulation.engine.terms.articulation import Articulation
from ipc_articulation.engine.terms.finite_elements import FiniteElements
from ipc_articulation.engine.terms.kinetic import Kinetic
from ipc_articulation.engine.terms.term import Term
from ipc_articulation.engine.terms.usual import take_usual
from ipc_articulation.frontend.nodes.distances import Distances
from ipc_articulation.frontend.nodes.numbering import by_numbers


class Core:
    """A scene whose steps Newton's method takes.

    Attributes:
        work: What compiled stages share.
        sums: Where terms add their derivatives.
        terms: The summands of the potential, besides contact.
        others: Those that are not `usual`.
        touches: Whether there is contact.
        movable: Bodies (B,) of which anything moves.
        exact: Those whose joints another engine gets, (B,).
        is_begun: Whether the blocks of all terms but contact are known.
        is_measured: Whether energies are known where bodies are.
        is_exhausted: Whether the last line search found no decrease.
        is_affine: Rows of twelve coordinates, (n,), that are affine bodies.
    """

    def __init__(self, model: EngineModel, terms: Sequence[Term], distances: Distances) -> None:
        """Take the terms of a scene and what may touch in it, with the bodies where they have been read."""
        self.distances, self.terms, self.config = distances, list(terms), model.config
        self.numbering, contact, n = distances.numbering, distances.contact, len(model.context.bodies)
        points, table, x = distances.points, distances.table, self.nodes(model.context.bodies.q)
        is_fixed, B = points.is_fixed, len(points.is_fixed)
        self.movable = ~is_fixed
        couples = np.concatenate([np.zeros((0, 2), dtype=np.int64), *(term.couples for term in self.terms)])
        self.exact, driven = np.zeros((2, B), dtype=np.bool_)
        for term in self.terms:
            self.exact[term.exact] = driven[term.drives] = True
        self._reading = [
            term
            for term in self.terms
            if type(term).begin_step is not Term.begin_step and term.name != ortho_potential.NAME  # see `usual.begin`
        ]
        self._articulations = [term for term in self.terms if isinstance(term, Articulation)]
        self._approaching = [term for term in self.terms if type(term).approach is not Term.approach]
        joints = np.concatenate([np.zeros((0, 2), dtype=np.int64), *(term.joints for term in self.terms)])
        self.tree = joint_tree(joints, self.numbering.is_fixed[: self.numbering.affine])
        self.usual, self.others = take_usual(self.terms, self.numbering.affine, len(x))
        self.remainder = np.where(self.exact, EXACT_REMAINDER, USUAL_REMAINDER)
        pairs_of = n + len(table.planes) if model.rules.anchored else -1
        config, longest = self.config, 0.5 * float(table.d_hat.max(initial=0.0)) if model.config.cfl else np.inf
        velocities = config.eps_velocity * config.friction_enable, config.velocity_tol, config.transrate_tol
        self._limits = make_limits(pairs_of, velocities, longest, config.ccd_tol, self.remainder, self.exact)
        self.is_affine = np.arange(n) < self.numbering.affine
        of_joints = model.context.coordinates.arrays
        held = hold_ends(self._ends(model), couples, self.movable, driven, of_joints, model.initial_state())
        self.work = make_work(distances.scene, self.usual, self._limits, held, x, self.room())
        self.sums = sums_of(self.work)
        self.touches = bool((table.model >= 0).any())
        affine = ~points.is_soft
        self.by_gradients = model.context.bodies.soft.has_many_elements and bool(is_fixed[affine].all())
        self.is_adaptive = contact is not None and contact.materials.is_adaptive
        self.is_measured = self.is_begun = self.is_exhausted = False
        self._no_others = np.zeros((2, B))
        names, rows = model.context.bodies.names, np.searchsorted(self.numbering.body_of, np.arange(B))
        self._row_names, self.names = names, [names[row] for row in rows]  # of the bodies

    def _ends(self, model: EngineModel) -> tuple[Any, ...]:
        """See `ends.Ends`: what it has by rows."""
        bodies, (affine, row) = model.context.bodies, (self.numbering.affine, self.numbering.row)
        strength = model.gravity_strength
        return (
            by_numbers(self.numbering),
            model.order,
            model.acceleration,
            bodies.is_dynamic,
            ~bodies.is_fixed,
            self.is_affine,
            np.concatenate([strength[:affine], strength[row]]),
            model.center,
            bodies.external_kinetic,
            *self.tree,
        )

    def set_masses(self, rows: Ints, M: Array) -> None:
        """Give some affine bodies (k,), which nothing holds, another mass matrix (12, 12)."""
        next(term for term in self.terms if isinstance(term, Kinetic)).set_masses(rows, M)
        if self.distances.contact is not None:
            self.distances.contact.mass[rows] = M[0, 0]

    def follow_frictions(self) -> None:
        """Take the coefficients of friction as they are now."""
        self.distances.follow_frictions()
        touching.follow_frictions(self.work)

    def begin_step(self, state: EngineState, dt: float, substeps: int = 1) -> None:
        """Begin a step of dt [s] at a state; substeps are those of the animator."""
        self.dt = dt
        ends.begin(self.work, state, dt)
        if self._reading:
            x = stages.place(self.work)
            for term in self._reading:
                term.begin_step(state, x, dt)
        self.restrains = any([term.restrains for term in self._articulations])
        self._substeps = substeps
        self.approach(1)
        if self.touches:
            ends.meet(self.work, self._adapted(state) if self.is_adaptive else 0.0)

    def room(self) -> tuple[int, int]:
        """How many blocks terms may add to those that they are known to add, and how many numbers."""
        return sum(term.room for term in self.terms), sum(term.numbers for term in self.terms)

    def _adapted(self, state: EngineState) -> float:
        """κ_c [Pa] of pairs without any that balances other forces best (libuipc's; Huang et al. 2024, «GIPC»).

        With g_c the gradient of contact for κ_c = 1 and g_o that of all other terms as the step begins, it minimises
        ‖κ_c g_c + g_o‖, so κ_c = -g_c·g_o / ‖g_c‖², within the limits that the configuration gives; without contact it
        is its `init_kappa`.
        """
        work, config, gradients = self.work, self.config, []
        set_step(self._limits, self.dt, False)  # without friction
        ends.set_state(work, EngineState.without_past(state.q, state.qdot, state.theta))
        for kappa in (1.0, 2.0):
            ends.meet(work, kappa)
            direction.clear(work)
            touching.assemble(work)
            gradients.append(direction.gradient(work))
            stages.stay_there(work)
        g_c = gradients[1] - gradients[0]  # linear in κ_c
        direction.clear(work)
        x = stages.place(work)
        for term in self.terms:
            term.add_derivatives(x, self.sums)
        stages.stay_there(work)
        ends.set_state(work, state)
        set_step(self._limits, self.dt, True)
        g_o, square = direction.gradient(work), float(np.sum(g_c * g_c))
        wanted = -float(np.sum(g_c * g_o)) / square if square > 0.0 else config.init_resistance
        return float(np.clip(wanted, config.min_resistance, config.max_resistance))

    def approach(self, iteration: int) -> bool:
        """Move the goals of terms to their place in Newton iteration 1, 2, …. Returns: whether they are final."""
        share = min(iteration / self._substeps, 1.0)
        for term in self._approaching:
            term.approach(share)
        return share == 1.0 or not self._approaching

    def added(self) -> Array:
        """Energies (2, B) of terms that are not usual: where bodies are, if they are not known, and where is looked."""
        if not self.others:
            return self._no_others
        E = np.zeros_like(self._no_others)
        places = stages.nodes(self.work), stages.looked_at(self.work)
        for (x, moving), to in list(zip(places, E, strict=True))[self.is_measured :]:
            for term in self.others:
                term.add_energies(x, moving, to)
        return E

    def nodes(self, q: Array) -> Array:
        """Nodes (N, 3) of coordinates (n, 12), or the rates of both."""
        return self.distances.nodes(q)

    def memory(self) -> dict[str, Any]:
        """What the state remembers of the end of a step."""
        found: dict[str, Any] = {}
        for term in self.terms:
            if isinstance(term, FiniteElements):
                found["creases"] = term.creases(stages.points(self.work))
        if self.touches:
            pairs, values, friction = touching.remember(self.work)
            names = "pairs", "resistances", "anchored", "anchors", "springs", "stretches"
            found |= dict(zip(names, (pairs, values, *friction), strict=True))
        return found

    def closest(self) -> tuple[str, ...]:
        """Names of the two closest bodies, or of the body closest to a half-plane; none if nothing is near."""
        if not self.touches:
            return ()
        rows = readouts.closest(self.distances.scene, stages.place(self.work))[1]
        return tuple(self._row_names[row] for row in rows if row < len(self._row_names))
