"""Which rows are looked at."""

import numpy as np
import pytest

from ipc_articulation.errors import ViewingError
from ipc_articulation.viewing.moments import film_rows, last_row, row_at
from tests.viewing.made import recording


def test_the_row_nearest_to_a_time() -> None:
    made = recording(11)
    assert [row_at(made, time) for time in (-0.04, 0.0, 0.24, 0.26, 1.04)] == [0, 0, 2, 3, 10]


@pytest.mark.parametrize("time", [-0.1, 1.1, float("nan")])
def test_a_time_outside_the_recording_is_refused(time: float) -> None:
    with pytest.raises(ViewingError) as caught:
        row_at(recording(11), time)
    assert str(caught.value) == f"time {time:g} s is not in recording 'run': 0 s to 1 s"


def test_an_empty_recording_is_refused() -> None:
    made = recording(3)
    made.rows = 0
    with pytest.raises(ViewingError, match="recording 'run' is empty"):
        last_row(made)


def test_a_film_runs_in_real_time() -> None:
    made = recording(11)
    np.testing.assert_array_equal(film_rows(made, 5.0), [0, 2, 4, 6, 8, 10])
    np.testing.assert_array_equal(film_rows(made, 20.0)[:6:2], [0, 1, 2])
    assert len(film_rows(made, 20.0)) == 21
    assert len(film_rows(made, 1e6)) == 1_000_001
    np.testing.assert_array_equal(film_rows(made, 30.0, every=4), [0, 4, 8])
