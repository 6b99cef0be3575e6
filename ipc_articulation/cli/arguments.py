"""Arguments that several commands share."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_engine(parser: argparse.ArgumentParser) -> None:
    """`--engine`."""
    parser.add_argument(
        "--engine",
        choices=("auto", "cpu", "cuda", "none"),
        default="auto",
        help="auto (default): cuda where there is an NVIDIA GPU, else cpu",
    )


def add_out(parser: argparse.ArgumentParser) -> None:
    """`--out`."""
    parser.add_argument("--out", type=Path, metavar="OUT", default=Path("out"), help="folder of results (default: out)")


def add_scene_file(parser: argparse.ArgumentParser) -> None:
    """`FILE`."""
    text = "the scene file (YAML), see docs/scene_files.md; example:NAME is one that is installed"
    parser.add_argument("file", metavar="FILE", type=scene_file, help=text)


def add_ending(parser: argparse.ArgumentParser) -> None:
    """How a run is bounded and what it tells at its end."""
    parser.add_argument("--time-limit", type=seconds, metavar="SECONDS", help="end the run when it has taken so long")
    parser.add_argument("--no-pictures", dest="pictures", action="store_false", help="draw no pictures at the end")
    parser.add_argument("--quiet", action="store_true", help="no progress bar and no summary")
    parser.add_argument("--json", action="store_true", help="the summary as one JSON object, and no progress bar")


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
