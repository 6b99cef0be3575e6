"""What the commands that look at a recording share."""

from __future__ import annotations

import argparse
from pathlib import Path

from ipc_articulation.cli.arguments import count, positive


def add_folder(parser: argparse.ArgumentParser) -> None:
    """`OUT/NAME`."""
    parser.add_argument("folder", metavar="OUT/NAME", type=Path, help="what a run has written")


def add_looks(parser: argparse.ArgumentParser) -> None:
    """`--colours`."""
    parser.add_argument(
        "--colours",
        choices=("role", "link"),
        default="role",
        help="what colours tell: links, free and fixed bodies apart (role, default), or each link (link)",
    )


def add_rows(parser: argparse.ArgumentParser) -> None:
    """`--fps` and `--every`."""
    parser.add_argument("--fps", type=positive, metavar="F", default=30.0, help="moments a second (default: 30)")
    parser.add_argument("--every", type=count, metavar="N", help="take each N-th row, instead of real time")


def size(text: str) -> tuple[int, int]:
    """Width and height [pixels] from a text such as 1280x800.

    Raises:
        argparse.ArgumentTypeError: It is none.
    """
    sides = text.lower().split("x")
    if len(sides) != 2 or not all(side.isdecimal() and 16 <= int(side) <= 8192 for side in sides):
        raise argparse.ArgumentTypeError(f"'{text}' is no size such as 1280x800, of 16 to 8192 pixels a side")
    return int(sides[0]), int(sides[1])
