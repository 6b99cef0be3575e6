"""The engine with the core in place of its own step: all else, coupling and libuipc's world, stays.

As a plugin of pytest, `-p prototypes.core.switch`, all engines step by it whose scenes have nothing that it lacks.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from ipc_articulation.engine import cpu as module
from ipc_articulation.engine.workspace import Workspace
from prototypes.core.core import Core
from prototypes.core.output import CoreOutput
from prototypes.core.step import step

_READ = "energies", "minimum_distance", "collisions", "contact_forces", "joint_forces"  # of `Potential`, for a step
_other = module.step
_without: Counter[str] = Counter()  # what the core lacks, by the number of scenes that have it


class _Tested(Core):
    """A core that refuses stiffness beside which inertia is lost."""

    def __init__(self, model: Any, workspace: Any, state: Any) -> None:
        """See `Core`; what is read of a step comes from this one."""
        super().__init__(model, workspace, state)
        self._conditioning, output = workspace.conditioning, CoreOutput(self)
        for name in _READ:
            setattr(workspace.potential, name, getattr(output, name))

    def begin_step(self, state: Any, dt: float, substeps: int = 1) -> None:
        super().begin_step(state, dt, substeps)
        self._conditioning.follow(state)


def core_of(model: Any, workspace: Any, state: Any) -> Core | None:
    """The core of a workspace, made anew where masses or friction were set; None if the core lacks something."""
    properties = _properties(model, workspace)
    if getattr(workspace, "properties", None) != properties:
        workspace.properties = properties
        try:
            workspace.core = _Tested(model, workspace, state)
        except NotImplementedError as error:
            workspace.core = None
            _without[str(error)] += 1
    return workspace.core  # type: ignore[no-any-return]


def _properties(model: Any, workspace: Any) -> bytes:
    """What may be set between steps."""
    contact, found = workspace.contact, [model.context.bodies.mass]
    if contact is not None:
        found += [contact.materials.friction, contact.resistance._law.mass]
        found += [] if contact.parts is None else [contact.parts.friction]
    return b"".join(array.tobytes() for array in found)


def _by_core(state: Any, rested: Any, model: Any, workspace: Workspace, *rest: Any) -> Any:
    """In place of `engine.step.step`."""
    core = core_of(model, workspace, state)
    if core is None:
        return _other(state, rested, model, workspace, *rest)
    if workspace.conditioning.is_due:
        workspace.conditioning.test(state)
    return step(core, state, rested, model, *rest)


def _alone(state: Any, rested: Any, model: Any, workspace: Any, *rest: Any) -> Any:
    core = getattr(workspace, "core", None)
    if core is None:
        return _other(state, rested, model, workspace, *rest)
    return step(core, state, rested, model, *rest)


def switch(cpu: Any) -> Core:
    """Let one engine, whose scene has been read, step by the core.

    Raises:
        NotImplementedError: Its scene has something that is not part of the core.
    """
    core = cpu.workspace.core = _Tested(cpu.model, cpu.workspace, cpu.state)
    module.step = _alone  # type: ignore[attr-defined]
    return core


def pytest_configure() -> None:
    """Let all engines step by the core."""
    module.step = _by_core  # type: ignore[attr-defined]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say what was missing."""
    for what, count in _without.most_common():
        terminalreporter.write_line(f"{count} scenes by the engine's own step: {what}")
