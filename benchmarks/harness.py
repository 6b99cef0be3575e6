"""What every benchmark shares: repeated timing, the table, the JSON file."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

Measure = Callable[[bool], list["Row"]]


@dataclass(frozen=True)
class Row:
    """One piece of work: our times and a peer's, each sample one measurement in the row's unit."""

    work: str
    ours: Sequence[float]
    unit: str
    peer: Sequence[float] = ()
    peer_name: str | None = None
    quoted: float | None = None  # a figure from elsewhere, measured another day on another machine: for orientation

    def as_json(self) -> dict:
        ours, peer = median(self.ours), median(self.peer) if self.peer else None
        return {
            "work": self.work,
            "ours": ours,
            "peer": peer,
            "peer_name": self.peer_name,
            "unit": self.unit,
            "ratio": None if peer is None else ours / peer,
            "ours_min": min(self.ours),
            "ours_max": max(self.ours),
            "peer_min": min(self.peer) if self.peer else None,
            "peer_max": max(self.peer) if self.peer else None,
            "quoted": self.quoted,
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


def main(description: str, measure: Measure) -> None:
    """Run a benchmark from the command line.

    Args:
        description: What is measured, shown by --help.
        measure: Takes whether to be quick; returns the rows.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the rows to a file")
    parser.add_argument("--quick", action="store_true", help="fewer repeats: less than a minute")
    arguments = parser.parse_args()
    rows = [row.as_json() for row in measure(arguments.quick)]
    print_table(rows)
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")


def print_table(rows: list[dict]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("work", "ours", "\\[min, max]", "peer", "ratio", "quoted", "unit", "peer is")
    for column in table.columns[1:6]:
        column.justify = "right"
    for row in rows:
        table.add_row(
            row["work"],
            f"{row['ours']:.4g}",
            f"\\[{row['ours_min']:.3g}, {row['ours_max']:.3g}]",
            "" if row["peer"] is None else f"{row['peer']:.4g}",
            "" if row["ratio"] is None else f"{row['ratio']:.3g}",
            "" if row["quoted"] is None else f"{row['quoted']:.4g}",
            row["unit"],
            row["peer_name"] or "",
        )
    Console(width=120).print(table)
