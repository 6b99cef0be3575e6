"""Repairs: what was wrong in a file and was corrected while it was read. Each is a warning, or an error if strict."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ipc_articulation.errors import IpcArticulationError, ModelError

_STRICT: ContextVar[bool] = ContextVar("strict", default=False)


class RepairWarning(UserWarning):
    """A fault of a file was repaired; the message names the file, the line or the part, and what was done."""


def repair(place: str, fault: str, remedy: str, error: type[IpcArticulationError] = ModelError) -> None:
    """Report a repair, by a `RepairWarning` with the text `place: fault; remedy`.

    Args:
        place: The file, with its line if it is known, and the part: `arm.urdf:12: link 'hand'`.
        fault: What is wrong and would be an error: `its inertia violates the triangle inequality`.
        remedy: What is used instead: `replaced by the nearest that satisfies it`.
        error: The kind of error in strict mode.

    Raises:
        error: Repairs are refused, see `strict`; the text is `place: fault`.
    """
    if _STRICT.get():
        raise error(f"{place}: {fault}")
    warnings.warn(f"{place}: {fault}; {remedy}", RepairWarning, stacklevel=2)


@contextmanager
def strict(on: bool = True) -> Iterator[None]:
    """Make every repair an error inside the `with` block, in this thread."""
    token = _STRICT.set(on)
    try:
        yield
    finally:
        _STRICT.reset(token)


@contextmanager
def collected() -> Iterator[list[str]]:
    """Collect the texts of repairs inside the `with` block, each once, instead of warning of them."""
    texts: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield texts
    for warning in caught:
        if not issubclass(warning.category, RepairWarning):
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
        elif str(warning.message) not in texts:
            texts.append(str(warning.message))
