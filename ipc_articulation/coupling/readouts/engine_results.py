"""The results of the engine's last step, which only the CPU engine has."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import uipc

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.contact.forces import ContactForces
from ipc_articulation.errors import EngineError
from ipc_articulation.frontend.worlds import ENGINES


class StepResults(NamedTuple):
    """Contacts of a step, and what their rows mean."""

    contacts: ContactForces  # bodies are rows of the following
    names: tuple[str, ...]  # of the bodies, then of the half-planes
    ids: tuple[tuple[int, int], ...]  # (n,) geometry id and instance of the bodies
    q_start: Array  # (n, 12) coordinates of the bodies at the beginning of the step
    q: Array  # (n, 12) at its end
    joints: Ints  # (m, 2) rows of the bodies of all joints in the scene
    joint_forces: Array  # (m, 2, 12) of each joint on both bodies, conjugate to q [N, N·m]


def results_of(world: uipc.World) -> Callable[[], StepResults]:
    """A function that returns the results of the last step of a world, until its next step begins.

    It raises an EngineError if the world's engine is not the CPU engine, has taken no step, or has begun the next one.
    """
    engine = ENGINES.get(world)
    statistics = None if engine is None else engine.statistics

    def results() -> StepResults:
        if engine is None or engine.cpu is None:
            name = "libuipc's own" if engine is None else f"'{engine.backend_name()}'"
            raise EngineError(
                f"contact forces can be read out with Engine('cpu') only; the engine of this world is {name}"
            )
        if not statistics:
            raise EngineError("contact forces: this world has taken no step since world.init or world.recover")
        contacts, end = statistics.contacts, statistics.end
        names, ids = engine.cpu.contact_names, engine.cpu.body_ids
        return StepResults(contacts, names, ids, end.q_start, end.q, *statistics.joint_forces)

    return results
