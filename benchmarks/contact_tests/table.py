"""The verdicts on the terminal, and as docs/contact_tests.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

from rich.table import Table

from benchmarks.contact_tests.running import Case, Finding, History

HEAD = Path(__file__).parent / "page.md"  # what the page says of the figures


@dataclass(frozen=True)
class Verdict:
    """What became of a case."""

    name: str
    bodies: int
    dt: float  # [s]
    steps: int
    intersecting: int  # steps, of those that were looked at
    unconverged: int  # steps
    iterations_mean: float
    iterations_max: int
    milliseconds: float  # of the processor for a step, median
    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        """Whether all is as it should be."""
        return not self.intersecting and not self.unconverged and all(finding.holds for finding in self.findings)

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "holds": self.holds}


def verdict_of(case: Case, history: History) -> Verdict:
    """Judge a run."""
    return Verdict(
        name=case.name,
        bodies=len(case.bodies),
        dt=case.around.dt,
        steps=history.steps,
        intersecting=len(history.intersecting),
        unconverged=history.unconverged,
        iterations_mean=mean(history.iterations),
        iterations_max=max(history.iterations),
        milliseconds=1e3 * median(history.seconds),
        findings=tuple(case.findings(history)),
    )


COLUMNS = ("case", "bodies", "steps", "iterations mean", "max", "ms", "criterion", "found", "at most", "")


def rows(verdict: Verdict) -> Iterator[tuple[str, ...]]:
    """Of a table: one for each finding, the first with the figures of the run."""
    solved = (f"{verdict.iterations_mean:.1f}", str(verdict.iterations_max), f"{verdict.milliseconds:.2g}")
    start: tuple[str, ...] = (verdict.name, str(verdict.bodies), f"{verdict.steps} of {1e3 * verdict.dt:g} ms", *solved)
    for finding in (*_of_the_engine(verdict), *verdict.findings):
        bound = "" if finding.bound is None else f"{finding.bound:.2g}"
        yield (*start, finding.what, f"{finding.value:.2g}", bound, "" if finding.holds else "fails")
        start = ("",) * len(start)


def _of_the_engine(verdict: Verdict) -> Iterator[Finding]:
    """What is told only where it is wrong."""
    if verdict.intersecting:
        yield Finding("steps with intersections", verdict.intersecting, 0.0)
    if verdict.unconverged:
        yield Finding("steps without convergence", verdict.unconverged, 0.0)


def terminal_table(verdicts: Sequence[Verdict]) -> Table:
    """For rich."""
    table = Table(*COLUMNS)
    for column in (*table.columns[1:6], *table.columns[7:9]):
        column.justify = "right"
    for verdict in verdicts:
        for row in rows(verdict):
            table.add_row(*(cell.replace("[", "\\[") for cell in row))
    return table


def summary(verdicts: Sequence[Verdict]) -> str:
    """What is true of all together."""
    steps, failing = sum(v.steps for v in verdicts), [v.name for v in verdicts if not v.holds]
    return (
        f"{len(verdicts)} cases, {steps} steps: {sum(v.intersecting for v in verdicts)} with intersections, "
        f"{sum(v.unconverged for v in verdicts)} without convergence, "
        f"at most {max(v.iterations_max for v in verdicts)} iterations. "
        f"{len(verdicts) - len(failing)} cases meet their criteria"
        + (f"; those that do not: {', '.join(failing)}." if failing else ".")
    )


def page(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Lines of docs/contact_tests.md."""
    yield from HEAD.read_text(encoding="utf-8").split("\n")
    yield summary(verdicts)
    yield ""
    yield "| " + " | ".join(COLUMNS) + " |"
    yield "|---" + "|---:" * 5 + "|---" + "|---:" * 2 + "|---|"
    for verdict in verdicts:
        for row in rows(verdict):
            yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
