"""Signatures as text: there and back, for every type that the package's functions take."""

from typing import NamedTuple

import numpy as np
import pytest
from numba import typeof
from numba.core import types

from ipc_articulation.engine.newton.work import LimitsType
from ipc_articulation.warming.signatures import text_of, types_of


class Pair(NamedTuple):
    x: np.ndarray
    k: int


class Twins(NamedTuple):
    a: float
    b: float


frozen = np.zeros(3)
frozen.flags.writeable = False
inner = np.dtype([("I", "f8", (6, 6)), ("n", np.int64)], align=True)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "float64"),
        (1, "int64"),
        (True, "bool"),
        (None, "none"),
        (np.zeros(3), "float64[::1]"),
        (np.zeros((3, 2), dtype=np.int32), "int32[:, ::1]"),
        (np.zeros((3, 2)).T, "float64[::1, :]"),
        (np.zeros((3, 4))[:, ::2], "float64[:, :]"),
        (np.zeros(4, dtype=bool)[::2], "bool[:]"),
        (frozen, "readonly(float64[::1])"),
        ((1, 2.0), "(int64, float64, )"),
        ((1.0, 2.0), "(float64, float64, )"),
        ((), "()"),
        (Pair(np.zeros(1), 2), f"{__name__}.Pair(float64[::1], int64, )"),
        (Twins(1.0, 2.0), f"{__name__}.Twins(float64, float64, )"),
        (np.zeros(2, inner), "structured(I=nested(float64, 6, 6), n=int64)[::1]"),
        ((np.zeros(1), (Pair(np.zeros(1), 1),)), f"(float64[::1], ({__name__}.Pair(float64[::1], int64, ), ), )"),
    ],
)
def test_a_type_has_a_text_that_names_it(value, text):
    kind = typeof(value)
    assert text_of((kind,)) == f"({text}, )"
    assert types_of(f"({text}, )") == (kind,)


def test_a_structure_stands_with_its_fields():
    kind = LimitsType((("q", types.float64[:, ::1]), ("n", types.int64)))
    text = "(ipc_articulation.engine.newton.work.LimitsType(q=float64[:, ::1], n=int64), )"
    assert (text_of((kind,)), types_of(text)) == (text, (kind,))


def test_a_type_without_a_text_is_refused():
    for kind in (types.ListType(types.float64), types.Optional(types.float64)):
        with pytest.raises(TypeError, match="no text for a type of the signature"):
            text_of((kind,))


def test_a_class_that_is_no_longer_there_is_named():
    with pytest.raises(AttributeError, match="Gone"):
        types_of("(ipc_articulation.contact.barrier.Gone(float64, ), )")
