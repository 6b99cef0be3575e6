"""The engine with the core in place of its own step: all else, coupling and libuipc's world, stays."""

from __future__ import annotations

from typing import Any

from prototypes.core.core import Core
from prototypes.core.step import step


def switch(cpu: Any) -> Core:
    """Let one engine, whose scene has been read, step by the core.

    Raises:
        NotImplementedError: Its scene has something that is not part of the core.
    """
    from ipc_articulation.engine import cpu as module

    core, other = Core(cpu), module.step

    def either(state: Any, rested: Any, model: Any, workspace: Any, *rest: Any) -> Any:
        if workspace is cpu.workspace:
            return step(core, state, rested, model, *rest)
        return other(state, rested, model, workspace, *rest)

    module.step = either  # type: ignore[attr-defined]
    return core
