"""Finds the term and the body that a number that is not finite comes from."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.engine.linear_system.hessian import Coupled
from ipc_articulation.engine.potential import Potential
from ipc_articulation.engine.terms.term import Term
from ipc_articulation.errors import SolverError


def not_finite(potential: Potential, q: Array) -> SolverError | None:
    """The error that names what is not finite at q (n, 12), of one term or of their sum, and where; None if all is."""
    potential.select(potential.movable)
    for term in potential.terms:
        for what, bodies in _faults(term, q):
            if len(bodies):
                advice = "look at what the scene or a callback wrote there"
                where = _where(bodies, potential)
                return SolverError(f"the {what} of the {term.name} term is not finite {where}; {advice}")
    return _sum_not_finite(potential, q)


def _sum_not_finite(potential: Potential, q: Array) -> SolverError | None:
    """The error for terms that are finite, and their sum is not."""
    E, g = np.zeros(len(q)), np.zeros_like(q)
    for term in potential.terms:
        term.add_energy(q, E)
        term.assemble(q, g, _HessianProbe(len(q)))
    for what, values in (("energy", E[:, None]), ("gradient", g)):
        bodies = np.flatnonzero(~np.isfinite(values).all(axis=1))
        if len(bodies):
            return SolverError(
                f"the sum of all terms' {what} is not finite {_where(bodies, potential)}: numbers are too large"
            )
    return None


def _where(bodies: Ints, potential: Potential) -> str:
    names = dict.fromkeys(potential.body_names[body] for body in bodies)  # a soft body has several rows
    named = ", ".join(f"'{name}'" for name in names)
    return f"at {'bodies' if len(names) > 1 else 'body'} {named}"


def _faults(term: Term, q: Array) -> Iterator[tuple[str, Ints]]:
    """The bodies at which energy, gradient and Hessian of a term are not finite; an energy is seldom inf by right."""
    E, g, probe = np.zeros(len(q)), np.zeros_like(q), _HessianProbe(len(q))
    term.add_energy(q, E)
    yield "energy", np.flatnonzero(np.isnan(E))
    term.assemble(q, g, probe)
    yield "gradient", np.flatnonzero(~np.isfinite(g).all(axis=1))
    yield "Hessian", np.flatnonzero(probe.bad)
    yield "energy", np.flatnonzero(np.isinf(E))


class _HessianProbe:
    """A `Hessian` that only records the bodies at which a number that is not finite was added."""

    def __init__(self, body_count: int) -> None:
        self.bad = np.zeros(body_count, dtype=bool)

    def add_diagonal(self, blocks: Array) -> None:
        self.bad |= ~np.isfinite(blocks).all(axis=(1, 2))

    def add_pairs(self, bodies: Ints, blocks: Array) -> None:
        self.bad[bodies[~np.isfinite(blocks).all(axis=(1, 2))]] = True

    def add_coupled(self, coupled: Coupled) -> None:
        sizes = np.diff(coupled.starts)
        bad = np.flatnonzero(~np.isfinite(coupled.M))
        rows = np.repeat(np.arange(len(coupled.J)), np.repeat(sizes, sizes))  # the row of each entry of M
        self.bad[coupled.bodies[~np.isfinite(coupled.J).all(axis=1)]] = True
        self.bad[coupled.bodies[rows[bad]]] = True

    def add_vertices(self, bodies: Ints, points: Array, H: Array, scale: float = 1.0) -> None:
        self.bad[bodies[~np.isfinite(H).all(axis=(1, 2))]] = True
