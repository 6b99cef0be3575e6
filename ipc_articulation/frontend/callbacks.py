"""Exceptions of animator callbacks, kept until there is someone to raise them to.

libuipc logs an exception that a Python callback raises and goes on as if nothing had happened.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

_kept: list[BaseException] = []


def guard(callback: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The same callback, but what it raises is kept for `raise_kept` as well."""

    @wraps(callback)
    def guarded(info: Any) -> Any:
        try:
            return callback(info)
        except BaseException as error:
            _kept.append(error)
            raise

    return guarded


def raise_kept() -> None:
    """Raise the first exception kept since the last call, as itself and with its traceback; forget all of them."""
    if _kept:
        first = _kept[0]
        _kept.clear()
        raise first
