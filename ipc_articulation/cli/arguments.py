"""Arguments that several commands share."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Add `--engine`."""
    parser.add_argument(
        "--engine",
        choices=("auto", "cpu", "cuda", "none"),
        default="auto",
        help="auto (default): cuda where there is an NVIDIA GPU, else cpu",
    )


def add_out(parser: argparse.ArgumentParser) -> None:
    """Add `--out`."""
    parser.add_argument("--out", type=Path, metavar="OUT", default=Path("out"), help="folder of results (default: out)")


def add_scene_file(parser: argparse.ArgumentParser) -> None:
    """Add `FILE`."""
    text = "the scene file (YAML), see docs/scene_files.md; example:NAME is one that is installed"
    parser.add_argument("file", metavar="FILE", type=scene_file, help=text)


def add_ending(parser: argparse.ArgumentParser) -> None:
    """Add the options for a run's limit and for its output."""
    parser.add_argument("--time-limit", type=seconds, metavar="SECONDS", help="end the run when it has taken so long")
    parser.add_argument("--no-pictures", dest="pictures", action="store_false", help="draw no pictures at the end")
    parser.add_argument("--quiet", action="store_true", help="no progress bar and no summary")
    parser.add_argument("--json", action="store_true", help="the summary as one JSON object, and no progress bar")


def add_folder(parser: argparse.ArgumentParser) -> None:
    """Add `OUT/NAME`."""
    parser.add_argument("folder", metavar="OUT/NAME", type=Path, help="what a run has written")


def add_looks(parser: argparse.ArgumentParser) -> None:
    """Add `--colours`."""
    parser.add_argument(
        "--colours",
        choices=("role", "link"),
        default="role",
        help="what colours mean: links, free and fixed bodies apart (role, default), or each link (link)",
    )


def add_rows(parser: argparse.ArgumentParser) -> None:
    """Add `--fps` and `--every`."""
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


def count(text: str) -> int:
    """A whole number from 1.

    Raises:
        argparse.ArgumentTypeError: It is none.
    """
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no whole number from 1: 1, 2, 3, ...")
    return int(text)


def seconds(text: str) -> float:
    """A time greater than 0.

    Raises:
        argparse.ArgumentTypeError: It is none.
    """
    return _above_zero(text, "number of seconds above 0")


def positive(text: str) -> float:
    """A number greater than 0.

    Raises:
        argparse.ArgumentTypeError: It is none.
    """
    return _above_zero(text, "number above zero, such as 0.5 or 30")


def scene_file(text: str) -> Path:
    """A scene file by its path, or an installed one as `example:NAME`.

    Raises:
        argparse.ArgumentTypeError: There is no such example.
    """
    from ipc_articulation.errors import SceneFileError
    from ipc_articulation.scenefile import examples

    try:
        return examples.scene_file(text)
    except SceneFileError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _above_zero(text: str, wanted: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is no {wanted}")
    return value
