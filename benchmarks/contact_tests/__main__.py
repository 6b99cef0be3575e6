"""`python -m benchmarks.contact_tests`: known and degenerate cases of contact, beside their own criteria.

Every case runs with the default settings of scene files and `couple`: contact resistance by load, anchored friction,
every step solved to convergence. ipctk looks for intersections. Figures are lengths in metres, forces in newtons.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.contact_tests import contactbench, erleben, simbenchmark
from benchmarks.contact_tests.pictures import draw
from benchmarks.contact_tests.running import Case, run
from benchmarks.contact_tests.table import Verdict, page, summary, terminal_table, verdict_of

PAGE = Path(__file__).parents[2] / "docs" / "contact_tests.md"
LONG = "simbenchmark"  # minutes in all


def cases(parts: list[str], quick: bool) -> list[Case]:
    """Those with one of these parts in their names, without the long ones if it must be quick."""
    known = [*erleben.cases(), *simbenchmark.cases(), *contactbench.cases()]
    return [c for c in known if any(part in c.name for part in parts) and not (quick and c.name.startswith(LONG))]


def main() -> None:
    arguments = _parser().parse_args()
    chosen = cases(arguments.only, arguments.quick)
    if not chosen:
        raise SystemExit(f"no case has {' or '.join(map(repr, arguments.only))} in its name")
    verdicts = list(_verdicts(chosen, arguments.friction_iterations, arguments.write))
    Console(width=None if sys.stdout.isatty() else 200).print(terminal_table(verdicts), summary(verdicts))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps([verdict.as_json() for verdict in verdicts], indent=1) + "\n")
    if arguments.write:
        PAGE.write_text("\n".join(page(verdicts)) + "\n", encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[""], metavar="PART", help="only cases with a part in their names")
    parser.add_argument("--quick", action="store_true", help=f"without the cases of {LONG}: less than a minute")
    parser.add_argument(
        "--friction-iterations", type=int, default=1, metavar="N", help="minimisations of a step, see docs/friction.md"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all figures")
    parser.add_argument("--write", action="store_true", help=f"write docs/{PAGE.name} and its pictures")
    return parser


def _verdicts(chosen: list[Case], friction_iterations: int, with_pictures: bool) -> Iterator[Verdict]:
    """Run the cases one after the other, with a bar that shows how far they are."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        of_all, of_one = progress.add_task("cases", total=len(chosen)), progress.add_task("", total=None)
        for case in chosen:
            progress.reset(of_one, description=case.name, total=case.steps)
            history = run(case, lambda step: progress.update(of_one, completed=step), friction_iterations)
            if with_pictures:
                draw(case, history, PAGE.parent / "images")
            yield verdict_of(case, history)
            progress.advance(of_all)


if __name__ == "__main__":
    main()
