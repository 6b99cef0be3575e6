"""`ipc-articulation resume`."""

from __future__ import annotations

import argparse

from ipc_articulation.cli.arguments import add

HELP = "resume a run that ended early"
DESCRIPTION = (
    "Resume a run from its last checkpoint after Ctrl-C, a full disk or a killed process. The result is that of an "
    "uninterrupted run."
)
EXAMPLES = """\
examples:
  ipc-articulation resume out/panda_push
  ipc-articulation resume out/panda_push --steps 500
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add(parser, "folder", help="the run's folder")
    add(parser, "--steps", help="extend the run by N steps")
    add(parser, "--time-limit", "--no-pictures", "--show", "--quiet", "--json")


def execute(options: argparse.Namespace) -> None:
    """Execute the command."""
    from ipc_articulation.running import resume
    from ipc_articulation.running.summary import print_json

    result = resume(
        options.folder,
        steps=options.steps,
        quiet=options.quiet or options.json,
        pictures=options.pictures,
        time_limit=options.time_limit,
        show=options.show,
    )
    if options.json:
        print_json(result)
