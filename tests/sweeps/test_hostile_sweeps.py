"""Sweeps that ask for too much, or whose folder holds what no sweep wrote: a named error, at once."""

import itertools
import json
import os
import re
import signal
from collections.abc import Iterable
from pathlib import Path
from time import perf_counter

import pandas
import pytest

from ipc_articulation import SweepError, sweep
from ipc_articulation.sweeps.case import Case
from ipc_articulation.sweeps.folder import SweepFolder
from ipc_articulation.sweeps.record import Record
from ipc_articulation.sweeps.table import make_table, write_table
from ipc_articulation.sweeps.values import checked_settings, parse_settings
from ipc_articulation.sweeps.worker_process import WorkerProcess

SCENE = Path(__file__).parents[2] / "scenes" / "hinge_slider.yaml"


@pytest.mark.parametrize(
    "text",
    ["seed=range(1000000000)", "dt=linspace(0.1,0.2,1000000000)", "seed=range(0,10**9)", f"seed={'9' * 5000}"],
)
def test_lists_without_end_are_refused_at_once(text: str) -> None:
    begin = perf_counter()
    with pytest.raises(SweepError, match=r"at most|cannot be read|digits"):
        parse_settings([text])
    assert perf_counter() - begin < 5.0


@pytest.mark.parametrize("values", [itertools.count(), range(10**12), itertools.repeat(1)])
def test_values_without_end_are_refused_at_once(values: Iterable[int]) -> None:
    begin = perf_counter()
    with pytest.raises(SweepError, match=r"'seed' has more than 200000 values"):
        checked_settings({"seed": values})
    assert perf_counter() - begin < 5.0


def test_many_values_are_compared_in_linear_time() -> None:
    begin = perf_counter()
    assert len(checked_settings({"seed": range(100_000)})["seed"]) == 100_000
    assert perf_counter() - begin < 5.0
    with pytest.raises(SweepError, match=r"'gravity' has the value \[0, 1\] twice"):
        checked_settings({"gravity": [[0, 1], [0.0, {"a": [1]}], (0, 1)]})


def test_a_text_that_is_no_unicode_is_refused() -> None:
    with pytest.raises(SweepError, match=r"'title' has a text that cannot be written as UTF-8: 'a\\ud800'"):
        checked_settings({"title": ["b", "a\ud800"]})


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(SweepError, match=r"folder .*out/hinge_slider cannot be made or written to: Not a directory"):
        sweep(SCENE, {"seed": [1]}, out=tmp_path / "out", quiet=True)
    (tmp_path / "hinge_slider").write_text("")
    with pytest.raises(SweepError, match=r"folder .*hinge_slider cannot be made or written to: File exists"):
        sweep(SCENE, {"seed": [1]}, out=tmp_path, quiet=True)


@pytest.mark.parametrize("files", [[], ["a"], {"a": 1}, None])
def test_a_description_of_another_form_is_named(tmp_path: Path, files: object) -> None:
    folder = tmp_path / "hinge_slider"
    (folder / "runs").mkdir(parents=True)
    (folder / "sweep.json").write_text(json.dumps({"version": 2, "files": files}))
    with pytest.raises(SweepError, match=r"sweep\.json is damaged|do not both name|has changed"):
        sweep(SCENE, {"seed": [1]}, out=tmp_path, quiet=True)


@pytest.mark.parametrize(
    "change",
    [{"settings": 3}, {"status": "fine"}, {"numbers": [1]}, {"wall_time": "long"}, {"draws": None}, {"id": "b" * 16}],
)
def test_a_record_that_says_something_else_is_named(tmp_path: Path, change: dict) -> None:
    case, folder = Case("a" * 16, {"seed": 1}), SweepFolder(tmp_path)
    folder.runs.mkdir()
    record = {"id": case.id, "settings": case.settings, "status": "done", **change}
    (folder.runs / f"{case.name}.json").write_text(json.dumps(record))
    with pytest.raises(SweepError, match=r"a{16}\.json is damaged; remove it to repeat that run"):
        folder.records([case])


def test_numbers_too_large_for_a_table_stand_in_it_as_text(tmp_path: Path) -> None:
    records = [Record(name, {"seed": seed}, "failed") for name, seed in (("a", 1), ("b", 10**30))]
    write_table(make_table(records), tmp_path / "results.parquet")
    assert list(pandas.read_parquet(tmp_path / "results.parquet")["seed"]) == ["1", str(10**30)]


@pytest.mark.slow
def test_a_signal_without_a_name_is_told_by_its_number(tmp_path: Path) -> None:
    worker = WorkerProcess()
    worker._start()
    assert worker._process is not None
    os.kill(worker._process.pid, signal.SIGRTMIN + 6)
    worker._process.wait()
    assert re.search(r"it ended by signal 40", worker._cause(worker._process.returncode))
    worker.close()
