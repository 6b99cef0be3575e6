"""One step of a world and the couplings of its scene, or none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import uipc

from ipc_articulation.coupling.failures import require_valid
from ipc_articulation.frontend.callbacks import raise_kept
from ipc_articulation.signals import interrupts_deferred


def take_step(world: uipc.World, couplings: Sequence[Any], retrieve: bool = True) -> None:
    """All couplings predict, the world advances, all commit; a failure leaves everything as it was, see `step`."""
    with interrupts_deferred, couplings[0].turn.changing("step"):
        advance(world, couplings)
        if retrieve or not all(coupling.is_in_engine for coupling in couplings):
            world.retrieve()
        for coupling in couplings:
            coupling.finish(is_stale=not retrieve)


def advance(world: uipc.World, couplings: Sequence[Any]) -> None:
    """All couplings predict, and the world advances; a failure leaves everything as it was."""
    require_valid(world)
    for coupling in couplings:
        coupling.require_world(world)
        coupling.steps.require_committed()
    try:
        world.advance()
        raise_kept(couplings[0].scene)
        for coupling in couplings:
            coupling.steps.require_prediction()
    except BaseException:
        for coupling in couplings:
            coupling.steps.pending = None
        raise
