"""`ipc-articulation sweep`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ipc_articulation.cli.arguments import add, count

if TYPE_CHECKING:
    import pandas

HELP = "run a scene file for every combination of some values"
DESCRIPTION = """\
Run a scene file for every combination of the values given, on this machine or on a Ray cluster. The table of
results is OUT/NAME/results.parquet, NAME being the file's, and OUT/NAME/runs/ holds a folder a run. The same
command again runs only what is missing: after Ctrl-C, a kill, or with more values than before."""
EXAMPLES = """\
examples:
  ipc-articulation sweep scenes/pendulum.yaml --set ground.friction=0.1,0.5,1.0 --set 'bodies.box.mass=range(1,6)'
  ipc-articulation sweep scenes/pendulum.yaml --set 'gravity=[0,0,-9.81],[0,0,-1.62]' --workers 2 --time-limit 60
  ipc-articulation sweep scenes/pendulum.yaml --set 'bodies.box.mass=linspace(1,5,100)' --ray auto --keep summaries

values:
  a,b,c                     numbers, texts, true or false; lists in brackets, [0,0,-1]
  range(b) range(a,b,step)  whole numbers below b
  linspace(a,b,n)           n numbers from a to b
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    values = "values of one key of the file, such as contact.d_hat or bodies.box.mass; once for each key"
    add(parser, "file")
    add(parser, "--set", metavar="KEY=VALUES", required=True, help=values)
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--workers", type=count, metavar="N", help="processes on this machine (default: all cores)")
    place.add_argument("--ray", metavar="ADDRESS", help="Ray cluster instead: auto, HOST:PORT or ray://HOST:PORT")
    add(parser, "--out", metavar="OUT", default=Path("out/sweeps"), help="folder of results (default: out/sweeps)")
    add(parser, "--engine", "--steps")
    add(parser, "--time-limit", help="a run that takes longer is stopped")
    keep = "summaries: no recordings, only the numbers of the table"
    parser.add_argument("--keep", choices=("recordings", "summaries"), default="recordings", help=keep)
    parser.add_argument("--retry-failed", action="store_true", help="repeat runs that failed before")
    add(parser, "--force", help="delete all earlier runs in OUT/NAME")
    add(parser, "--quiet")
    add(parser, "--json", help="the summary as JSON")


def execute(options: argparse.Namespace) -> int | None:
    """Execute the command.

    Returns:
        None for success, 1 where a run failed.
    """
    try:
        table = _swept(options)
    except KeyboardInterrupt:
        print("ipc-articulation: finished runs are kept; the same command runs the rest", file=sys.stderr)
        raise
    summary = _summary(table, options.out / options.file.stem / "results.parquet")
    if options.json:
        print(json.dumps(summary, indent=2))
    elif not options.quiet:
        _print(summary)
    return 1 if summary["failed"] else None


def _swept(options: argparse.Namespace) -> pandas.DataFrame:
    from ipc_articulation.sweeps import sweep
    from ipc_articulation.sweeps.values import parse_settings

    return sweep(
        options.file,
        parse_settings(options.settings),
        workers=options.workers,
        ray=options.ray,
        out=options.out,
        engine=options.engine,
        steps=options.steps,
        time_limit=options.time_limit,
        keep=options.keep,
        retry_failed=options.retry_failed,
        force=options.force,
        quiet=options.quiet or options.json,
    )


def _summary(table: pandas.DataFrame, file: Path) -> dict[str, Any]:
    counts = table["status"].value_counts()
    failed = table[table["status"] != "done"]
    return {
        "runs": len(table),
        "statuses": {str(status): int(number) for status, number in counts.items()},
        "failed": [{key: row[key] for key in ("id", "status", "error")} for row in failed.to_dict("records")],
        "table": str(file),
    }


def _print(summary: dict[str, Any], shown: int = 5) -> None:
    """The counts, the first few runs that did not end well, and where the table is."""
    print(f"{'runs':<18}{summary['runs']}: " + ", ".join(f"{n} {status}" for status, n in summary["statuses"].items()))
    for run in summary["failed"][:shown]:
        print(f"{run['status']:<18}{run['id']}: {run['error'].splitlines()[0]}")
    if len(summary["failed"]) > shown:
        print(f"{'':<18}and {len(summary['failed']) - shown} more, in the table")
    print(f"{'table':<18}{summary['table']}")
