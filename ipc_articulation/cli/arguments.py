"""Arguments of several commands, each defined once: `add`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ipc_articulation.errors import SceneFileError


def add(parser: Any, *names: str, **changes: Any) -> None:
    """Add shared arguments to a parser, or to a group of one.

    Args:
        parser: Receives the arguments.
        names: Keys of the table of shared arguments.
        changes: Keywords of argparse that differ from the table's.
    """
    for name in names:
        parser.add_argument(name, **{**_shared()[name], **changes})


def _shared() -> dict[str, dict[str, Any]]:
    """Argparse's keywords for each shared argument."""
    scene = "the scene file (YAML), see docs/scene_files.md; example:NAME is one that is installed"
    colours = (
        "what colours show: links, free and fixed bodies (role, default), each link (link), or strain of soft bodies"
    )
    setting = "override a value of the file, such as contact.friction=0.2 or bodies.crate.mass=5; can be repeated"
    engines = ("auto", "cpu", "cuda", "none")
    shapes = "shapes of bodies: visual where there are any (default), collision, or both"
    flag = {"action": "store_true"}
    return {
        "file": {"metavar": "FILE", "type": scene_file, "help": scene},
        "folder": {"metavar": "OUT/NAME", "type": Path, "help": "what a run has written"},
        "--camera": {"metavar": "NAME", "help": "a camera of the scene or robot file (default: the scene's view)"},
        "--colours": {"choices": ("role", "link", "strain"), "default": "role", "help": colours},
        "--engine": {
            "choices": engines,
            "default": "auto",
            "help": "auto (default): cuda if there is an NVIDIA GPU and the scene has no robot, else cpu",
        },
        "--environment": {
            "type": number,
            "metavar": "K",
            "help": "which of many environments is shown, counted from 0 (default: 0)",
        },
        "--every": {"type": count, "metavar": "N", "help": "use every N-th row, instead of real time"},
        "--force": {**flag, "help": "replace the run that is in the folder"},
        "--fps": {"type": frame_rate, "metavar": "F", "default": 30.0, "help": "pictures per second (default: 30)"},
        "--json": {**flag, "help": "the summary as one JSON object, and no progress bar"},
        "--no-pictures": {"dest": "pictures", "action": "store_false", "help": "draw no pictures at the end"},
        "--out": {"type": Path, "metavar": "FILE"},
        "--quiet": {**flag, "help": "no progress bar and no summary"},
        "--set": {"action": "append", "default": [], "metavar": "PATH=VALUE", "dest": "settings", "help": setting},
        "--show": {"choices": ("visual", "collision", "both"), "default": "visual", "help": shapes},
        "--steps": {"type": count, "metavar": "N", "help": "number of steps, instead of the file's"},
        "--strict": {**flag, "help": "what would be printed as `repaired:` or `warning:` is an error"},
        "--time-limit": {"type": seconds, "metavar": "SECONDS", "help": "stop the run after this time"},
    }


def size(text: str) -> tuple[int, int]:
    """Width and height [pixels] from a text such as 1280x800.

    Raises:
        argparse.ArgumentTypeError: It has another form.
    """
    sides = text.lower().split("x")
    if len(sides) != 2 or not all(side.isdecimal() and 16 <= int(side) <= 8192 for side in sides):
        raise argparse.ArgumentTypeError(f"'{text}' is not a size such as 1280x800, with sides of 16 to 8192 pixels")
    return int(sides[0]), int(sides[1])


def number(text: str) -> int:
    """A whole number from 0.

    Raises:
        argparse.ArgumentTypeError: It is none.
    """
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is no whole number from 0: 0, 1, 2, ...")
    return int(text)


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
    return positive(text, "number of seconds above 0")


def frame_rate(text: str) -> float:
    """Pictures per second.

    Raises:
        argparse.ArgumentTypeError: It is no number from 0.1 to 1000, which all formats of films can have.
    """
    rate = positive(text)
    if not 0.1 <= rate <= 1000.0:
        raise argparse.ArgumentTypeError(f"'{text}' is no number of pictures per second from 0.1 to 1000")
    return rate


def positive(text: str, wanted: str = "number above zero, such as 0.5 or 30") -> float:
    """A finite number greater than 0.

    Raises:
        argparse.ArgumentTypeError: The text is no such number; the message says what is valid.
    """
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is no {wanted}")
    return value


def scene_file(text: str) -> Path:
    """A scene file by its path, or an installed one as `example:NAME`.

    Raises:
        argparse.ArgumentTypeError: There is no such example.
    """
    from ipc_articulation.scenefile import examples

    try:
        return examples.scene_file(text)
    except SceneFileError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
