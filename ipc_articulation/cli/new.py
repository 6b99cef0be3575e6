"""`ipc-articulation new`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ipc_articulation.cli.arguments import add
from ipc_articulation.errors import SceneFileError

HELP = "write a first scene file"
DESCRIPTION = """\
Write a commented scene file that runs as it is: an arm and a crate, or, with --robot, your own robot, held where it
stands, with its joints inside their limits and gains that fit its masses."""
EXAMPLES = """\
examples:
  ipc-articulation new
  ipc-articulation new my_scene.yaml --adapter none
  ipc-articulation new my_robot.yaml --robot my_robot.urdf
  ipc-articulation new panda.yaml --robot package://example-robot-data/robots/panda_description/urdf/panda.urdf
"""
ADAPTERS = ("mujoco", "native", "pinocchio", "dart", "none")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    text = "the scene file to write (default: scene.yaml)"
    parser.add_argument("file", metavar="FILE", nargs="?", type=Path, default=Path("scene.yaml"), help=text)
    parser.add_argument("--robot", metavar="ROBOT", help="a file of URDF, MJCF or OpenSim; a path, or package://...")
    parser.add_argument(
        "--adapter", choices=ADAPTERS, help="default: mujoco, or native where MuJoCo cannot simulate the robot"
    )
    parser.add_argument("--force", action="store_true", help="overwrite existing files")
    add(parser, "--strict")


def execute(options: argparse.Namespace) -> None:
    """Execute the command."""
    from ipc_articulation.starting import plain_starter, robot_starter

    if options.robot == "":
        raise SceneFileError("--robot is empty; give a robot's file, or leave --robot out", options.file)
    if options.robot and options.adapter == "none":
        raise SceneFileError("adapter none has no robot; give mujoco or native, or leave --robot out", options.file)
    if options.file.suffix not in (".yaml", ".yml"):
        raise SceneFileError("a scene file ends in .yaml or .yml", options.file)
    if options.robot:
        _refuse_to_overwrite([options.file], options.force)
        text, notes = robot_starter(options.robot, options.file, options.adapter)
        texts = {options.file: text}
    else:
        texts, notes = plain_starter(options.file, options.adapter or "mujoco"), []
    _refuse_to_overwrite(list(texts), options.force)
    for file, text in texts.items():
        try:
            file.write_text(text, encoding="utf-8")
        except OSError as error:
            raise SceneFileError(f"cannot be written: {error.strerror}", file) from error
    for note in notes:
        print(f"ipc-articulation: {note}", file=sys.stderr)
    print(f"wrote {', '.join(map(str, texts))}\nrun it:    ipc-articulation run {options.file}")


def _refuse_to_overwrite(files: list[Path], force: bool) -> None:
    for file in files:
        if file.exists() and not force:
            raise SceneFileError("exists already; use --force to overwrite it, or another name", file)
