"""`ipc-articulation resume`."""

from __future__ import annotations

import argparse
from pathlib import Path

from ipc_articulation.cli.arguments import add_ending, count

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
    parser.add_argument("folder", metavar="OUT/NAME", type=Path, help="the run's folder")
    parser.add_argument("--steps", type=count, metavar="N", help="take N steps more than the run was to have")
    add_ending(parser)


def execute(options: argparse.Namespace) -> int | None:
    """Execute the command.

    Returns:
        The exit status; None for success.
    """
    from ipc_articulation.running import resume
    from ipc_articulation.running.summary import print_json

    result = resume(
        options.folder,
        steps=options.steps,
        quiet=options.quiet or options.json,
        pictures=options.pictures,
        time_limit=options.time_limit,
    )
    if options.json:
        print_json(result)
    return None
