"""`ipc-articulation inspect`."""

from __future__ import annotations

import argparse

HELP = "describe a robot's file"
DESCRIPTION = "Print the bodies, joints and their limits, loops, mass, actuators and cameras of a robot."
EXAMPLES = """\
examples:
  ipc-articulation inspect scenes/four_bar_press.urdf
  ipc-articulation inspect package://example-robot-data/robots/panda_description/urdf/panda.urdf
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    text = "URDF (.urdf), MJCF (.xml) or OpenSim (.osim); a path, or package://..."
    parser.add_argument("file", metavar="FILE", help=text)
    parser.add_argument("--json", action="store_true", help="the same as JSON")


def execute(options: argparse.Namespace) -> None:
    """Execute the command."""
    from ipc_articulation.inspection import find, inspect

    inspect(find(options.file), options.json)
