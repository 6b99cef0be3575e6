"""`ipc-articulation inspect`."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "tell what a robot's file holds"
DESCRIPTION = "Print the bodies, joints, degrees of freedom, loops and mass of a robot."
EXAMPLES = """\
examples:
  ipc-articulation inspect scenes/four_bar_press.urdf
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("file", metavar="FILE", type=Path, help="URDF (.urdf), MJCF (.xml) or OpenSim (.osim)")


def execute(options: argparse.Namespace) -> int | None:
    """Do it; the exit status, None where all is well."""
    from ipc_articulation.inspection import inspect

    inspect(options.file)
    return None
