"""Elements of MJCF files that MuJoCo refuses, though what they mean is clear without them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from ipc_articulation.repairs import repair

_PLACE = re.compile(r"Element '([\w.:-]+)', line (\d+)")
_FROM_GEOMS = re.compile(r"<compiler\b[^>]*\sinertiafromgeom\s*=\s*[\"']true[\"']", re.DOTALL)


class _Odd(NamedTuple):
    """A kind of such elements."""

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


def without_odd(text: str, path: Path, message: str) -> str | None:
    """The text of an MJCF file without the element that MuJoCo's message is about, its lines as they were.

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
    tag, line = place.groups()
    start = len("".join(text.splitlines(keepends=True)[: int(line) - 1]))
    end_of_line = text.find("\n", start) % (len(text) + 1)
    kinds = [kind for kind in _KINDS if kind.message in message and kind.tag == tag and kind.needed.search(text)]
    for element in re.finditer(rf"<{re.escape(tag)}\b[^<>]*/>", text[start:]):
        begin, end = (start + place for place in element.span())
        for kind in kinds:
            if begin < end_of_line and kind.own.match(element[0]):
                repair("", kind.fault, kind.remedy, at=f"{path}:{line}")
                return text[:begin] + "\n" * element[0].count("\n") + text[end:]
    return None
