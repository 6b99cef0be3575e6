"""Exceptions of animator callbacks, kept until there is someone to raise them to.

libuipc logs an exception that a Python callback raises, with the stack, and goes on as if nothing had happened. An
engine of ours raises it from the step that ran the callback, and libuipc never sees it; for libuipc's own engines it is
also kept with the scene, for whoever asks.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import Any
from weakref import WeakKeyDictionary

_of_scene: WeakKeyDictionary[Any, list[BaseException]] = WeakKeyDictionary()
_of_step: ContextVar[list[BaseException] | None] = ContextVar("errors of the step that runs callbacks", default=None)


def guard(callback: Callable[[Any], Any], scene: Any) -> Callable[[Any], Any]:
    """The same callback, but what it raises is raised by `run_callbacks` instead, or by `raise_kept` as well.

    Args:
        callback: Takes the animator's `UpdateInfo`.
        scene: The `uipc.Scene` whose animator calls it.
    """
    kept = _of_scene.setdefault(scene, [])

    @wraps(callback)
    def guarded(info: Any) -> Any:
        try:
            return callback(info)
        except BaseException as error:
            step = _of_step.get()
            if step is not None:
                return step.append(error)
            kept.append(error)
            raise

    return guarded


def run_callbacks(update: Callable[[], Any]) -> None:
    """Let an animator update its scene, then raise, as itself, the first exception that a guarded callback raised."""
    errors: list[BaseException] = []
    before = _of_step.set(errors)
    try:
        update()
    finally:
        _of_step.reset(before)
    if errors:
        raise errors[0]


def raise_kept(scene: Any) -> None:
    """Raise the first exception of a scene's callbacks since the last call, as itself; forget all of them."""
    kept = _of_scene.get(scene)
    if kept:
        first = kept[0]
        kept.clear()
        raise first
