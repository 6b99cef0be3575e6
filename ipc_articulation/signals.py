"""Ctrl-C deferred during a block, so that the block's changes are made completely.

Python runs a signal handler between any two instructions. A handler that raises, as the default one of SIGINT does,
leaves an update half done, and ends the interpreter if it raises while a compiled function boxes its result. Within

    with interrupts_deferred:
        ...

SIGINT is only noted; at the end of the outermost block the earlier handler is called, once.
"""

from __future__ import annotations

import sys
from contextlib import ContextDecorator
from signal import SIGINT
from threading import get_ident, main_thread
from types import FrameType
from typing import Any

try:  # the functions below those of `signal`, without their enumerations: 0.1 instead of 2 µs a call
    from _signal import getsignal, signal  # type: ignore[import-not-found]
except ImportError:
    from signal import getsignal, signal


_MAIN = main_thread().ident


class _Deferral(ContextDecorator):
    """A context manager, and a decorator of functions, that defers SIGINT; blocks may nest.

    Only the main thread runs signal handlers: in other threads a block changes nothing. The same is true where SIGINT
    is ignored, ends the process (SIG_DFL), or is handled outside of Python.
    """

    def __init__(self) -> None:
        self._depth = 0  # of nested blocks in the main thread
        self._is_noted = False
        self._handler: Any = None  # the one that was there before the outermost block

    def __enter__(self) -> None:
        if get_ident() != _MAIN:
            return
        if self._depth == 0:
            self._is_noted = False
            handler = getsignal(SIGINT)
            if callable(handler):
                signal(SIGINT, _note)
            self._handler = handler
        self._depth += 1

    def __exit__(self, *error: object) -> None:
        if get_ident() != _MAIN:
            return
        self._depth -= 1
        if self._depth == 0:
            if getsignal(SIGINT) is _note:  # else the block has installed its own: that stays
                signal(SIGINT, self._handler)
            if self._is_noted:
                self.deliver()

    def deliver(self) -> None:
        """Call the handler now if SIGINT was noted; it may raise.

        For long work inside a block, at points where an exception leaves everything as it was before the block.
        """
        if self._is_noted and get_ident() == _MAIN:
            self._is_noted = False
            present = getsignal(SIGINT)
            handler = self._handler if present is _note else present
            if callable(handler):
                handler(SIGINT, sys._getframe())

    @property
    def is_pending(self) -> bool:
        """Whether SIGINT was noted in the present block; long waits inside a block end then."""
        return self._depth > 0 and self._is_noted

    def note(self) -> None:
        """Note that SIGINT was received."""
        self._is_noted = True


interrupts_deferred = _Deferral()
deliver_interrupt = interrupts_deferred.deliver


def _note(number: int, frame: FrameType | None) -> None:
    interrupts_deferred.note()
