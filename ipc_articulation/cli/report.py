"""`ipc-articulation report`."""

from __future__ import annotations

import argparse

from ipc_articulation.cli.arguments import add
from ipc_articulation.errors import ViewingError

HELP = "write a page that describes a run or a sweep"
DESCRIPTION = """\
Write one HTML file with figures, the end's picture, and charts of joints, contact forces, energies, distances, Newton
iterations and times. Of a sweep's folder the page has its outcomes over the varied values, and a table of
all runs. It opens from disk and needs nothing beside it."""
EXAMPLES = """\
examples:
  ipc-articulation report out/panda_push
  ipc-articulation report out/panda_push --json
  ipc-articulation report out/sweeps/pendulum
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add(parser, "folder", "--environment")
    add(parser, "--out", help="the HTML file (default: report.html in that folder)")
    add(parser, "--json", help="print the figures as JSON and write no page")


def execute(options: argparse.Namespace) -> None:
    """Execute the command."""
    from ipc_articulation.sweeps.finished import is_sweep

    written = _sweep(options) if is_sweep(options.folder) else _run(options)
    print(*written, sep="\n")


def _run(options: argparse.Namespace) -> list[str]:
    from ipc_articulation.recording import read_recording
    from ipc_articulation.recording.environments import looked_at
    from ipc_articulation.viewing.reporting import figures, write_report

    recording = looked_at(read_recording(options.folder), options.environment)
    if options.json:
        import json

        return [json.dumps(figures(recording), indent=2, ensure_ascii=False)]
    file = options.out or options.folder / "report.html"
    return [str(file), *(f"left out: {note}" for note in write_report(recording, file))]


def _sweep(options: argparse.Namespace) -> list[str]:
    from ipc_articulation.sweeps.finished import finished
    from ipc_articulation.sweeps.report import write_sweep_report

    if options.environment is not None:
        raise ViewingError(f"{options.folder} is a sweep: give one of its runs to look at an environment")
    runs = finished(options.folder)
    if options.json:
        return [runs.table.to_json(orient="records", indent=2, force_ascii=False)]
    file = options.out or options.folder / "report.html"
    return [str(file), *write_sweep_report(runs, file)]
