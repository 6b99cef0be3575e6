"""The core of an engine: a scene by nodes, its terms, and what compiled stages of a step share."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.joint_tree import joint_tree
from prototypes.core import layout, stages, touching
from prototypes.core.references import by_reference
from prototypes.core.term import Term
from prototypes.core.terms.coordinates import all_coordinates, by_numbers, write_all_nodes
from prototypes.core.terms.inertia import Kinetic
from prototypes.core.terms.registry import numbering_of, read_terms
from prototypes.core.work import make_work, sums_of

USUAL_REMAINDER, EXACT_REMAINDER = 1e-3, 1e-8  # of the tolerances, what Newton's last step may leave


class _Limits(NamedTuple):
    """Tolerances of a step."""

    motion: float  # a step that moves no point by more may be the last one [m]
    change: float  # the same of the entries of A
    ccd: float  # the fraction of a step that collision detection must allow
    remainder: Array  # (B,)
    exact: Bools  # (B,)


LimitsType, Limits = by_reference(_Limits, __name__)


@compiled
def make_limits(motion, change, ccd, remainder, exact):
    """See `_Limits`."""
    return Limits(motion, change, ccd, remainder, exact)


class Core:
    """A scene whose steps Newton's method takes.

    Attributes:
        work: What compiled stages share.
        sums: Where terms add their derivatives.
        terms: The summands of the potential, besides contact.
        restraining: Those that change Newton's step.
        touches: Whether there is contact.
        couples: Bodies that are always of one island, (c, 2).
        movable: Bodies (B,) of which anything moves.
        exact: Those whose joints another engine gets, (B,).
        driven: Those that do not rest, (B,).
        energies: Of bodies where they are, (B,); None where they are not known.
        square: dt² [s²].
        eps: Slip at which friction is fully developed [m].
    """

    def __init__(self, cpu: Any) -> None:
        """Read the scene of a CPU engine.

        Raises:
            NotImplementedError: It has something that is not part of the core.
        """
        scene, x = layout.read(cpu)
        self.terms, self.config, self.order = read_terms(cpu), cpu.model.config, cpu.model.order
        self.numbering = numbering_of(cpu.model)
        self._numbers = by_numbers(self.numbering)
        is_fixed, B = scene.points.is_fixed, len(scene.points.is_fixed)
        self.movable, self.everybody = ~is_fixed, np.ones(B, dtype=np.bool_)
        self.couples = np.concatenate([np.zeros((0, 2), dtype=np.int64), *(term.couples for term in self.terms)])
        self.exact, self.driven, placed = np.zeros((3, B), dtype=np.bool_)
        for term in self.terms:
            self.exact[term.exact] = self.driven[term.drives] = placed[term.placed] = True
        self.may_rest = bool((self.movable & ~self.driven).any())
        self.room = sum(term.room for term in self.terms)
        self.restraining = [term for term in self.terms if type(term).restrain is not Term.restrain]
        self.following = [term for term in self.terms if type(term).follow is not Term.follow]
        self._approaching = [term for term in self.terms if type(term).approach is not Term.approach]
        joints = np.concatenate([np.zeros((0, 2), dtype=np.int64), *(term.joints for term in self.terms)])
        order, parent = joint_tree(joints, scene.rows.is_fixed[: self.numbering.affine])
        self.tree = order, parent
        rows = cpu.model.gravity_strength
        self.gravity = np.concatenate([rows[: self.numbering.affine], rows[self.numbering.row]])
        self.center, self.is_link = cpu.model.center, cpu.model.context.bodies.external_kinetic
        self.work = make_work(scene, x, placed)
        self.sums = sums_of(self.work)
        self.touches = bool((scene.table.model >= 0).any())
        self.projects = self.touches or bool(scene.points.is_soft.any())
        affine = ~scene.points.is_soft
        self.by_gradients = cpu.model.context.bodies.soft.has_many_elements and bool(is_fixed[affine].all())
        self.energies: Array | None = None
        self._dt = self.square = self.eps = 0.0

    def begin_step(self, state: Any, x: Array, dt: float, substeps: int = 1) -> None:
        """Begin a step of dt [s] at a state, with nodes at x (N, 3); substeps are those of the animator."""
        config = self.config
        if dt != self._dt:
            remainder = np.where(self.exact, EXACT_REMAINDER, USUAL_REMAINDER)
            tolerances = config.velocity_tol * dt, config.transrate_tol * dt, config.ccd_tol
            self.limits = make_limits(*tolerances, remainder, self.exact)
            self._dt, self.square, self.eps = dt, dt * dt, config.eps_velocity * dt
        for term in self.terms:
            term.begin_step(state, x, dt)
        self._substeps = substeps
        self.approach(1)
        if self.touches:
            touching.begin(self.work, x, self.couples, self.square)
        else:
            stages.begin(self.work, x, self.couples)

    def approach(self, iteration: int) -> bool:
        """Move the goals of terms to their place in Newton iteration 1, 2, …. Returns: whether they are final."""
        share = min(iteration / self._substeps, 1.0)
        for term in self._approaching:
            term.approach(share)
        return share == 1.0 or not self._approaching

    def energies_now(self) -> Array:
        """Energies of moving bodies where they are, (B,)."""
        return self._energies(stages.nodes, touching.add_energies_now)

    def energies_ahead(self) -> Array:
        """Energies of moving bodies where a line search looks, (B,)."""
        return self._energies(stages.looked_at, touching.add_energies)

    def _energies(self, where: Any, add: Any) -> Array:
        E, (x, y, moving) = np.zeros(len(self.movable)), where(self.work)
        for term in self.terms:
            term.add_energies(x, y, moving, E)
        if self.touches:
            add(self.work, self.square, self.eps, E)
        return E

    def rounding(self) -> Array:
        """By how much rounding of nodes may change energies, (B,)."""
        x, _, moving = stages.nodes(self.work)
        return sum((term.rounding(x, moving) for term in self.terms if isinstance(term, Kinetic)), 0.0 * self.movable)

    def nodes(self, q: Array) -> Array:
        """Nodes (N, 3) of coordinates (n, 12), or the rates of both."""
        x = np.empty((self.numbering.first[-1], 3))
        write_all_nodes(self._numbers, q, x)
        return x

    def coordinates(self, x: Array, q: Array) -> Array:
        """Coordinates (n, 12) of nodes (N, 3); what no vertex says is as in q."""
        return all_coordinates(self._numbers, x, q)

    @property
    def restiffened(self) -> Bools:
        """Bodies (B,) whose contact resistance is not that with which the last step ended."""
        return ~self.everybody

    is_adaptive = False

    def memory(self) -> dict[str, Any]:
        """What the state remembers of the end of a step."""
        return {}
