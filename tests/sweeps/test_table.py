"""The table of results."""

import sys
from pathlib import Path

import pandas
import pytest

from ipc_articulation.errors import MissingPackageError, SweepError
from ipc_articulation.sweeps.record import Record
from ipc_articulation.sweeps.table import make_table, require_table_packages, write_table

DONE = Record("a1", {"dt": 0.1, "gravity": [0, 0, -9.8]}, "done", None, None, 1.5, {"steps_taken": 3, "moved.box": 0.2})
FAILED = Record("b2", {"dt": 1, "gravity": [0, 0, 0]}, "failed", "SolverError", "not finite", 0.5, draws={"mass": 2.0})


def written(records: list[Record], folder: Path) -> pandas.DataFrame:
    write_table(make_table(records), folder / "results.parquet")
    return pandas.read_parquet(folder / "results.parquet")


def test_a_row_a_run_in_their_order(tmp_path: Path) -> None:
    table = written([FAILED, DONE], tmp_path)
    assert list(table["id"]) == ["b2", "a1"]
    assert list(table["status"]) == ["failed", "done"]
    assert table.loc[0, "error_class"] == "SolverError"
    assert table.loc[0, "error"] == "not finite"
    assert list(table["dt"]) == [1.0, 0.1]
    assert [list(value) for value in table["gravity"]] == [[0, 0, 0], [0, 0, -9.8]]
    assert list(table["folder"]) == ["runs/dt=1_gravity=0,0,0_b2", "runs/dt=0.1_gravity=0,0,-9.8_a1"]
    assert table.loc[1, ["wall_time", "steps_taken", "moved.box"]].tolist() == [1.5, 3.0, 0.2]
    assert table["steps_taken"].isna().tolist() == [True, False]
    assert table.loc[0, "draw.mass"] == 2.0
    assert table.columns[-1] == "folder"


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([1, 0.5], [1.0, 0.5]),
        ([True, False], [True, False]),
        (["a", "b"], ["a", "b"]),
        ([1, "auto"], ["1", '"auto"']),
        ([{"type": "box"}, {"type": "sphere"}], ['{"type": "box"}', '{"type": "sphere"}']),
        ([[1, 2], "all"], ["[1, 2]", '"all"']),
        ([["a"], []], ['["a"]', "[]"]),
    ],
)
def test_values_of_different_kinds_become_text(tmp_path: Path, values: list, shown: list) -> None:
    records = [Record(str(index), {"key": value}, "done") for index, value in enumerate(values)]
    assert list(written(records, tmp_path)["key"]) == shown


def test_a_table_without_rows(tmp_path: Path) -> None:
    assert len(written([], tmp_path)) == 0


def test_the_former_table_stays_where_the_new_one_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written([DONE], tmp_path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ipc_articulation.sweeps.record.os.replace", full)
    with pytest.raises(
        SweepError,
        match=r"cannot write .*results\.parquet: No space left on device; runs that finished before are kept",
    ):
        write_table(make_table([FAILED]), tmp_path / "results.parquet")
    assert list(pandas.read_parquet(tmp_path / "results.parquet")["id"]) == ["a1"]


@pytest.mark.parametrize("package", ["pandas", "pyarrow"])
def test_the_extra_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setattr(
        "ipc_articulation.extras.find_spec", lambda name: None if name == package else sys.modules["sys"].__spec__
    )
    with pytest.raises(MissingPackageError, match=rf"{package} is missing; .*pip install 'ipc_articulation\[data\]'"):
        require_table_packages()
