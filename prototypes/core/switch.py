"""The engine with the sketch of the core in place of its own step: all else, coupling and libuipc's world, stays.

For scenes of affine bodies with joints and articulations. `switched` replaces the step of one engine.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ipc_articulation.engine.newton.newton_report import NewtonReport, NewtonResult
from ipc_articulation.engine.state import EngineState
from prototypes.core import layout, newton
from prototypes.core.joints import coordinates, write_nodes


class Core:
    """Steps of one engine by the core."""

    def __init__(self, cpu: Any, dt: float) -> None:
        """Read the scene.

        Raises:
            NotImplementedError: It has something that is not part of the sketch.
        """
        self._scene, self._linkage, self._limits, x, _ = layout.read(cpu, dt)
        if self._scene.points.is_soft.any():
            raise NotImplementedError("soft bodies are compared by `python -m prototypes.core`")
        self._kept = newton.begin(self._scene, x)
        self._x, self._v = x, np.empty_like(x)

    def step(
        self, state: EngineState, rested: Any, model: Any, workspace: Any, dt: float, substeps: int, watch: Any
    ) -> tuple[EngineState, None, NewtonReport]:
        """In place of `engine.step.step`."""
        if workspace.articulation is not None:
            workspace.articulation.begin_step(state, dt)
        write_nodes(state.q, self._x)
        write_nodes(state.qdot, self._v)
        given = self._scene, self._linkage, self._limits
        x, v, self._kept, iterations = newton.step(*given, self._kept, self._x.copy(), self._v)
        q, qdot = coordinates(x, len(state.q)), coordinates(v, len(state.q))
        theta = model.context.coordinates.follow(state.theta, q)
        report = NewtonReport(NewtonResult.CONVERGED if iterations > 0 else NewtonResult.MAX_ITERATIONS)
        report.iterations = abs(iterations)
        return state._replace(q=q, qdot=qdot, theta=theta, q_before=state.q, qdot_before=state.qdot), None, report


def switched(cpu: Any, dt: float) -> None:
    """Let an engine step by the core; of all engines of the process."""
    from ipc_articulation.engine import cpu as module

    module.step = Core(cpu, dt).step  # type: ignore[attr-defined]
