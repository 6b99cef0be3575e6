"""Which runs a sweep has, and what they are known by."""

from dataclasses import replace
from pathlib import Path

import pytest

from ipc_articulation.errors import SweepError
from ipc_articulation.sweeps import case
from ipc_articulation.sweeps.case import Basis, cases, combinations

BASIS = Basis(Path("a.yaml"), digest="d1", engine="cpu", steps=3)


def id_of(basis: Basis = BASIS, **settings: object) -> str:
    return cases(basis, [settings])[0].id


def test_the_last_key_varies_fastest() -> None:
    assert combinations({"a": [1, 2], "b": ["x", "y"]}) == [
        {"a": 1, "b": "x"},
        {"a": 1, "b": "y"},
        {"a": 2, "b": "x"},
        {"a": 2, "b": "y"},
    ]


def test_without_settings_there_is_one_run() -> None:
    assert combinations({}) == [{}]


def test_what_determines_the_result_determines_the_id() -> None:
    different = [
        id_of(a=1, b=2),
        id_of(a=2, b=1),
        id_of(a=1),
        id_of(replace(BASIS, digest="d2"), a=1, b=2),
        id_of(replace(BASIS, steps=4), a=1, b=2),
        id_of(replace(BASIS, engine="none"), a=1, b=2),
    ]
    assert len(set(different)) == len(different)


def test_nothing_else_determines_the_id() -> None:
    elsewhere = replace(BASIS, file=Path("there/b.yaml"), keep="summaries")
    assert id_of(a=1, b=2) == id_of(b=2, a=1) == id_of(elsewhere, a=1, b=2)


def test_too_many_runs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(case, "LARGEST", 10)
    assert len(combinations({"a": range(2), "b": range(5)})) == 10
    with pytest.raises(SweepError, match="these settings ask for 12 runs; one sweep has 10 at the most"):
        combinations({"a": range(3), "b": range(4)})
