"""Formats of buffers are read from a table: the same types as numpy's parser gives, and it where the table ends."""

import struct

import numpy as np
import pytest
from numpy._core import _internal

from ipc_articulation.frontend import buffer_formats
from ipc_articulation.frontend.buffer_formats import read_formats_from_table

PARSER = buffer_formats._PARSER


@pytest.fixture
def parsers(monkeypatch):
    """Numpy's own parser, and what takes its place."""
    present = getattr(_internal, PARSER)
    own = getattr(present, "__wrapped__", present)
    monkeypatch.setattr(_internal, PARSER, own)
    read_formats_from_table()
    return own, getattr(_internal, PARSER)


def parsed(parser, text):
    dtype, alignment = parser(_internal._Stream(text), is_subdtype=False)
    return dtype, alignment, dtype.byteorder


@pytest.mark.parametrize("letter", buffer_formats._LETTERS)
def test_letters_mean_what_they_did(parsers, letter):
    own, ours = parsers
    assert parsed(ours, letter) == parsed(own, letter)
    assert parsed(ours, letter)[0].itemsize == struct.calcsize(letter)


@pytest.mark.parametrize("text", ["<d", ">i", "3d", "(2,3)f", "T{d:x:i:y:}", "Zd", "x", "g", "@l"])
def test_other_formats_are_left_to_numpy(parsers, text):
    own, ours = parsers
    assert parsed(ours, text) == parsed(own, text)


@pytest.mark.parametrize("text", ["k", "O{", "&d"])
def test_formats_that_numpy_refuses_are_refused(parsers, text):
    own, ours = parsers
    with pytest.raises((ValueError, NotImplementedError)) as refused:
        parsed(own, text)
    with pytest.raises(refused.type):
        parsed(ours, text)


def test_the_parser_is_asked_only_where_the_table_ends(parsers):
    own, _ = parsers
    asked = []

    def parse(stream, is_subdtype):
        asked.append(stream.s)
        return own(stream, is_subdtype=is_subdtype)

    ours = buffer_formats._with_table(parse)
    asked.clear()
    assert parsed(ours, "d")[0] == np.dtype(float)
    assert parsed(ours, "<d")[0] == np.dtype(float)
    assert asked == ["<d"]


def test_a_second_time_changes_nothing(parsers):
    _, ours = parsers
    read_formats_from_table()
    assert getattr(_internal, PARSER) is ours


@pytest.mark.parametrize(
    "other", [None, lambda stream: np.dtype(float), lambda stream, is_subdtype: (np.dtype("u1"), 1)]
)
def test_another_parser_is_left_alone(monkeypatch, other):
    monkeypatch.setattr(_internal, PARSER, other)
    read_formats_from_table()
    assert getattr(_internal, PARSER) is other
