"""Finds the term and the body that a number that is not finite comes from."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.engine.potential import Potential
from ipc_articulation.engine.terms.term import Term
from ipc_articulation.errors import SolverError


def not_finite(potential: Potential, q: Array) -> SolverError | None:
    """The error that names the first energy, gradient or Hessian at q (n, 12) that is not finite; None if all are."""
    potential.select(potential.movable)
    for term in potential.terms:
        energies = np.zeros(len(q))
        term.add_energy(q, energies)
        if np.isnan(energies).any():
            return _error("energy", term, np.flatnonzero(np.isnan(energies)), potential)
        for what, bodies in zip(("gradient", "Hessian"), _bodies(term, q), strict=True):
            if len(bodies):
                return _error(what, term, bodies, potential)
    return None


def _error(what: str, term: Term, bodies: Ints, potential: Potential) -> SolverError:
    names = dict.fromkeys(potential.body_names[body] for body in bodies)  # a soft body has several rows
    named = ", ".join(f"'{name}'" for name in names)
    where = f"at {'bodies' if len(names) > 1 else 'body'} {named}"
    return SolverError(
        f"the {what} of the {term.name} term is not finite {where}; look at what the scene or a callback wrote there"
    )


def _bodies(term: Term, q: Array) -> tuple[Ints, Ints]:
    """Bodies at which the gradient and the Hessian of a term are not finite."""
    g, probe = np.zeros_like(q), _HessianProbe(len(q))
    term.assemble(q, g, probe)
    return np.flatnonzero(~np.isfinite(g).all(axis=1)), np.flatnonzero(probe.bad)


class _HessianProbe:
    """A `Hessian` that only records the bodies at which a number that is not finite was added."""

    def __init__(self, body_count: int) -> None:
        self.bad = np.zeros(body_count, dtype=bool)

    def add_diagonal(self, blocks: Array) -> None:
        self.bad |= ~np.isfinite(blocks).all(axis=(1, 2))

    def add_pairs(self, bodies: Ints, blocks: Array) -> None:
        self.bad[bodies[~np.isfinite(blocks).all(axis=(1, 2))]] = True

    def add_coupled(self, bodies: Ints, J: Array, M: Array) -> None:
        self.bad[bodies[~(np.isfinite(J).all(axis=1) & np.isfinite(M).all(axis=1))]] = True

    def add_vertices(self, bodies: Ints, points: Array, H: Array, scale: float = 1.0) -> None:
        self.bad[bodies[~np.isfinite(H).all(axis=(1, 2))]] = True
