"""The core of an engine: a scene by nodes, its terms, and what compiled stages of a step share."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.frontend.config import Config
from prototypes.core import stages, touching
from prototypes.core.references import by_reference
from prototypes.core.term import Term
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

    def __init__(self, scene: Any, terms: list[Term], tree: tuple[Ints, Ints], config: Config, x: Array) -> None:
        """Begin with nodes at x (N, 3).

        Args:
            scene: `layout.Scene`.
            terms: All but contact.
            tree: Of the joints of affine bodies, see `engine.joint_tree`.
            config: Tolerances and limits.
            x: Nodes.
        """
        self.terms, self.config, self.tree = terms, config, tree
        is_fixed, B = scene.points.is_fixed, len(scene.points.is_fixed)
        self.movable, self.everybody, self.is_fixed = ~is_fixed, np.ones(B, dtype=np.bool_), is_fixed
        self.couples = np.concatenate([np.zeros((0, 2), dtype=np.int64), *(term.couples for term in terms)])
        self.exact, self.driven, placed = np.zeros((3, B), dtype=np.bool_)
        for term in terms:
            self.exact[term.exact] = self.driven[term.drives] = placed[term.placed] = True
        self.work = make_work(scene, x, placed)
        self.sums = sums_of(self.work)
        self.room = sum(term.room for term in terms)
        self.restraining = [term for term in terms if type(term).restrain is not Term.restrain]
        self.touches = bool((scene.table.model >= 0).any())
        self.projects = self.touches or bool(scene.points.is_soft.any())
        affine = ~scene.points.is_soft
        self.by_gradients = scene.has_many_elements and bool(is_fixed[affine].all())
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
        share, is_final = min(iteration / self._substeps, 1.0), True
        for term in self.terms:
            is_final &= term.approach(share)
        return is_final

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
        return sum((term.rounding(stages.place(self.work)) for term in self.terms), np.zeros(len(self.movable)))
