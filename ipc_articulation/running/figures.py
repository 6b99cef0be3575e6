"""What an engine tells of its last step, as quantities of a recording; an engine that tells nothing leaves them out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ipc_articulation.engine.stopwatch import STAGES


def energy_terms(engine: Any) -> tuple[str, ...]:
    """Names of the terms of the engine's potential."""
    return () if engine.cpu is None else engine.cpu.energy_terms


def stages(engine: Any) -> tuple[str, ...]:
    """Names of the stages of a step."""
    return () if engine.cpu is None else STAGES


def figures(engine: Any) -> Mapping[str, Any]:
    """Energies [J] and times by stage [s] of the last step."""
    statistics = engine.statistics
    if statistics is None:
        return {}
    return {
        "energies": [energy / statistics.dt**2 for energy in statistics.energies.values()],
        "stage_times": list(statistics.stages.values()),
    }
