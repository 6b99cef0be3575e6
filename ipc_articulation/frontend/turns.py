"""Whose turn it is with a scene: one thread steps it, and what others read waits until the step has ended.

Energies, contacts and distances are measured in the arrays that a step works in. So there is a `Turn` for each scene,
which a thread has while it steps or reads. It goes round in the order in which threads asked for it: a thread that
steps without a pause lets others read between two steps. While animator callbacks and observers run, nobody computes,
and others may read: a callback may wait for a thread that reads.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import cached_property, wraps
from threading import Lock, get_ident
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

import uipc

from ipc_articulation.errors import EngineError
from ipc_articulation.frontend.callbacks import keep
from ipc_articulation.signals import deliver_interrupt, interrupts_deferred

_LOOK = 0.05  # seconds between two looks at Ctrl-C
_NOBODY = 0  # no thread has this identifier

Result = TypeVar("Result")


class Turn:
    """A lock that a thread may take several times, used as a context manager; Ctrl-C ends the wait for it.

    Attributes:
        is_calling: Whether animator callbacks run.
    """

    def __init__(self) -> None:
        self.is_calling = False
        self._mutex, self._waiting = Lock(), deque[tuple[int, Any]]()  # threads, and what wakes each
        self._owner, self._depth = _NOBODY, 0
        self._changer, self._changes = _NOBODY, 0  # the thread that steps, and how deep it is in changes

    def __enter__(self) -> None:
        self._take(may_end=True)

    def __exit__(self, *error: object) -> None:
        self._give()

    def changing(self, asker: str) -> _Change:
        """A context in which a thread changes the scene, where no other does; its own changes may nest.

        Args:
            asker: Beginning of messages.

        Raises:
            EngineError: On entering: another thread is in the middle of a change, or an animator callback asks. The
                step raises the latter too, because libuipc only logs what a callback raises.
        """
        return _Change(self, asker)

    def call(self, callbacks: Callable[[], object], is_calling: bool) -> None:
        """Let others read while this thread, in the middle of a change, calls what users wrote."""
        depth = self._depth if self._owner == get_ident() else 0
        before, self.is_calling = self.is_calling, is_calling
        if depth:
            self._depth = 1
            self._give()
        try:
            callbacks()
        finally:
            if depth:
                self._take(may_end=False)
                self._depth = depth
            self.is_calling = before

    def begin(self, asker: str) -> None:
        """Enter a change, see `changing`."""
        self._refuse(asker)
        self._take(may_end=True)
        try:
            self._refuse(asker)  # another one may have begun during the wait
        except EngineError:
            self._give()
            raise
        self._changer = get_ident()
        self._changes += 1

    def end(self) -> None:
        """Leave a change."""
        self._changes -= 1
        self._give()

    def _refuse(self, asker: str) -> None:
        """Refuse a change within another thread's, or in an animator callback."""
        if self._changes and self._changer != get_ident():
            raise EngineError(
                f"{asker}: another thread is in the middle of a step of this scene; step it from one thread, or after "
                "each other (read-outs may come from any thread)"
            )
        if self.is_calling:
            self.refuse_in_callback(asker)

    def refuse_in_callback(self, asker: str) -> None:
        """Refuse what changes a scene in an animator callback of this thread; see `changing`.

        Raises:
            EngineError: This thread is in one; the step raises it too.
        """
        if self._changes and self._changer == get_ident() and self.is_calling:
            error = EngineError(
                f"{asker} was called in an animator callback: the step that runs the callback is not taken yet; call "
                "it after world.advance()"
            )
            keep(error)
            raise error

    def _take(self, may_end: bool) -> None:
        me = get_ident()
        if self._owner == me:
            self._depth += 1
            return
        with self._mutex:
            if self._owner == _NOBODY:
                self._owner, self._depth = me, 1
                return
            place = me, Lock()
            place[1].acquire()
            self._waiting.append(place)
        self._wait(place, may_end)

    def _wait(self, place: tuple[int, Any], may_end: bool) -> None:
        try:
            while not place[1].acquire(timeout=_LOOK):
                if may_end:
                    deliver_interrupt()
        except BaseException:
            with self._mutex:
                is_waiting = place in self._waiting
                if is_waiting:
                    self._waiting.remove(place)
            if not is_waiting:
                self._give()
            raise

    def _give(self) -> None:
        if self._depth > 1:
            self._depth -= 1
            return
        with self._mutex:
            if self._waiting:
                self._owner, wake = self._waiting.popleft()
                wake.release()
            else:
                self._owner, self._depth = _NOBODY, 0


class _Change:
    """The context of `Turn.changing`."""

    __slots__ = ("_asker", "_turn")

    def __init__(self, turn: Turn, asker: str) -> None:
        self._turn, self._asker = turn, asker

    def __enter__(self) -> None:
        self._turn.begin(self._asker)

    def __exit__(self, *error: object) -> None:
        self._turn.end()


_of_scene: WeakKeyDictionary[uipc.Scene, Turn] = WeakKeyDictionary()


def turn_of(scene: uipc.Scene) -> Turn:
    """The turn of a scene, which its worlds, couplings and watchers share."""
    return _of_scene.setdefault(scene, Turn())


def in_turn(method: Callable[..., Result]) -> Callable[..., Result]:
    """A method of an object with a `turn` that waits for it, and has it while it runs."""

    @wraps(method)
    def taken(self: Any, *args: Any, **kwargs: Any) -> Result:
        with interrupts_deferred, self.turn:
            return method(self, *args, **kwargs)

    return taken


def changing_in_turn(method: Callable[..., Result]) -> Callable[..., Result]:
    """The same, of a method that changes the scene: it is refused in an animator callback."""
    taken = in_turn(method)

    @wraps(method)
    def refused_in_callback(self: Any, *args: Any, **kwargs: Any) -> Result:
        self.turn.refuse_in_callback(f"{type(self).__name__}.{method.__name__}()")
        return taken(self, *args, **kwargs)

    return refused_in_callback


if TYPE_CHECKING:
    cached_in_turn = cached_property
else:

    class cached_in_turn(cached_property):  # noqa: N801 (a decorator)
        """A cached property of an object with a `turn`, which is computed in turn.

        The turn comes first: Python 3.11 lets one thread at a time compute a cached property of all objects of a class.
        """

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            if instance is None:
                return self
            with interrupts_deferred, instance.turn:
                return super().__get__(instance, owner)
