"""`ipc-articulation resume`."""

from __future__ import annotations

import argparse
from pathlib import Path

from ipc_articulation.cli.arguments import add_ending, count

HELP = "go on with a run that ended early"
DESCRIPTION = (
    "Go on with a run from its last checkpoint, whatever ended it: Ctrl-C, a full disk, a killed process. Its end is "
    "that of an undisturbed run."
)
EXAMPLES = """\
examples:
  ipc-articulation resume out/panda_push
  ipc-articulation resume out/panda_push --steps 500
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("folder", metavar="OUT/NAME", type=Path, help="the run's folder")
    parser.add_argument("--steps", type=count, metavar="N", help="take N steps more than the run was to have")
    add_ending(parser)


def execute(options: argparse.Namespace) -> int | None:
    """Do it; the exit status, None where all is well."""
    from ipc_articulation.cli.telling import tell
    from ipc_articulation.running import resume

    result = resume(
        options.folder,
        steps=options.steps,
        quiet=options.quiet or options.json,
        pictures=options.pictures,
        time_limit=options.time_limit,
    )
    tell(result, options.json)
    return None
