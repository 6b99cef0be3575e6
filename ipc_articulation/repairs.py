"""Repairs: what was wrong in a file and was corrected while it was read. Each is a warning, or an error if strict.

Repairs of one kind in one file are one warning, `FILE:LINE: PART: FAULT; REMEDY; likewise OTHERS`, if they are made
inside a block of `summed`.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path

from ipc_articulation.errors import IpcArticulationError, ModelError

_INSIDE = (__name__.partition(".")[0], "contextlib", "functools")
LISTED = 6  # other parts that a warning names

_STRICT: ContextVar[bool] = ContextVar("strict", default=False)


class RepairWarning(UserWarning):
    """A fault of a file was repaired; the message names the file, the line or the part, and what was done."""


@dataclass(frozen=True)
class Repair:
    """One repair, or several of one kind."""

    part: str
    fault: str
    remedy: str
    at: str = ""
    found: str = ""  # in this part alone
    detail: str = ""  # of the remedy, in this part alone
    others: tuple[str, ...] = ()  # labels of other parts with the same fault

    @property
    def kind(self) -> tuple[str, ...]:
        """Repairs of one kind differ in their parts, and in what was found and done there, only."""
        return re.sub(r":\d+$", "", self.at), self.part.partition("'")[0], self.fault, self.remedy

    @property
    def label(self) -> str:
        """The part among others of the same kind."""
        return label_of(self.part, self.at) + (f" ({self.detail})" if self.detail else "")

    def text(self) -> str:
        """The warning."""
        remedy = f"{self.remedy} ({self.detail})" if self.detail else self.remedy
        others = [label for label in dict.fromkeys(self.others) if label != self.label]
        likewise = f"; likewise {_first(others)}" if others else ""
        return f"{_joined(self.at, self.part, self.fault, self.found)}; {remedy}{likewise}"


_GATHERED: ContextVar[list[Repair] | None] = ContextVar("gathered", default=None)


def repair(
    part: str,
    fault: str,
    remedy: str,
    error: type[IpcArticulationError] = ModelError,
    *,
    at: str | Path = "",
    found: str = "",
    detail: str = "",
    others: Iterable[str] = (),
) -> None:
    """Report a repair, by a `RepairWarning` with the text `at: part: fault: found; remedy (detail)`.

    Args:
        part: The part that is at fault: `link 'hand'`; may be empty.
        fault: What is wrong and would be an error: `its inertia violates the triangle inequality`.
        remedy: What is used instead: `replaced by the nearest that satisfies it`.
        error: The kind of error in strict mode.
        at: The file, with its line if it is known: `arm.urdf:12`; empty for that of `summed`.
        found: What was found in this part, and differs between repairs of one kind: `the moments 1, 2, 9 kg·m²`.
        detail: What was done to this part, likewise: `4 holes filled`.
        others: Labels of other parts with the same fault, see `label_of`.

    Raises:
        error: Repairs are refused, see `strict`; the text is `at: part: fault: found`.
    """
    if _STRICT.get():
        raise error(_joined(str(at), part, fault, found))
    made, gathered = Repair(part, fault, remedy, str(at), found, detail, tuple(others)), _GATHERED.get()
    if gathered is None:
        _warn(made.text(), RepairWarning)
    else:
        gathered.append(made)


def caution(text: str, error: type[IpcArticulationError] = ModelError) -> None:
    """Warn of something that was not repaired, but is probably not meant.

    Raises:
        error: In strict mode, see `strict`.
    """
    if _STRICT.get():
        raise error(text)
    _warn(text, UserWarning)


def _warn(text: str, category: type[UserWarning]) -> None:
    """Warn at the line outside this package from which it was called."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _INSIDE:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def label_of(part: str, at: str) -> str:
    """The name of a part without its kind, or its line."""
    name = re.search(r"'.*?'", part)
    return name[0] if name else part or f"line {at.rpartition(':')[2]}"


def listed(names: Iterable[str]) -> str:
    """Names in quotes, the first `LISTED` of them."""
    return _first([f"'{name}'" for name in names])


def _first(labels: Sequence[str]) -> str:
    more = f" and {len(labels) - LISTED} more" if len(labels) > LISTED else ""
    return ", ".join(labels[:LISTED]) + more


@contextmanager
def strict(on: bool = True) -> Iterator[None]:
    """Make every repair and caution an error inside the `with` block, in this thread."""
    token = _STRICT.set(on)
    try:
        yield
    finally:
        _STRICT.reset(token)


@contextmanager
def summed(file: str | Path = "", given_up: type[Exception] | tuple[()] = ()) -> Iterator[None]:
    """Report the repairs inside the `with` block at its end, each kind once; inside another block, at the end of that.

    Args:
        file: The file of repairs that name none.
        given_up: Exceptions after which nothing is reported, since what was repaired is not used.
    """
    outer, gathered = _GATHERED.get(), list[Repair]()
    token = _GATHERED.set(gathered)
    try:
        yield
    except given_up:
        gathered.clear()
        raise
    finally:
        _GATHERED.reset(token)
        placed = [made if made.at else replace(made, at=str(file)) for made in gathered]
        if outer is not None:
            outer.extend(placed)
        else:
            for text in _texts(placed):
                _warn(text, RepairWarning)


@contextmanager
def collected() -> Iterator[list[str]]:
    """Collect the texts of repairs and of other warnings for users inside the `with` block, each once."""
    texts: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with summed():
            yield texts
    for warning in caught:
        if not issubclass(warning.category, UserWarning):
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
        elif str(warning.message) not in texts:
            texts.append(str(warning.message))


def _texts(repairs: Iterable[Repair]) -> Iterator[str]:
    """The warnings of some repairs, one for each kind."""
    kinds: dict[tuple[str, ...], list[Repair]] = {}
    for made in repairs:
        kinds.setdefault(made.kind, []).append(made)
    for first, *others in kinds.values():
        labels = (label for made in others for label in (made.label, *made.others))
        yield replace(first, others=(*first.others, *labels)).text()


def _joined(*parts: str) -> str:
    return ": ".join(part for part in parts if part)
