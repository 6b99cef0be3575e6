"""`ipc-articulation report`."""

from __future__ import annotations

import argparse

from ipc_articulation.cli.arguments import add

HELP = "write a page that describes a run"
DESCRIPTION = """\
Write one HTML file with figures, the end's picture, and charts of joints, contact forces, energies, distances, Newton
iterations and times. It opens from disk and needs nothing beside it."""
EXAMPLES = """\
examples:
  ipc-articulation report out/panda_push
  ipc-articulation report out/panda_push --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add(parser, "folder", "--environment")
    add(parser, "--out", help="the HTML file (default: OUT/NAME/report.html)")
    add(parser, "--json", help="print the figures as JSON and write no page")


def execute(options: argparse.Namespace) -> None:
    """Execute the command."""
    from ipc_articulation.recording import read_recording
    from ipc_articulation.recording.environments import looked_at
    from ipc_articulation.viewing.reporting import figures, write_report

    recording = looked_at(read_recording(options.folder), options.environment)
    if options.json:
        import json

        print(json.dumps(figures(recording), indent=2, ensure_ascii=False))
        return
    file = options.out or options.folder / "report.html"
    notes = write_report(recording, file)
    print(file)
    for note in notes:
        print(f"left out: {note}")
