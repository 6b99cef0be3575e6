"""The summary of a run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from ipc_articulation.recording import Recording
from ipc_articulation.recording.environments import ENVIRONMENTS, FAILURES, environment_label
from ipc_articulation.running.warned import WARNED, no_warnings, told

if TYPE_CHECKING:
    from ipc_articulation.running.result import Result

_TOLD = 5  # failures that are told one by one


def summary(result: Result) -> list[tuple[str, str]]:
    """Pairs of a label and a text."""
    recording = result.recording
    rows = [
        ("scene", f"{recording.name}  {recording.extra['title']}".rstrip()),
        ("engine", recording.extra["engine"]),
        ("steps", f"{recording.steps} of {recording.dt:g} s: {recording.steps * recording.dt:.3f} s simulated"),
        ("wall time", speed(recording)),
        ("minimum distance", minimum_distance(recording)),
    ]
    rows += _of_environments(recording) if ENVIRONMENTS in recording.extra else _of_one(recording)
    rows += told(recording.extra, recording.steps)
    rows += [("ran Python code", code) for code in recording.extra.get("ran_code", ())]
    rows += [("written", str(file)) for file in result.files]
    if recording.steps < recording.extra.get("planned_steps", 0):
        rows.append(("not finished", f"resume with: ipc-articulation resume {result.files[0].parent}"))
    return rows + [("left out", note) for note in result.notes]


def _of_one(recording: Recording) -> list[tuple[str, str]]:
    rows = [("moved", f"{name} {recording.moved(name):.3f} m") for name in _freely(recording)]
    return rows + [("drawn", f"{path} = {value}") for path, value in recording.extra.get("drawn", {}).items()]


def _of_environments(recording: Recording) -> list[tuple[str, str]]:
    """What is said of many environments: their number and rate, how far bodies moved, and the first failures."""
    count, failures = recording.extra[ENVIRONMENTS], recording.extra[FAILURES]
    text = str(count)
    if recording.steps:
        text += f"; {count / np.median(recording.step_time[1:]):.0f} environment steps/s"
    rows = [("environments", text)]
    first = environment_label(0)
    for name in (name.removeprefix(first) for name in _freely(recording) if name.startswith(first)):
        moved = [recording.moved(f"{environment_label(number)}{name}") for number in range(count)]
        rows.append(("moved", f"{name} {min(moved):.3f} to {max(moved):.3f} m"))
    if failures:
        numbers = {failure["environment"] for failure in failures}
        rows.append(("failed", f"{len(failures)} steps of {len(numbers)} environments"))
    told = (f"environment {f['environment']}, step {f['step']}: {f['error']}" for f in failures[:_TOLD])
    return rows + [("failed", text) for text in told]


def summary_object(result: Result) -> dict[str, Any]:
    """The summary for programs, in JSON's types; unknown values are None."""
    recording = result.recording
    known = recording.minimum_distance[np.isfinite(recording.minimum_distance)]
    return {
        "name": recording.name,
        "title": recording.extra["title"],
        "file": recording.extra["file"],
        "settings": recording.extra["settings"],
        "engine": recording.extra["engine"],
        "dt": recording.dt,
        "steps": recording.steps,
        "planned_steps": recording.extra["planned_steps"],
        "wall_time": recording.extra["wall_time"],
        "median_step_time": float(np.median(recording.step_time[1:])) if recording.steps else None,
        "minimum_distance": float(known.min()) if known.size else None,
        "moved": {name: recording.moved(name) for name in _freely(recording)},
        "drawn": recording.extra["drawn"],
        WARNED: recording.extra.get(WARNED, no_warnings()),
        "ran_code": recording.extra["ran_code"],
        "files": [str(file) for file in result.files],
        "notes": list(result.notes),
        **{key: recording.extra[key] for key in (ENVIRONMENTS, FAILURES) if key in recording.extra},
    }


def _freely(recording: Recording) -> tuple[str, ...]:
    """Bodies that contact moves, soft ones too."""
    return (*recording.free_names, *recording.soft_names) if recording.rows else ()


def speed(recording: Recording) -> str:
    """Wall time of the run, and of the median step, which does not know that a first run compiles."""
    wall = recording.extra.get("wall_time", 0.0)
    if not recording.steps:
        return f"{wall:.2f} s"
    median = np.median(recording.step_time[1:])
    return f"{wall:.2f} s; the median step {1e3 * median:.2f} ms, which is {1 / median:.0f} steps/s"


def minimum_distance(recording: Recording) -> str:
    """The least distance over all steps, in words."""
    known = recording.minimum_distance[np.isfinite(recording.minimum_distance)]
    if known.size:
        return f"{known.min():.3g} m over all steps"
    is_reported = np.isposinf(recording.minimum_distance).any()
    return "nothing came near anything" if is_reported else "not reported by this engine"


def print_json(result: Result) -> None:
    """Print `summary_object` to standard output."""
    print(json.dumps(summary_object(result), ensure_ascii=False))


def print_summary(result: Result) -> None:
    """Print the summary to standard output; a repeated label is printed once."""
    previous = ""
    for label, text in summary(result):
        print(f"{'' if label == previous else label:<18}{text}")
        previous = label
