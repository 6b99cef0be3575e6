"""Ctrl-C within a block arrives after it, at the handler that was there before."""

import signal
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from ipc_articulation.signals import deliver_interrupt, interrupts_deferred


@pytest.fixture(autouse=True)
def handler() -> Iterator[Any]:
    """Python's usual handler, whatever the tests were started with."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt() -> None:
    signal.raise_signal(signal.SIGINT)


def test_a_signal_arrives_after_the_block() -> None:
    done = []

    def work() -> None:
        with interrupts_deferred:
            interrupt()
            done.append("rest of the block")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["rest of the block"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_many_signals_arrive_once() -> None:
    arrived: list[int] = []
    signal.signal(signal.SIGINT, lambda number, frame: arrived.append(number))
    with interrupts_deferred:
        interrupt()
        interrupt()
        assert arrived == []
    assert arrived == [signal.SIGINT]


def test_blocks_nest() -> None:
    done = []

    @interrupts_deferred
    def work() -> None:
        with interrupts_deferred:
            interrupt()
        done.append("after the inner block")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["after the inner block"]


def test_functions_are_deferred_too() -> None:
    done = []

    @interrupts_deferred
    def work() -> None:
        interrupt()
        done.append("rest")

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            work()
    assert done == ["rest", "rest"]


def test_a_noted_signal_is_delivered_within_a_block_where_it_is_asked_for() -> None:
    done = []

    @interrupts_deferred
    def work() -> None:
        deliver_interrupt()
        done.append("nothing was noted yet")
        interrupt()
        deliver_interrupt()
        done.append("not reached")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["nothing was noted yet"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    deliver_interrupt()  # nothing is left


def test_an_error_of_the_block_is_not_lost() -> None:
    @interrupts_deferred
    def work(is_interrupted: bool) -> None:
        if is_interrupted:
            interrupt()
        raise ValueError("of the block")

    with pytest.raises(KeyboardInterrupt) as caught:
        work(is_interrupted=True)
    assert str(caught.value.__context__) == "of the block"
    with pytest.raises(ValueError, match="of the block"):
        work(is_interrupted=False)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_ignored_signal_stays_ignored() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with interrupts_deferred:
        interrupt()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_a_signal_that_ends_the_process_still_does() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with interrupts_deferred:
        assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL


def test_a_handler_that_the_block_installs_stays() -> None:
    arrived: list[int] = []

    def of_the_block(number: int, frame: Any) -> None:
        arrived.append(number)

    with interrupts_deferred:
        interrupt()
        signal.signal(signal.SIGINT, of_the_block)
    assert signal.getsignal(signal.SIGINT) is of_the_block
    assert arrived == [signal.SIGINT]


def test_other_threads_change_nothing() -> None:
    handlers = []

    def work() -> None:
        with interrupts_deferred:
            deliver_interrupt()
            handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert handlers == [signal.default_int_handler]


def test_another_thread_takes_no_signal_of_the_main_thread() -> None:
    done = []

    @interrupts_deferred
    def in_thread() -> None:
        deliver_interrupt()
        done.append("thread")

    @interrupts_deferred
    def work() -> None:
        interrupt()
        thread = threading.Thread(target=in_thread)
        thread.start()
        thread.join()
        done.append("main thread")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["thread", "main thread"]
