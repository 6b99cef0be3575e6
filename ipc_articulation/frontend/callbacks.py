"""Exceptions of animator callbacks, stored until they can be raised.

libuipc logs an exception of a Python callback, with the stack, and continues. Our engines raise it from the step that
ran the callback, and libuipc does not get it: `Engine` lets libuipc's animators guard every callback. For libuipc's own
engines those of this package are also stored with the scene, and `raise_kept` raises them.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import Any
from weakref import WeakKeyDictionary

_of_scene: WeakKeyDictionary[Any, list[BaseException]] = WeakKeyDictionary()
_of_step: ContextVar[list[BaseException] | None] = ContextVar("errors of the step that runs callbacks", default=None)
_engine: ContextVar[Any] = ContextVar("CPU engine whose step runs callbacks", default=None)


def guard(callback: Callable[[Any], Any], scene: Any = None) -> Callable[[Any], Any]:
    """The same callback, except that its exceptions are raised by `run_callbacks` or by `raise_kept`.

    Args:
        callback: A function of the animator's `UpdateInfo`.
        scene: The `uipc.Scene` whose animator calls it, for `raise_kept`; None: on libuipc's own engines it is logged
            only.
    """
    kept = None if scene is None else _of_scene.setdefault(scene, [])

    @wraps(callback)
    def guarded(info: Any) -> Any:
        try:
            return callback(info)
        except BaseException as error:
            step = _of_step.get()
            if step is not None:
                return step.append(error)
            if kept is not None:
                kept.append(error)
            raise

    return guarded


def run_callbacks(update: Callable[[], Any], engine: Any = None) -> None:
    """Let an animator update its scene for an engine, then raise a guarded callback's first exception, unchanged."""
    errors: list[BaseException] = []
    before = _of_step.set(errors), _engine.set(engine)
    try:
        update()
    finally:
        _of_step.reset(before[0])
        _engine.reset(before[1])
    if errors:
        raise errors[0]


def asking_engine() -> Any:
    """The CPU engine whose step runs the present callback; None where libuipc's own engines do."""
    return _engine.get()


def keep(error: BaseException) -> None:
    """Let the step that runs callbacks in this thread raise an error, whatever its callback does with it."""
    step = _of_step.get()
    if step is not None:
        step.append(error)


def raise_kept(scene: Any) -> None:
    """Raise the first exception of a scene's callbacks since the last call, unchanged, and remove all of them."""
    kept = _of_scene.get(scene)
    if kept:
        first = kept[0]
        kept.clear()
        raise first
