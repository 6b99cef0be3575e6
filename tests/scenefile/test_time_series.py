"""Numbers over time from files."""

from pathlib import Path

import numpy as np
import pytest

from ipc_articulation.errors import SceneFileError
from ipc_articulation.scenefile.time_series import read_time_series


def test_csv_and_npz_say_the_same(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("elbow, time,shoulder\n1,0,2\n\n3,0.5,4\n")
    np.savez(tmp_path / "a.npz", time=[0.0, 0.5], elbow=[1, 3], shoulder=[2, 4])
    for name in ("a.csv", "a.npz"):
        series = read_time_series(tmp_path / name)
        assert series.columns == ("elbow", "shoulder")
        np.testing.assert_array_equal(series.times, [0.0, 0.5])
        np.testing.assert_array_equal(series.values, [[1, 2], [3, 4]])


STO = """inDegrees=no
DataType=double
version=3
OpenSimVersion=4.6-2026-06-22-85aaf64
endheader
time\t/jointset/k/a/value\t/jointset/k/a/speed\t/jointset/k/b/value
0\t1\t2\t3
2\t4\t5\t6
"""  # as OpenSim 4.6 writes it


@pytest.mark.parametrize("flag", ["no", "yes", "N", " Y"])
def test_what_opensim_writes(tmp_path: Path, flag: str) -> None:
    (tmp_path / "a.sto").write_text(STO.replace("inDegrees=no", f"inDegrees={flag}"))
    series = read_time_series(tmp_path / "a.sto")
    assert (series.columns, series.in_degrees) == (("a", "b"), flag in ("yes", " Y"))
    np.testing.assert_array_equal(series.times, [0.0, 2.0])
    np.testing.assert_array_equal(series.values, [[1, 3], [4, 6]])


STO_FAULTS = [
    (STO.replace("endheader", ""), "a.sto: there is no line 'endheader' between header and numbers"),
    (STO.replace("=no", "=true"), "a.sto:1:1: inDegrees is 'true'; it must be yes or no"),
    (STO.replace("\t5", "\tx"), "a.sto:8:3: column '/jointset/k/a/speed' must be a number, got 'x'"),
    (STO.replace("\t5", ""), "a.sto:8:1: 3 entries, must be 4: time, "),
]


@pytest.mark.parametrize(("text", "message"), STO_FAULTS)
def test_a_fault_of_an_opensim_file_is_told_with_row_and_column(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.sto").write_text(text)
    with pytest.raises(SceneFileError, match=message):
        read_time_series(tmp_path / "a.sto")


CSV = [
    ("t,elbow\n0,1\n", "a.csv: there is no column 'time'"),
    ("time\n0\n", "there is no other column than 'time'; each is named after a joint"),
    ("time,elbow\n", "a row of column names and at least one row of numbers"),
    ("time,elbow\n0,1\n1,x\n", "a.csv:3:2: column 'elbow' must be a number, got 'x'"),
    ("time,elbow\n0,1\n\n1,nan\n", "a.csv:4:2: column 'elbow' is nan in row 2 of numbers; all must be finite"),
    ("time,elbow\n0,1\n1,2,3\n", "a.csv:3:1: 3 entries, must be 2: time, elbow"),
    ("elbow,time\n0,1\n1,1\n", "a.csv:3:2: 'time' goes up, but 1 s follows 1 s in row 2"),
    ("time,elbow\n-1,1\n", "a.csv:2:1: 'time' begins at -1 s; it must be 0 or later"),
    ("time,elbow,elbow\n0,1,1\n", "a.csv:1:3: column 'elbow' is repeated"),
]


@pytest.mark.parametrize(("text", "message"), CSV)
def test_a_fault_of_a_csv_file_is_told_with_row_and_column(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(SceneFileError, match=message):
        read_time_series(tmp_path / "a.csv")


NPZ = [
    ({"elbow": [1.0]}, "there is no column 'time'|must be 0 numbers"),
    ({"time": [0.0, 1.0], "elbow": [1.0]}, r"array 'elbow' must be 2 numbers, as many as 'time', got shape \(1,\)"),
    ({"time": [0.0, 1.0], "elbow": ["a", "b"]}, "array 'elbow' must be 2 numbers"),
    ({"time": [1.0, 0.0], "elbow": [1.0, 2.0]}, "'time' goes up, but 0 s follows 1 s in row 2"),
    ({"time": [0.0], "elbow": [np.inf]}, "column 'elbow' is inf in row 1"),
    ({"time": [], "elbow": []}, "there is no row"),
]


@pytest.mark.parametrize(("arrays", "message"), NPZ)
def test_a_fault_of_an_npz_file_is_told(tmp_path: Path, arrays: dict[str, list[float]], message: str) -> None:
    np.savez(tmp_path / "a.npz", **{name: np.array(values) for name, values in arrays.items()})
    with pytest.raises(SceneFileError, match=message):
        read_time_series(tmp_path / "a.npz")


def test_pickles_are_not_opened(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", time=np.array([{}], dtype=object))
    with pytest.raises(SceneFileError, match="cannot be read as NPZ: Object arrays cannot be loaded"):
        read_time_series(tmp_path / "a.npz")


@pytest.mark.parametrize("name", ["a.csv", "a.npz"])
def test_noise_is_no_table(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(bytes(range(256)))
    with pytest.raises(SceneFileError, match="cannot be read as"):
        read_time_series(tmp_path / name)


def test_another_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SceneFileError, match=r"must be a .csv, .npz, .mot or .sto file; this one ends in '.xlsx'"):
        read_time_series(tmp_path / "a.xlsx")


def test_a_renamed_npy_file_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros(3))
    (tmp_path / "a.npy").rename(tmp_path / "a.npz")
    with pytest.raises(SceneFileError, match=r"a\.npz: cannot be read as NPZ: it is an NPY file"):
        read_time_series(tmp_path / "a.npz")
