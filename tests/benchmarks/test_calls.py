"""The count of calls in a step."""

import sys

from benchmarks.calls import Calls, Counter, table
from ipc_articulation.contact.barrier import barrier


def three_times():
    for _ in range(3):
        barrier(1e-3, 2e-3, 0.0)
    return len("")


def test_functions_of_python_of_c_and_compiled_ones_are_counted():
    barrier(1e-3, 2e-3, 0.0)  # compiles
    calls = Calls("nothing", milliseconds=1.0)
    count = Counter(calls, {id(barrier.py_func.__code__)})
    sys.setprofile(count)
    three_times()
    sys.setprofile(None)
    assert (calls.python, calls.compiled) == (1, 3)
    assert calls.in_c >= 1  # len, and what ends the count
    assert 0.0 < calls.compiled_milliseconds == calls.share


def test_a_row_shows_times_counts_and_the_share():
    rows = table([Calls("robots/a", 2.0, 3.0, 1000.0, 500.0, 200.0, 0.5)])
    cells = [next(iter(column.cells)) for column in rows.columns]
    assert cells == ["robots/a", "2", "3.00", "1000", "500", "200", "0.5", "25%"]
