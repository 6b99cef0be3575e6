"""Finds the term and the body that a number that is not finite comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.newton import direction, stages, touching
from ipc_articulation.engine.newton.core import Core
from ipc_articulation.errors import SolverError

_ADVICE = "look at what the scene or a callback wrote there"


def not_finite(core: Core) -> SolverError | None:
    """The error that names what is not finite where bodies are, of one term or of their sum, and where."""
    stages.wake(core.work, core.movable)
    for name, energies, derivatives in _parts(core):
        for what, bodies in _faults(core, energies, derivatives):
            if len(bodies):
                return SolverError(f"the {what} of the {name} term is not finite {_where(core, bodies)}; {_ADVICE}")
    for what, bodies in _faults(core, _all_energies(core), _all_derivatives(core)):
        if len(bodies):
            where = _where(core, bodies)
            return SolverError(f"the sum of all terms' {what} is not finite {where}: numbers are too large")
    return None


_Adds = Callable[[Array], None]


def _parts(core: Core) -> Iterator[tuple[str, _Adds, Callable[[], None]]]:
    x, moving = stages.nodes(core.work)
    for term in core.terms:
        yield (
            term.name,
            lambda E, term=term: term.add_energies(x, moving, E),  # type: ignore[misc]
            lambda term=term: term.add_derivatives(x, core.sums),  # type: ignore[misc]
        )
    if core.touches:
        y = stages.points(core.work)
        yield "contact", lambda E: touching.add_energies(core.work, x, y, E), lambda: touching.assemble(core.work)


def _all_energies(core: Core) -> _Adds:
    def add(E: Array) -> None:
        for _, energies, _ in _parts(core):
            energies(E)

    return add


def _all_derivatives(core: Core) -> Callable[[], None]:
    def add() -> None:
        for _, _, derivatives in _parts(core):
            derivatives()

    return add


def _faults(core: Core, energies: _Adds, derivatives: Callable[[], None]) -> Iterator[tuple[str, Ints]]:
    """Bodies at which energy, gradient and Hessian are not finite; an energy is seldom inf by right."""
    E = np.zeros(len(core.movable))
    energies(E)
    yield "energy", np.flatnonzero(np.isnan(E))
    direction.clear(core.work)
    derivatives()
    bad = _bad(core.work)
    for what, flags in zip(("gradient", "Hessian"), bad, strict=True):
        yield what, np.flatnonzero(flags)
    yield "energy", np.flatnonzero(np.isinf(E))


@compiled
def _bad(work):
    """Bodies (B,) at which the gradient and at which the Hessian is not finite."""
    sums, body = work.sums, work.scene.rows.body
    matrix, result = sums.matrix, np.zeros((2, len(work.moving)), dtype=np.bool_)
    for n in range(len(sums.g)):
        for k in range(3):
            result[0, body[sums.row_of_node[n]]] |= not np.isfinite(sums.g[n, k])
    for r in range(len(body)):
        size = 9 * (matrix.first[r + 1] - matrix.first[r]) ** 2
        result[1, body[r]] |= not np.all(np.isfinite(matrix.numbers[matrix.own[r] : matrix.own[r] + size]))
    return result


def _where(core: Core, bodies: Ints) -> str:
    named = ", ".join(f"'{core.names[body]}'" for body in bodies)
    return f"at {'bodies' if len(bodies) > 1 else 'body'} {named}"
