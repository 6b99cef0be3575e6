"""A run that fails, crashes, hangs or is killed is named in the table, and the rest goes on."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas
import pytest

from ipc_articulation import SceneFileError, SweepError, sweep
from ipc_articulation.sweeps.worker_process import WorkerProcess, final_message
from tests.sweeps.troubled import KEY, TROUBLES, write_scene

SCENES = Path(__file__).parents[2] / "scenes"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> pandas.DataFrame:
    folder = tmp_path_factory.mktemp("sweep")
    sweep(write_scene(folder), {KEY: TROUBLES}, workers=2, out=folder / "out", time_limit=3.0, quiet=True)
    return pandas.read_parquet(folder / "out" / "troubled" / "results.parquet").set_index(KEY)


@pytest.mark.slow
def test_every_run_is_in_the_table_however_it_ended(table: pandas.DataFrame) -> None:
    assert table["status"].to_dict() == {
        "none": "done",
        "raise": "failed",
        "crash": "worker died",
        "exit": "failed",
        "hang": "timed out",
    }


@pytest.mark.slow
def test_errors_are_told_with_their_class(table: pandas.DataFrame) -> None:
    assert table["error_class"].fillna("").to_dict() == {
        "none": "",
        "raise": "AdapterError",
        "crash": "WorkerDied",
        "exit": "AdapterError",
        "hang": "TimeLimitError",
    }
    assert table.loc["raise", "error"].startswith("step 2: Python controller 'controller.py:act' failed at")
    assert table.loc["exit", "error"].startswith("step 2: Python controller 'controller.py:act' failed at")
    assert table.loc["crash", "error"].startswith(
        "it ended by signal SIGSEGV; its final message: Fatal Python error: Seg"
    )
    assert "controller.py" in table.loc["crash", "error"]
    assert table.loc["hang", "error"] == "it took longer than 3 s"


@pytest.mark.slow
def test_what_a_failed_run_had_recorded_is_told(table: pandas.DataFrame) -> None:
    assert table.loc["none", "steps_taken"] == 4
    assert table.loc["raise", "steps_taken"] == 2


def request(file: Path, trouble: str, **others: object) -> dict:
    plain = {"file": str(file), "engine": "cpu", "steps": None, "keep": "recordings", "runs": str(file.parent / "runs")}
    return {"id": trouble, "settings": {KEY: trouble}, **plain, **others}


@pytest.fixture(scope="module")
def worker() -> Iterator[WorkerProcess]:
    worker = WorkerProcess()
    yield worker
    worker.close()


@pytest.mark.slow
def test_a_worker_that_is_killed_is_named_and_replaced(tmp_path: Path, worker: WorkerProcess) -> None:
    file = write_scene(tmp_path)

    def kill() -> None:
        while not (tmp_path / "runs" / "trouble=hang_hang" / "recording.zarr").exists():
            time.sleep(0.01)
        assert worker._process is not None
        os.kill(worker._process.pid, signal.SIGKILL)

    threading.Thread(target=kill, daemon=True).start()
    killed, done = worker.do(request(file, "hang"), None), worker.do(request(file, "none"), None)
    assert (killed.status, killed.error) == ("worker died", "it ended by signal SIGKILL")
    assert done.status == "done"


@pytest.mark.slow
def test_no_worker_outlives_the_process_that_hands_out_the_work(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ipc_articulation", "sweep", str(write_scene(tmp_path)), "--set", f"{KEY}=hang"]
    driver = subprocess.Popen([*command, "--out", str(tmp_path / "out")], stderr=subprocess.DEVNULL)
    while not (traces := list(tmp_path.glob("worker-*"))):
        assert driver.poll() is None
        time.sleep(0.01)
    worker = int(traces[0].name.removeprefix("worker-"))
    assert is_alive(worker)
    driver.kill()
    driver.wait()
    deadline = time.monotonic() + 10.0
    while is_alive(worker) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_alive(worker)


def is_alive(pid: int) -> bool:
    """Whether there is such a process; one that has ended and that nobody has asked after is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.slow
def test_summaries_keep_the_numbers_and_no_recording(tmp_path: Path, worker: WorkerProcess) -> None:
    record = worker.do(request(write_scene(tmp_path), "none", keep="summaries"), None)
    assert record.numbers["steps_taken"] == 4
    assert list((tmp_path / "runs").iterdir()) == []


def test_a_worker_that_cannot_start_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho 'No module named ipctk' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr("ipc_articulation.sweeps.worker_process.sys.executable", str(broken))
    with pytest.raises(SweepError) as caught:
        WorkerProcess().do(request(tmp_path / "a.yaml", "none"), None)
    assert str(caught.value) == (
        "a worker process cannot start: it ended with status 1; its final message: No module named ipctk"
    )


def test_a_key_that_no_scene_has_is_refused_before_any_run(tmp_path: Path) -> None:
    with pytest.raises(SceneFileError, match=r"frction"):
        sweep(SCENES / "hinge_slider.yaml", {"contact.frction": [0.1, 0.2]}, out=tmp_path, quiet=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"workers": 1, "ray": "auto"}, "by workers of this machine or by a Ray cluster: give one of the two"),
        ({"workers": 0}, "workers=0: it must be at least one"),
        ({"time_limit": 0.0}, "time_limit=0.0: it must be a number of seconds above 0"),
        ({"keep": "summary"}, "keep='summary' is unknown; did you mean 'summaries'?"),
    ],
)
def test_options_that_cannot_be_are_refused(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(SweepError, match=re.escape(message)):
        sweep(SCENES / "hinge_slider.yaml", {"seed": [1]}, out=tmp_path, **options)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("log", "words"),
    [
        ("", ""),
        ("first\nlast\n", "last"),
        (
            'noise\nFatal Python error: Segmentation fault\n\nThread 0x1:\n  File "a.py", line 1 in f\n\n'
            'Current thread 0x2 (most recent call first):\n  File "b.py", line 2 in g\n  File "c.py", line 3 in h\n',
            'Fatal Python error: Segmentation fault, File "b.py", line 2 in g',
        ),
    ],
)
def test_final_message(log: str, words: str) -> None:
    assert final_message(log) == words
