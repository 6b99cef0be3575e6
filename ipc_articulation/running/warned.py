"""Steps of a run of which the engine warned, in the header of its recording: what did not converge or settle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

WARNED = "warned"  # in the header's `extra`
_TOLD = 5  # warnings whose text is kept


def no_warnings() -> dict[str, Any]:
    """What the header of a new recording has."""
    return {"steps": [], "texts": []}


def note_warnings(extra: Mapping[str, Any], step: int, statistics: Any) -> None:
    """Add the warnings of a step, counted from 1, to a header's `extra`; other engines than the CPU's report none."""
    if statistics and statistics.newton.warnings:
        warned = extra[WARNED]
        warned["steps"].append(step)
        room = _TOLD - len(warned["texts"])
        warned["texts"] += [{"step": step, "text": text} for text in statistics.newton.warnings[: max(room, 0)]]


def warnings_until(warned: Mapping[str, Any], step: int) -> dict[str, Any]:
    """Those up to a step, from which a run is resumed."""
    texts = [told for told in warned["texts"] if told["step"] <= step]
    return {"steps": [number for number in warned["steps"] if number <= step], "texts": texts}


def told(extra: Mapping[str, Any], steps: int) -> list[tuple[str, str]]:
    """Rows of a summary."""
    warned = extra.get(WARNED) or no_warnings()
    if not warned["steps"]:
        return []
    texts = [f"step {told['step']}: {told['text']}" for told in warned["texts"]]
    return [("warnings", text) for text in (f"in {len(warned['steps'])} of {steps} steps", *texts)]
