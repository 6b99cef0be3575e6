"""The engine with the sketch of the core in place of its own step: all else, coupling and libuipc's world, stays.

For scenes of affine bodies with joints and articulations.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ipc_articulation.engine.newton.newton_report import NewtonReport, NewtonResult
from ipc_articulation.engine.state import EngineState
from prototypes.core import layout, memory, newton
from prototypes.core.joints import coordinates, write_nodes


class Core:
    """Steps of one engine by the core."""

    def __init__(self, cpu: Any, dt: float) -> None:
        """Read the scene.

        Raises:
            NotImplementedError: It has something that is not part of the sketch.
        """
        scene, linkage, limits, x, _ = layout.read(cpu, dt)
        if scene.points.is_soft.any():
            raise NotImplementedError("soft bodies are compared by `python -m prototypes.core`")
        self.held, self._holds = newton.hold(scene, linkage, limits, x), limits.pairs_of is not None
        self._x, self._v = x, np.empty_like(x)

    def step(
        self, state: EngineState, rested: Any, model: Any, workspace: Any, dt: float, substeps: int, watch: Any
    ) -> tuple[EngineState, None, NewtonReport]:
        """In place of `engine.step.step`."""
        if workspace.articulation is not None:
            workspace.articulation.begin_step(state, dt)
        write_nodes(state.q, self._x)
        write_nodes(state.qdot, self._v)
        anchors = state.anchored, state.anchors
        if self._holds:
            memory.recall(
                newton.memory_of(self.held), *(part.copy() for part in (*anchors, state.springs, state.stretches))
            )
        x, v, iterations = newton.advance(self.held, self._x, self._v)
        if self._holds:
            anchors = memory.known(newton.memory_of(self.held))[:2]
        q, qdot = coordinates(x, len(state.q)), coordinates(v, len(state.q))
        theta = model.context.coordinates.follow(state.theta, q)
        report = NewtonReport(NewtonResult.CONVERGED if iterations > 0 else NewtonResult.MAX_ITERATIONS)
        report.iterations = abs(iterations)
        moved = {"q": q, "qdot": qdot, "theta": theta, "q_before": state.q, "qdot_before": state.qdot}
        return state._replace(**moved, anchored=anchors[0], anchors=anchors[1]), None, report


def switch(cpu: Any, dt: float) -> None:
    """Let one engine, whose scene has been read, step by the core."""
    from ipc_articulation.engine import cpu as module

    core, step = Core(cpu, dt), module.step

    def either(state: Any, rested: Any, model: Any, workspace: Any, *rest: Any) -> Any:
        return (core.step if workspace is cpu.workspace else step)(state, rested, model, workspace, *rest)

    module.step = either  # type: ignore[attr-defined]
