"""Steps of a run of which the engine warned, in the header of its recording: what did not converge or settle."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ipc_articulation.engine.cpu import STEP_WARNING
from ipc_articulation.engine.newton.newton_report import kind_of

log = logging.getLogger("ipc_articulation")
WARNED = "warned"  # in the header's `extra`


def no_warnings() -> dict[str, Any]:
    """What the header of a new recording has."""
    return {"steps": [], "texts": [], "worst": []}


@contextmanager
def told_at_the_end() -> Iterator[None]:
    """Let the engine log no warning of a step that the summary will tell."""

    def passes(record: logging.LogRecord) -> bool:
        return record.msg != STEP_WARNING

    log.addFilter(passes)
    try:
        yield
    finally:
        log.removeFilter(passes)


def note_warnings(extra: Mapping[str, Any], step: int, statistics: Any) -> None:
    """Add the warnings of a step, counted from 1, to a header's `extra`; other engines than the CPU's report none.

    Kept are the first text of each kind, and those of steps that were farther from converged than all before.
    """
    if not (statistics and statistics.newton.warnings):
        return
    warned, newton = extra[WARNED], statistics.newton
    warned["steps"].append(step)
    known = {kind_of(told["text"]) for told in warned["texts"]}
    warned["texts"] += [{"step": step, "text": text} for text in newton.warnings if kind_of(text) not in known]
    excess = max((unmet.excess for unmet in newton.unmet), default=0.0)
    if excess > max((told["excess"] for told in warned["worst"]), default=0.0):
        warned["worst"].append({"step": step, "excess": excess, "text": newton.warnings[0]})


def warnings_until(warned: Mapping[str, Any], step: int) -> dict[str, Any]:
    """Those up to a step, from which a run is resumed."""
    kept = {key: [told for told in warned.get(key, ()) if told["step"] <= step] for key in ("texts", "worst")}
    return {"steps": [number for number in warned["steps"] if number <= step], **kept}


def told(extra: Mapping[str, Any], steps: int) -> list[tuple[str, str]]:
    """Rows of a summary."""
    warned = extra.get(WARNED) or no_warnings()
    if not warned["steps"]:
        return []
    texts = [f"step {told['step']}: {told['text']}" for told in warned["texts"]]
    first = {told["step"] for told in warned["texts"]}
    texts += [f"worst, step {w['step']}: {w['text']}" for w in warned.get("worst", ())[-1:] if w["step"] not in first]
    return [("warnings", text) for text in (f"in {len(warned['steps'])} of {steps} steps", *texts)]
