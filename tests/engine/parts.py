"""What tests ask of the inside of an engine: terms, the contact gradient, how far bodies may go."""

from __future__ import annotations

from typing import Any

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.nodes import coordinates
from ipc_articulation.contact.overlaps import find_overlap
from ipc_articulation.engine.newton import direction, stages, touching
from ipc_articulation.engine.newton.core import Core
from ipc_articulation.engine.state import EngineState
from tests.engine.nodes import matrix_of

DT = 0.01  # [s]


def core_of(scene: Any) -> Core:
    return scene.engine.cpu.workspace.core  # type: ignore[no-any-return]


def term_of(scene: Any, name: str) -> Any:
    return next(term for term in core_of(scene).terms if term.name == name)


def contact_gradient(core: Core) -> Array:
    """Of the contact energy by the coordinates of affine bodies where the last step has ended, (A, 12) [J·s²]."""
    look_around(core)
    contact_matrix(core)
    return coordinates(direction.gradient(core.work), core.numbering.affine)  # type: ignore[no-any-return]


def contact_matrix(core: Core) -> Any:
    """Begin sums, and add the derivatives of contact where bodies are; H."""
    direction.clear(core.work)
    touching.assemble(core.work)
    return matrix_of(core.work)


def look_around(core: Core) -> None:
    """Find what is within d̂ where bodies are."""
    stages.stay_there(core.work)
    touching.collide(core.work)
    touching.touch(core.work)


def begin_at(core: Core, q: Array, dt: float = DT) -> None:
    """Begin a step at coordinates q (n, 12), at rest."""
    core.begin_step(EngineState.without_past(q, np.zeros_like(q), np.zeros(0)), dt)


def way(core: Core, q: Array, dq: Array, moving: Bools | None = None) -> tuple[Array, Ints]:
    """Of a step that has begun the fractions of a way from q to q + dq, (n, 12), that bodies may go, and islands, (B,).

    All that can move do, or some (B,).
    """
    x = core.nodes(q)
    stages.stand(core.work, x)
    stages.wake(core.work, core.movable)
    touching.collide(core.work)
    touching.touch(core.work)
    stages.aim(core.work, core.movable if moving is None else moving, core.nodes(q + dq) - x)
    return _way(core.work)  # type: ignore[no-any-return]


@compiled
def _way(work):
    return work.free, work.met


@compiled
def islands_of(work):
    """Labels (B,) of islands at the beginning of the step."""
    return work.start


def overlaps(core: Core, q: Array) -> bool:
    """Whether bodies intersect at q (n, 12)."""
    found = find_overlap(core.distances.contact, core.distances.scene, core.nodes(q), np.ones_like(core.movable))
    return found is not None
