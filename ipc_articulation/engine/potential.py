"""The incremental potential of one step: the sum of its terms.

E(q) = kinetic + dt² shape + joint penalties + K + dt² contact
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.contact.closest import closest_bodies
from ipc_articulation.contact.surfaces import Surfaces
from ipc_articulation.contact.world import ContactWorld
from ipc_articulation.engine.adaptive_resistance import AdaptiveResistance
from ipc_articulation.engine.linear_system import LinearSystem
from ipc_articulation.engine.state import State
from ipc_articulation.engine.terms.term import Approaching, Term

Array = NDArray[np.float64]


class Potential:
    """E(q) for the coordinates q (n, 12) of all bodies."""

    def __init__(
        self,
        terms: Sequence[Term],
        surfaces: Surfaces,
        contact: ContactWorld | None,
        body_names: Sequence[str],
        adaptive: AdaptiveResistance | None = None,
        cfl: bool = False,
    ) -> None:
        """Collect the terms.

        Args:
            terms: All of them, contact included.
            surfaces: Surfaces of all bodies, by which motion is measured.
            contact: What limits steps; None where contact is off.
            body_names: Names of the n bodies, for messages.
            adaptive: Sets the contact resistance of each step; None where all of it is given.
            cfl: Whether a step moves vertices in contact by half of d̂ at most (libuipc's `cfl/enable`).
        """
        self.terms, self._surfaces, self._contact = tuple(terms), surfaces, contact
        self.body_names, self._adaptive, self._cfl = tuple(body_names), adaptive, cfl
        self._approaching = [term for term in self.terms if isinstance(term, Approaching)]
        self._substeps = 1
        self._bare = np.setdiff1d(np.arange(len(body_names)), surfaces.body)

    def begin_step(self, state: State, dt: float, substeps: int = 1) -> None:
        """Fix what is constant in the step of dt [s] that begins at a state; substeps are the animator's."""
        for term in self.terms:
            term.begin_step(state, dt)
        if self._adaptive is not None:
            self._adaptive.begin_step(state, dt)
        self._substeps = substeps
        self.approach(1)

    def approach(self, iteration: int) -> bool:
        """Put goals of constraints where they are in Newton iteration 1, 2, …; says whether they are at their end."""
        share = min(iteration / self._substeps, 1.0)
        for term in self._approaching:
            term.approach(share)
        return share == 1.0 or not self._approaching

    def energies(self, q: Array) -> dict[str, float]:
        """Energy by term [J·s²]."""
        return {term.name: term.energy(q) for term in self.terms}

    def energy(self, q: Array) -> float:
        """E(q); inf where surfaces touch."""
        return sum(term.energy(q) for term in self.terms)

    def assemble(self, q: Array, system: LinearSystem) -> Array:
        """The gradient (n, 12); the projected Hessian goes into the system."""
        system.clear()
        g = np.zeros_like(q)
        for term in self.terms:
            term.assemble(q, g, system)
        return g

    def step_limit(self, q: Array, dq: Array) -> float:
        """Largest share of the step dq (n, 12) on which nothing touches, in [0, 1]."""
        if self._contact is None:
            return 1.0
        limit = self._contact.step_limit(q, dq)
        if self._cfl:
            motion = self._contact.active_motion(q, dq)
            limit = min(limit, 0.5 * self._contact.d_hat / motion) if motion > 0.0 else limit
        return limit

    def largest_motion(self, dq: Array) -> float:
        """Greatest displacement [m] of a vertex, or of the origin of a body without surface, under dq (n, 12)."""
        return max(self._surfaces.largest_motion(dq), np.abs(dq[self._bare, :3]).max(initial=0.0))

    def motions(self, dq: Array) -> Array:
        """Greatest displacement [m] of a vertex of each body under dq (n, 12), of its origin without surface: (n,)."""
        motion = np.abs(dq[:, :3]).max(axis=1) if len(dq) else np.zeros(0)
        motion[self._surfaces.body] = 0.0
        np.maximum.at(motion, self._surfaces.body, np.linalg.norm(self._surfaces.positions(dq), axis=1))
        return motion

    def minimum_distance(self, q: Array) -> float:
        """Smallest distance [m] of surfaces that may touch; inf where nothing is near, or contact is off."""
        return np.inf if self._contact is None else self._contact.minimum_distance(q)

    def closest_bodies(self, q: Array) -> tuple[int, ...]:
        """Rows of the two bodies that are closest, of one where that is to a half-plane; see `contact.closest`."""
        return () if self._contact is None else closest_bodies(self._contact, q)
