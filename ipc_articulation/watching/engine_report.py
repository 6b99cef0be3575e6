"""The report of an engine on its last step as quantities of a recording, without those that it does not report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ipc_articulation.engine import Engine
from ipc_articulation.engine.stopwatch import STAGES
from ipc_articulation.errors import EngineError
from ipc_articulation.naming import distinct
from ipc_articulation.recording.contacts import NO_CONTACTS, Contacts
from ipc_articulation.watching.subject import Subject


def engine_of(subject: Subject, engine: Any, watcher: str) -> Any:
    """The engine, if it moves the subject's scene; one that reports nothing if there is none.

    Args:
        subject: The scene.
        engine: What the user gave as the `Engine` of the scene's world, or None.
        watcher: Name of what watches the scene, for errors: "recorder" or "view".

    Raises:
        EngineError: It is no `Engine`, or its world was not initialised with this scene.
    """
    if engine is None:
        return _Silent()
    if not isinstance(engine, Engine):
        raise EngineError(f"a {watcher}'s engine must be the Engine of the world, is {type(engine).__name__}")
    if engine.cpu is None:
        return engine
    if engine.cpu.state_accessor is None:
        raise EngineError(f"a {watcher} with an engine begins after world.init(scene); this engine has no scene yet")
    there = engine.cpu.contact_groups[0]
    if there[: len(subject.all_bodies)] != subject.all_bodies:
        raise EngineError(f"the engine moves another scene (of {', '.join(there)}); give the one of this scene's world")
    return engine


class _Silent:
    """An engine that reports nothing."""

    cpu = statistics = None

    def backend_name(self) -> str:
        return "unknown"


def energy_terms(engine: Any) -> tuple[str, ...]:
    """Names of the terms of the engine's potential."""
    return () if engine.cpu is None else engine.cpu.energy_terms


def stages(engine: Any) -> tuple[str, ...]:
    """Names of the stages of a step."""
    return () if engine.cpu is None else STAGES


def contact_names(engine: Any) -> tuple[str, ...]:
    """Names of everything that contacts are between; equal names are numbered as a recording's bodies are."""
    return () if engine.cpu is None else distinct(engine.cpu.contact_groups[0])


def contacts(engine: Any, names: Sequence[str]) -> Contacts:
    """Contact points and forces of the last step; `names` are those of `contact_names`."""
    if not engine.statistics:
        return NO_CONTACTS
    found = engine.statistics.contacts
    bodies = engine.cpu.contact_groups[1][found.bodies].tolist()
    return Contacts(found.points, found.forces, tuple((names[i], names[j]) for i, j in bodies))


def figures(engine: Any, terms: Sequence[str]) -> Mapping[str, Any]:
    """Newton iterations, energies [J] of these terms (NaN for one that there is no longer) and times by stage [s]."""
    statistics = engine.statistics
    if not statistics:
        return {}
    energies = statistics.energies
    return {
        "newton_iterations": statistics.newton.iterations,
        "energies": [energies.get(term, np.nan) / statistics.dt**2 for term in terms],
        "stage_times": list(statistics.stages.values()),
    }
