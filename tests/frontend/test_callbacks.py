"""What an animator callback raises reaches the user."""

import traceback

import pytest

from ipc_articulation.frontend.callbacks import guard, raise_kept


class BrokenError(Exception):
    pass


def broken(info):
    raise BrokenError(info)


def test_the_first_exception_is_kept_as_itself_and_once():
    guarded = guard(broken)
    for info in ("first", "second"):
        with pytest.raises(BrokenError):
            guarded(info)
    with pytest.raises(BrokenError, match="first") as raised:
        raise_kept()
    assert "broken" in [frame.name for frame in traceback.extract_tb(raised.value.__traceback__)]
    raise_kept()  # nothing is left


def test_a_callback_that_works_returns_what_it_returns():
    assert guard(len)("four") == 4
    raise_kept()
