"""Work that is shared among cores: parts that do not depend on their number, and the same bits for any number."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ipc_articulation import cores


def test_parts_cover_everything_once():
    assert cores.parts(0, 5) == [slice(0, 0)]
    assert cores.parts(5, 5) == [slice(0, 5)]
    assert cores.parts(12, 5) == [slice(0, 5), slice(5, 10), slice(10, 12)]


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([], [slice(0, 0)]),
        ([3], [slice(0, 1)]),
        ([9, 9, 9], [slice(0, 2), slice(2, 3)]),
        ([40, 1, 1], [slice(0, 1), slice(1, 3)]),
        ([1, 1, 40, 1], [slice(0, 3), slice(3, 4)]),
        ([0, 0, 2, 9], [slice(0, 4)]),
    ],
)
def test_parts_of_sizes_cover_everything_once(sizes, expected):
    assert cores.parts_of_sizes(np.array(sizes, dtype=np.int64), 15) == expected


def test_results_are_in_order_and_come_from_several_threads(monkeypatch):
    """The parts wait for each other, which one thread alone could not do."""
    monkeypatch.setattr(cores, "cores", lambda: 2)
    both = threading.Barrier(2)

    def work(some):
        both.wait(timeout=10.0)
        return some.start

    assert cores.share(work, cores.parts(4, 2)) == [0, 2]


def test_one_core_works_in_the_calling_thread(monkeypatch):
    monkeypatch.setenv(cores.THREADS, "1")
    assert cores.cores() == 1
    assert set(cores.share(lambda some: threading.current_thread(), cores.parts(4, 2))) == {threading.current_thread()}


@pytest.mark.parametrize("number", [1, 2, 3, 8])
@pytest.mark.parametrize("failing", [{0}, {11}, {2, 9}, set(range(12))])
def test_the_first_error_is_raised_after_the_results_before_it(monkeypatch, number, failing):
    monkeypatch.setattr(cores, "cores", lambda: number)

    def work(some):
        time.sleep(1e-3)
        if some.start in failing:
            raise IndexError(f"piece {some.start}")
        return some.start

    found = []
    with pytest.raises(IndexError, match=f"^piece {min(failing)}$"):
        found.extend(cores.in_turn(work, cores.parts(12, 1)))
    assert found == list(range(min(failing)))


def test_pieces_have_ended_when_an_error_is_raised(monkeypatch):
    """Else a thread would write into arrays that the caller has begun to use anew."""
    monkeypatch.setattr(cores, "cores", lambda: 2)
    ended, is_begun = [], threading.Event()

    def work(some):
        if some.start == 0:
            is_begun.wait(timeout=10.0)
            raise KeyboardInterrupt
        is_begun.set()
        time.sleep(0.1)
        ended.append(some.start)

    with pytest.raises(KeyboardInterrupt):
        cores.share(work, cores.parts(3, 1))
    assert ended in ([2], [2, 1])
    time.sleep(0.15)
    assert ended in ([2], [2, 1])


def test_what_nobody_waits_for_is_not_begun(monkeypatch):
    monkeypatch.setattr(cores, "cores", lambda: 2)
    begun = []

    def work(some):
        begun.append(some.start)
        time.sleep(1e-2)
        return some.start

    results = cores.in_turn(work, cores.parts(100, 1))
    assert next(results) == 0
    results.close()
    assert len(begun) < 10


def test_threads_that_the_system_refuses_are_not_waited_for(monkeypatch):
    """The second of three; the first one has taken pieces."""
    monkeypatch.setattr(cores, "cores", lambda: 4)

    class Pool(ThreadPoolExecutor):
        def submit(self, *given):
            if self._threads:
                raise RuntimeError("can't start new thread")
            return super().submit(*given)

    with Pool(3) as pool:
        monkeypatch.setattr(cores, "_pool", lambda process, threads: pool)
        assert cores.share(lambda some: time.sleep(1e-2) or some.start, cores.parts(9, 1)) == list(range(9))


def test_the_number_of_cores_may_change_before_the_first_result(monkeypatch):
    monkeypatch.setattr(cores, "cores", lambda: 2)
    results = cores.in_turn(lambda some: some.start, cores.parts(3, 1))
    monkeypatch.setattr(cores, "cores", lambda: 1)
    assert list(results) == [0, 1, 2]


def test_shared_work_may_share_its_own(monkeypatch):
    monkeypatch.setattr(cores, "cores", lambda: 2)

    def work(some):
        return sum(cores.share(lambda inner: inner.start, cores.parts(20, 1))) + some.start

    assert cores.share(work, cores.parts(6, 1)) == [190 + k for k in range(6)]


def test_work_goes_on_where_threads_take_no_more(monkeypatch):
    """As while Python ends: its threads refuse work that is still to be done."""
    monkeypatch.setattr(cores, "cores", lambda: 2)
    ended = ThreadPoolExecutor(2)
    ended.shutdown()
    monkeypatch.setattr(cores, "_pool", lambda process, threads: ended)
    assert cores.share(lambda some: some.start, cores.parts(4, 2)) == [0, 2]


@pytest.mark.parametrize("wanted", ["", "0", "-1", "many", "²"])
def test_what_is_no_number_of_threads_limits_nothing(monkeypatch, wanted):
    monkeypatch.delenv(cores.THREADS, raising=False)
    unlimited = cores.cores()
    monkeypatch.setenv(cores.THREADS, wanted)
    assert cores.cores() == unlimited
