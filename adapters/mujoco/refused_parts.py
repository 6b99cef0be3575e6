"""Parts of MJCF files that MuJoCo refuses by a message, though what the file means is clear without them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ipc_articulation.adapters.mujoco.old_attributes import unknown

from ipc_articulation.repairs import repair

_PLACE = re.compile(r"Element '([\w.:-]+)', line (\d+)")
_UNRECOGNIZED = re.compile(r"unrecognized attribute: '([\w.:-]+)'")
_FROM_GEOMS = re.compile(r"<compiler\b[^>]*\sinertiafromgeom\s*=\s*[\"']true[\"']", re.DOTALL)


class _Odd(NamedTuple):
    """A kind of elements without content."""

    message: str  # in MuJoCo's
    tag: str
    own: re.Pattern[str]  # at the beginning of the element
    needed: re.Pattern[str]  # in the file
    fault: str
    remedy: str


_KINDS = (
    _Odd(
        "required attribute missing: 'pos'",
        "inertial",
        re.compile(r"(?!<[^>]*\spos\s*=)"),
        _FROM_GEOMS,
        "<inertial> has no pos",
        'left out, because <compiler> has inertiafromgeom="true"',
    ),
    _Odd(
        "invalid keyword: 'fixed'",
        "joint",
        re.compile(r"<[^>]*\stype\s*=\s*[\"']fixed[\"']"),
        re.compile(""),
        'type="fixed" of a <joint> is none of MJCF',
        "left out, because a body without a joint is fixed to its parent",
    ),
)


class _Refused(NamedTuple):
    """A part of a text that is left out."""

    begin: int
    end: int
    fault: str
    remedy: str


def without_refused(text: str, path: Path, message: str) -> str | None:
    """The text of an MJCF file without the part that MuJoCo's message is about, its lines as they were.

    Args:
        text: The file's text.
        path: The file.
        message: MuJoCo's.

    Returns:
        The text; None if the message is about something else or about another file.

    Raises:
        ModelError: Repairs are refused.
    """
    place = _PLACE.search(message)
    if place is None:
        return None
    tag, line = place[1], int(place[2])
    for element in _tags_on(text, line, tag):
        part = _attribute(element, tag, message) or _element(element, tag, message)
        if part is not None:
            repair("", part.fault, part.remedy, at=f"{path}:{line}")
            return text[: part.begin] + "\n" * text.count("\n", part.begin, part.end) + text[part.end :]
    return None


def _tags_on(text: str, line: int, tag: str) -> Iterator[re.Match[str]]:
    """The tags of elements that begin on a line."""
    begin = sum(len(other) + 1 for other in text.split("\n")[: line - 1])
    end = text.find("\n", begin) % (len(text) + 1)
    found = re.compile(rf"<{re.escape(tag)}\b[^<>]*>").finditer(text, begin)
    return (element for element in found if element.start() < end)


def _attribute(element: re.Match[str], tag: str, message: str) -> _Refused | None:
    """The attribute that MuJoCo does not know."""
    name = _UNRECOGNIZED.search(message)
    if name is None:
        return None
    pattern = re.compile(rf"\s{re.escape(name[1])}\s*=\s*([\"'])(.*?)\1", re.DOTALL)
    found = pattern.search(element.string, *element.span())
    return None if found is None else _Refused(*found.span(), unknown(tag, name[1], found[2]), "left out")


def _element(element: re.Match[str], tag: str, message: str) -> _Refused | None:
    """The whole element, if it is of a kind that means nothing."""
    for kind in _KINDS:
        is_meant = kind.message in message and kind.tag == tag and element[0].endswith("/>")
        if is_meant and kind.own.match(element[0]) and kind.needed.search(element.string):
            return _Refused(*element.span(), kind.fault, kind.remedy)
    return None
