"""The report of an engine on its last step as quantities of a recording, without those that it does not report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ipc_articulation.engine.output.stopwatch import STAGES
from ipc_articulation.recording.contacts import NO_CONTACTS, Contacts


def energy_terms(engine: Any) -> tuple[str, ...]:
    """Names of the terms of the engine's potential."""
    return () if engine.cpu is None else engine.cpu.energy_terms


def stages(engine: Any) -> tuple[str, ...]:
    """Names of the stages of a step."""
    return () if engine.cpu is None else STAGES


def contact_names(engine: Any) -> tuple[str, ...]:
    """Names of everything that contacts are between."""
    return () if engine.cpu is None else engine.cpu.contact_names


def contacts(engine: Any, names: Sequence[str]) -> Contacts:
    """Contact points and forces of the last step; `names` are those of `contact_names`."""
    if engine.statistics is None:
        return NO_CONTACTS
    points, forces, bodies = engine.statistics.contacts
    return Contacts(points, forces, tuple((names[i], names[j]) for i, j in bodies.tolist()))


def figures(engine: Any) -> Mapping[str, Any]:
    """Newton iterations, energies [J] and times by stage [s] of the last step."""
    statistics = engine.statistics
    if statistics is None:
        return {}
    return {
        "newton_iterations": statistics.newton.iterations,
        "energies": [energy / statistics.dt**2 for energy in statistics.energies.values()],
        "stage_times": list(statistics.stages.values()),
    }
