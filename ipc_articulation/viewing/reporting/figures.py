"""The figures of a run, for people and programs: JSON's types, SI units, None for what the engine did not report."""

from __future__ import annotations

from typing import Any

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.recording import Recording
from ipc_articulation.viewing.moments import last_row

Figures = dict[str, Any]


def figures(recording: Recording) -> Figures:
    """The figures of a run, one number each.

    Raises:
        ViewingError: The recording is empty.
    """
    last_row(recording)
    return {
        "name": recording.name,
        "title": recording.extra.get("title") or "",
        "engine": recording.extra.get("engine"),
        "steps": recording.steps,
        "dt": recording.dt,
        "simulated_time": float(recording.time[-1] - recording.time[0]),
        "wall_time": recording.extra.get("wall_time"),
        "median_step_time": _of(np.median, recording.step_time),
        "longest_step_time": _of(np.max, recording.step_time),
        "minimum_distance": _of(np.min, recording.minimum_distance),
        "minimum_distance_at": _time_of_least(recording),
        "mean_newton_iterations": _of(np.mean, recording.newton_iterations),
        "most_newton_iterations": _of(np.max, recording.newton_iterations),
        "greatest_contact_force": _by_name(recording.joint_names, np.abs(recording.contact_force), np.max),
        "moved": {name: recording.moved(name) for name in (*recording.free_names, *recording.soft_names)},
        "energy_at_end": _by_name(recording.energy_terms, recording.energies[-1:], np.max),
        "mean_stage_time": _by_name(recording.stages, recording.stage_times, np.mean),
    }


def _of(measure: Any, values: Array) -> float | None:
    known = values[np.isfinite(values)]
    return float(measure(known)) if known.size else None


def _by_name(names: tuple[str, ...], columns: Array, measure: Any) -> dict[str, float | None]:
    return {name: _of(measure, column) for name, column in zip(names, columns.T, strict=True)}


def _time_of_least(recording: Recording) -> float | None:
    distance = recording.minimum_distance
    known = np.isfinite(distance)
    return float(recording.time[np.argmin(np.where(known, distance, np.inf))]) if known.any() else None
