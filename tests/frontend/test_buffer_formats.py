"""Formats of buffers are read from a table: the same types as numpy's parser gives, and it where the table ends."""

import struct

import numpy as np
import pytest
from numpy._core import _internal

from ipc_articulation.frontend import buffer_formats
from ipc_articulation.frontend.buffer_formats import FormatTable, formats_from_table
from tests.engine.scenes import BoxScene, translation

PARSER = buffer_formats._PARSER


@pytest.fixture
def parsers():
    """Numpy's own parser, and what takes its place."""
    own = getattr(_internal, PARSER)
    with formats_from_table:
        ours = getattr(_internal, PARSER)
    return own, ours


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


def test_numpy_has_its_own_parser_outside_of_a_block(parsers, tmp_path):
    own, ours = parsers
    assert own is not ours
    scene = BoxScene(tmp_path)
    scene.add_box(translation(0, 0, 0))
    scene.start().run(2)
    assert getattr(_internal, PARSER) is own


def test_blocks_may_nest(parsers):
    own, ours = parsers
    with formats_from_table:
        with formats_from_table:
            assert getattr(_internal, PARSER) is ours
        assert getattr(_internal, PARSER) in parsers
    assert getattr(_internal, PARSER) is own


@pytest.mark.parametrize(
    "other", [None, lambda stream: np.dtype(float), lambda stream, is_subdtype: (np.dtype("u1"), 1)]
)
def test_another_parser_is_left_alone(monkeypatch, other):
    monkeypatch.setattr(_internal, PARSER, other)
    with FormatTable():
        assert getattr(_internal, PARSER) is other
    with formats_from_table:
        assert getattr(_internal, PARSER) is other
    assert getattr(_internal, PARSER) is other


def test_without_a_parser_everything_works(monkeypatch, tmp_path):
    """Numpy may lose the function, or the module: then the engine goes without."""
    monkeypatch.setattr(buffer_formats, "_internal", None)
    scene = BoxScene(tmp_path)
    scene.add_box(translation(0, 0, 0))
    with FormatTable():
        scene.start().run(2)
    assert scene.world.frame() == 2
