"""A run that is killed at any moment is gone on with, and ends as an undisturbed one does, without a gap."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ipc_articulation
from ipc_articulation.recording import Recording, read_recording
from ipc_articulation.running import resume
from tests.running.killed_run import PLACES
from tests.running.scenes import assert_same_bits, write_scene

ROOT = Path(__file__).parents[2]
STEPS = 60


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    folder = tmp_path_factory.mktemp("undisturbed")
    file = write_scene(folder, STEPS)
    return ipc_articulation.run(file, engine="cpu", out=folder, quiet=True, pictures=False).recording


def start(folder: Path, *place: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.running.killed_run", str(write_scene(folder, STEPS)), str(folder), *place]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def go_on(folder: Path, undisturbed: Recording) -> int:
    """Resume, compare, and give the number of rows that the killed run had left."""
    rows = read_recording(folder).rows
    assert_same_bits(resume(folder, quiet=True, pictures=False).recording, undisturbed)
    return rows


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "count"), [("chunk", 331), ("dump", 30), ("named", 17), ("between", 9), ("pruning", 5)]
)
def test_killed_while_something_is_written(tmp_path: Path, undisturbed: Recording, place: str, count: int) -> None:
    assert place in PLACES
    with start(tmp_path, place, str(count)) as process:
        process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL
    assert 1 <= go_on(tmp_path / "arm", undisturbed) < STEPS


def kill_once(folder: Path, undisturbed: Recording, delay: float) -> int:
    folder.mkdir()
    with start(folder) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        time.sleep(delay)
        process.kill()
    return go_on_or_finished(folder / "arm", undisturbed)


def go_on_or_finished(folder: Path, undisturbed: Recording) -> int:
    if read_recording(folder).rows <= STEPS:
        return go_on(folder, undisturbed)
    assert_same_bits(read_recording(folder), undisturbed)  # it was too quick
    return STEPS + 1


@pytest.fixture(scope="module")
def duration(tmp_path_factory: pytest.TempPathFactory) -> float:
    """Seconds from the first step to the end, of a run that nothing disturbs."""
    with start(tmp_path_factory.mktemp("timed")) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        begin = time.perf_counter()
        process.communicate(timeout=120)
    return time.perf_counter() - begin


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, pytest.param(20, marks=pytest.mark.stress)])
def test_killed_at_random_moments(tmp_path: Path, undisturbed: Recording, duration: float, count: int) -> None:
    """One in each of so many parts of a run's time."""
    draw = random.Random(6)
    moments = [(k + draw.random()) / count * duration for k in range(count)]
    rows = [kill_once(tmp_path / str(k), undisturbed, moment) for k, moment in enumerate(moments)]
    print("rows left by each killed run:", rows)
    assert len(set(rows)) >= count // 2  # they were killed at different moments
    assert min(rows) <= STEPS
