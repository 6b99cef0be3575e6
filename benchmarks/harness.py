"""What every benchmark shares: repeated timing, the table, the JSON file."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from time import perf_counter

Measure = Callable[..., list["Row"]]


@dataclass(frozen=True)
class Row:
    """One piece of work: our times and a peer's, each sample one measurement in the row's unit."""

    work: str
    ours: Sequence[float]
    unit: str
    peer: Sequence[float] = ()
    peer_name: str | None = None
    by_means: bool = False  # whether the ratio is that of the means, not of the medians
    iterations: Sequence[float] = ()  # of our solver, sample by sample
    peer_iterations: Sequence[float] = ()

    def as_json(self) -> dict:
        typical = fmean if self.by_means else median
        return {
            "work": self.work,
            "ours": median(self.ours),
            "peer": median(self.peer) if self.peer else None,
            "peer_name": self.peer_name,
            "unit": self.unit,
            "ratio": typical(self.ours) / typical(self.peer) if self.peer else None,
            "ours_mean": fmean(self.ours),
            "peer_mean": fmean(self.peer) if self.peer else None,
            "ours_min": min(self.ours),
            "ours_max": max(self.ours),
            "peer_min": min(self.peer) if self.peer else None,
            "peer_max": max(self.peer) if self.peer else None,
            "ours_iterations": fmean(self.iterations) if self.iterations else None,
            "peer_iterations": fmean(self.peer_iterations) if self.peer_iterations else None,
        }


def samples_in_turn(works: Sequence[Callable[[], object]], calls: int, repeats: int) -> list[list[float]]:
    """Mean times of a call [us] of several pieces of work, which take turns; each works once before, unmeasured."""
    times: list[list[float]] = [[] for _ in works]
    for work in works:
        work()
    for _ in range(repeats):
        for work, kept in zip(works, times, strict=True):
            start = perf_counter()
            for _ in range(calls):
                work()
            kept.append((perf_counter() - start) / calls * 1e6)
    return times


def main(description: str, measure: Measure, selects: bool = False) -> None:
    """Run a benchmark from the command line.

    Args:
        description: What is measured, shown by --help.
        measure: Takes whether to be quick, and a part of the names of rows if it selects these; returns the rows.
        selects: Whether it does.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the rows to a file")
    parser.add_argument("--quick", action="store_true", help="fewer repeats: less than a minute")
    if selects:
        parser.add_argument("--only", default="", metavar="TEXT", help="only rows with this in their names")
    arguments = parser.parse_args()
    rows = [row.as_json() for row in measure(arguments.quick, *([arguments.only] if selects else []))]
    print_table(rows)
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")


def print_table(rows: list[dict]) -> None:
    from rich.console import Console
    from rich.table import Table

    counted = any(row["ours_iterations"] is not None for row in rows)
    table = Table("work", "ours", "mean", "\\[min, max]", "peer", "mean", "\\[min, max]", "ratio")
    for column in table.columns[1:]:
        column.justify = "right"
    if counted:
        table.add_column("iterations", justify="right")
    for name in ("unit", "peer is"):
        table.add_column(name)
    for row in rows:
        iterations = [_figures(row, "ours_iterations", "peer_iterations")] if counted else []
        table.add_row(
            row["work"],
            *(cell for side in ("ours", "peer") for cell in _side(row, side)),
            _figure(row["ratio"], 3),
            *iterations,
            row["unit"],
            row["peer_name"] or "",
        )
    Console(width=140).print(table)


def _side(row: dict, side: str) -> tuple[str, str, str]:
    """Median, mean and range, ours or the peer's."""
    least, most = _figure(row[f"{side}_min"], 3), _figure(row[f"{side}_max"], 3)
    return _figure(row[side], 4), _figure(row[f"{side}_mean"], 4), f"\\[{least}, {most}]" if least else ""


def _figures(row: dict, *names: str) -> str:
    return ", ".join(filter(None, (_figure(row[name], 3) for name in names)))


def _figure(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}g}"
