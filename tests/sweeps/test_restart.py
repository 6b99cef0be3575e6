"""A sweep whose process is killed goes on from what is finished, and gives what an undisturbed one gives."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas
import pytest

from ipc_articulation import SweepError, read_recording, sweep
from tests.interrupts import heed_ctrl_c

SCENE = Path(__file__).parents[2] / "scenes" / "hinge_slider.yaml"
PLACE, GRAVITY = "bodies.slider.pose.position[0]", "gravity[2]"
INSIDE_THE_POST = 0.1  # [m], where the slider cannot start


def command(out: Path, settings: dict[str, list[float]], *options: str) -> list[str]:
    sets = [part for key, values in settings.items() for part in ("--set", f"{key}={','.join(map(repr, values))}")]
    program = [sys.executable, "-m", "ipc_articulation", "sweep", str(SCENE), *sets]
    return [*program, "--workers", "2", "--steps", "3", "--out", str(out), *options]


def stop_at(count: int, out: Path, settings: dict[str, list[float]], number: signal.Signals) -> int:
    """Start a sweep and end it as soon as so many runs are finished; returns its exit status."""
    process = subprocess.Popen(
        command(out, settings), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=heed_ctrl_c
    )
    while process.poll() is None and len(finished(out)) < count:
        time.sleep(0.005)
    os.kill(process.pid, number)
    return process.wait()


def finished(out: Path) -> dict[str, int]:
    """When each finished run was, by its name."""
    files = (out / SCENE.stem / "runs").glob("[!.]*.json")
    return {file.stem: file.stat().st_mtime_ns for file in files}


def results(out: Path) -> pandas.DataFrame:
    """The table without what depends on the machine's load."""
    return pandas.read_parquet(out / SCENE.stem / "results.parquet").drop(columns="wall_time")


def check_restart(tmp_path: Path, settings: dict[str, list[float]], failing: int) -> None:
    total = int(np.prod([len(values) for values in settings.values()]))
    alone, killed = tmp_path / "alone", tmp_path / "killed"
    undisturbed = sweep(SCENE, settings, workers=2, steps=3, out=alone, quiet=True)
    assert undisturbed["status"].value_counts().to_dict() == {"done": total - failing, "failed": failing}

    assert stop_at(total // 2, killed, settings, signal.SIGKILL) == -signal.SIGKILL
    before = finished(killed)
    assert total // 2 <= len(before) < total

    done = subprocess.run(command(killed, settings, "--json"), capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr  # as some runs failed
    after = finished(killed)
    assert len(after) == total
    assert {id: after[id] for id in before} == before  # none ran twice
    pandas.testing.assert_frame_equal(results(killed), results(alone))
    for id in list(after)[:: max(1, total // 10)]:
        if (alone / SCENE.stem / "runs" / id / "recording.zarr").exists():
            one, other = (read_recording(out / SCENE.stem / "runs" / id) for out in (alone, killed))
            np.testing.assert_array_equal(one.theta, other.theta)
            np.testing.assert_array_equal(one.body_poses, other.body_poses)


@pytest.mark.slow
def test_twelve_runs_one_failing_killed_half_way(tmp_path: Path) -> None:
    check_restart(tmp_path, {PLACE: [0.9, 1.0, 1.1, INSIDE_THE_POST], GRAVITY: [-9.8, -1.6, 0.0]}, failing=3)


@pytest.mark.slow
@pytest.mark.stress
def test_two_hundred_runs_five_failing_killed_half_way(tmp_path: Path) -> None:
    places = [*np.linspace(0.9, 1.1, 39).tolist(), INSIDE_THE_POST]
    check_restart(tmp_path, {PLACE: places, GRAVITY: [-9.8, -3.7, -1.6, 0.0, 9.8]}, failing=5)


@pytest.mark.slow
def test_ctrl_c_ends_cleanly_and_more_values_add_to_what_there_is(tmp_path: Path) -> None:
    settings = {PLACE: np.linspace(0.9, 1.1, 40).tolist()}
    assert stop_at(5, tmp_path, settings, signal.SIGINT) == 130
    before = finished(tmp_path)
    table = results(tmp_path)
    assert {folder.removeprefix("runs/") for folder in table["folder"]} == set(before)  # the table is written too
    assert 5 <= len(before) < 40

    fewer = [value for value in settings[PLACE] if value in set(table[PLACE])]
    again = sweep(SCENE, {PLACE: [*fewer, 0.95]}, workers=1, steps=3, out=tmp_path, quiet=True)
    assert len(again) == len(fewer) + 1
    after = finished(tmp_path)
    assert {id: after[id] for id in before} == before
    assert len(after) == len(before) + 1


@pytest.mark.slow
def test_failed_runs_are_done_again_when_asked_for(tmp_path: Path) -> None:
    settings = {PLACE: [0.9, INSIDE_THE_POST]}
    options = {"workers": 1, "steps": 1, "out": tmp_path, "quiet": True}
    good, failed = (Path(folder).name for folder in sweep(SCENE, settings, **options)["folder"])
    before = finished(tmp_path)
    sweep(SCENE, settings, **options)
    assert finished(tmp_path) == before
    sweep(SCENE, settings, retry_failed=True, **options)
    after = finished(tmp_path)
    assert after[good] == before[good]
    assert after[failed] > before[failed]


@pytest.mark.slow
def test_a_scene_that_changes_meanwhile_ends_the_sweep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "scene.yaml"
    file.write_text(SCENE.read_text())
    from ipc_articulation.sweeps.folder import SweepFolder

    write = SweepFolder.write

    def write_and_edit(self: SweepFolder, record: object) -> None:
        write(self, record)
        file.write_text(SCENE.read_text() + "\n# edited\n")

    monkeypatch.setattr(SweepFolder, "write", write_and_edit)
    with pytest.raises(SweepError, match=r"scene\.yaml has changed since this sweep began; earlier runs are kept"):
        sweep(file, {PLACE: np.linspace(0.9, 1.1, 30).tolist()}, workers=1, steps=1, out=tmp_path / "out", quiet=True)
    assert 0 < len(list((tmp_path / "out" / "scene" / "runs").glob("[!.]*.json"))) < 5
