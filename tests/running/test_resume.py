"""Runs that ended early are gone on with, and end as undisturbed ones do; what does not fit is refused by name."""

import json
import os
import signal
from pathlib import Path

import numpy as np
import pytest

import ipc_articulation
from ipc_articulation.errors import DumpError, OutputError, RecordingError, SolverError, TimeLimitError
from ipc_articulation.recording import read_recording
from ipc_articulation.running import resume
from ipc_articulation.simulation.robot_simulation import RobotSimulation
from tests.running.scenes import SCENES, assert_same_bits, write_scene

STEPS = 60


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory):
    """The recording of the whole run, by adapter."""
    folder = tmp_path_factory.mktemp("undisturbed")
    recordings = {}

    def recording(adapter: str = "mujoco"):
        if adapter not in recordings:
            recordings[adapter] = run(write_scene(folder, STEPS, adapter), folder / adapter).recording
        return recordings[adapter]

    return recording


def run(file: Path, out: Path, **options):
    options = {"engine": "cpu", "quiet": True, "pictures": False, **options}
    return ipc_articulation.run(file, out=out, **options)


def go_on(folder: Path, **options):
    return resume(folder, quiet=True, pictures=False, **options).recording


def stop_at(monkeypatch: pytest.MonkeyPatch, step: int, error: BaseException) -> None:
    """The step of an index raises, once."""
    take, left = RobotSimulation.step, [error]

    def fail(self: RobotSimulation, index: int) -> None:
        if index == step and left:
            raise left.pop()
        take(self, index)

    monkeypatch.setattr(RobotSimulation, "step", fail)


@pytest.mark.slow
@pytest.mark.parametrize(("adapter", "step"), [("mujoco", 0), ("mujoco", 37), ("native", 0), ("native", 59)])
def test_a_run_that_failed_ends_as_if_it_had_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, undisturbed, adapter: str, step: int
) -> None:
    file = write_scene(tmp_path, STEPS, adapter)
    stop_at(monkeypatch, step, SolverError("not finite"))
    with pytest.raises(SolverError):
        run(file, tmp_path)
    assert read_recording(tmp_path / "arm").steps == step
    recording = go_on(tmp_path / "arm")
    assert recording.minimum_distance.min() < 1e-3  # there is contact in it
    assert_same_bits(recording, undisturbed(adapter))


@pytest.mark.slow
def test_it_may_be_interrupted_again_and_again(tmp_path: Path, undisturbed) -> None:
    file = write_scene(tmp_path, STEPS)
    with pytest.raises(TimeLimitError, match=r"'arm' took longer than 1e-09 s: it ends after step 1 of 60, which is"):
        run(file, tmp_path, time_limit=1e-9)
    for done in range(2, 6):
        with pytest.raises(TimeLimitError, match=f"ends after step {done} of 60"):
            go_on(tmp_path / "arm", time_limit=1e-9)
    assert_same_bits(go_on(tmp_path / "arm"), undisturbed())


@pytest.mark.slow
@pytest.mark.parametrize("scene", ["hinge_slider", "four_bar_press"])
def test_scenes_of_every_kind(tmp_path: Path, scene: str) -> None:
    whole = run(SCENES / f"{scene}.yaml", tmp_path, name="whole", steps=12).recording
    with pytest.raises(TimeLimitError):
        run(SCENES / f"{scene}.yaml", tmp_path, name="parts", steps=12, time_limit=1e-9)
    assert_same_bits(go_on(tmp_path / "parts"), whole)


@pytest.mark.slow
def test_ctrl_c_keeps_the_step_and_its_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, undisturbed, capsys
) -> None:
    take = RobotSimulation.step

    def interrupt(self: RobotSimulation, index: int) -> None:
        if index == 4:
            os.kill(os.getpid(), signal.SIGINT)
        take(self, index)

    monkeypatch.setattr(RobotSimulation, "step", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run(write_scene(tmp_path, STEPS), tmp_path, quiet=False)
    assert read_recording(tmp_path / "arm").steps == 5
    hint = f"not finished      resume with: ipc-articulation resume {tmp_path / 'arm'}"
    assert hint in capsys.readouterr().out.splitlines()
    assert [file.name for file in (tmp_path / "arm" / "checkpoints").iterdir()] == ["frame_000005.dump"]
    monkeypatch.undo()
    assert_same_bits(go_on(tmp_path / "arm"), undisturbed())


@pytest.mark.slow
def test_further_steps(tmp_path: Path, undisturbed) -> None:
    run(write_scene(tmp_path, STEPS), tmp_path, steps=40)
    assert_same_bits(go_on(tmp_path / "arm", steps=20), undisturbed())
    with pytest.raises(OutputError, match=r"arm is finished: it has taken all 60 steps; --steps N takes N more"):
        go_on(tmp_path / "arm")


def test_a_folder_without_a_run(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"holds no run: run\.json is missing; give the folder OUT/NAME of a run"):
        resume(tmp_path)


@pytest.fixture
def stopped(tmp_path: Path) -> Path:
    """A run of two rows, with a checkpoint."""
    with pytest.raises(TimeLimitError):
        run(write_scene(tmp_path, STEPS), tmp_path, time_limit=1e-9)
    return tmp_path / "arm"


@pytest.mark.parametrize(
    ("old", "new", "keys"),
    [("dt: 0.01", "dt: 0.02", "'dt'"), ("mass: 2", "mass: 3", "'bodies'"), ("title: an", "title: one", "'title'")],
)
def test_a_scene_file_that_was_changed(stopped: Path, old: str, new: str, keys: str) -> None:
    file = stopped.parent / "arm.yaml"
    file.write_text(file.read_text().replace(old, new))
    with pytest.raises(
        OutputError, match=rf"scene file .*arm\.yaml was changed since the run began, at {keys}; restore it to resume"
    ):
        resume(stopped)


@pytest.mark.slow
def test_words_that_mean_the_same_are_no_change(stopped: Path, undisturbed) -> None:
    file = stopped.parent / "arm.yaml"
    file.write_text("# a comment\n" + file.read_text().replace("0.01", "1.0e-2"))
    assert_same_bits(go_on(stopped), undisturbed())


def test_a_robot_that_was_changed(stopped: Path) -> None:
    file = stopped.parent / "arm.xml"
    file.write_text(file.read_text().replace('damping="0.1"', 'damping="0.2"'))
    with pytest.raises(OutputError, match=r"arm\.xml was changed since the run began; restore it to resume"):
        resume(stopped)


def test_a_scene_file_that_is_gone(stopped: Path) -> None:
    (stopped.parent / "arm.yaml").unlink()
    with pytest.raises(OutputError, match=r"scene file .*arm\.yaml is missing; restore it to resume"):
        resume(stopped)


@pytest.mark.parametrize("part", ["checkpoints", "workspace/dumps"])
@pytest.mark.parametrize("damage", ["flip", "truncate", "version"])
def test_a_damaged_checkpoint_is_named(stopped: Path, part: str, damage: str) -> None:
    file = stopped / part / "frame_000001.dump"
    content = bytearray(file.read_bytes())
    if damage == "flip":
        content[len(content) // 2] ^= 4
    elif damage == "truncate":
        del content[len(content) // 2 :]
    else:
        content = content.replace(b"dump 8 sha256", b"dump 9 sha256", 1)
    file.write_bytes(content)
    what = "is of version 9; this engine reads 8" if damage == "version" else "is damaged or truncated"
    with pytest.raises(
        DumpError, match=rf"frame_000001\.dump {what}.*; remove .*frame_000001\.dump to resume from"
    ) as caught:
        resume(stopped)
    assert str(file) in str(caught.value)


@pytest.mark.slow
def test_without_its_newest_checkpoint_a_run_goes_on_from_the_one_before(stopped: Path, undisturbed) -> None:
    with pytest.raises(TimeLimitError):
        go_on(stopped, time_limit=1e-9)
    (stopped / "checkpoints" / "frame_000002.dump").unlink()
    with pytest.raises(TimeLimitError, match="ends after step 2"):
        go_on(stopped, time_limit=1e-9)
    assert_same_bits(go_on(stopped), undisturbed())


def test_a_damaged_recording_is_not_gone_on_with(stopped: Path) -> None:
    chunk = stopped / "recording.zarr" / "theta" / "c.0.0"
    chunk.write_bytes(chunk.read_bytes()[:-2])
    with pytest.raises(RecordingError, match=r"theta/c\.0\.0 is damaged"):
        resume(stopped)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, r"run\.json is of format version 2, this reads 1"),
        ({"format": "x"}, r"run\.json is not of a run: its 'format' is not 'ipc_articulation run'"),
        ({"steps": 61}, r"run\.json is damaged: its content does not have the checksum that it names"),
    ],
)
def test_a_damaged_run_file(stopped: Path, change: dict, message: str) -> None:
    file = stopped / "run.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(OutputError, match=message):
        resume(stopped)
    file.write_text(file.read_text()[:50])
    with pytest.raises(OutputError, match=r"run\.json cannot be read"):
        resume(stopped)


REMEMBERING = """
class Drift:
    def __init__(self):
        self.total = 0.0
    def __call__(self, state):
        self.total += 0.003 + 1e-5 * state.contact_force[0]
        return {"turn": self.total}
    def state(self):
        return {"total": self.total}
    def restore(self, state):
        self.total = float(state["total"])

drift = Drift()
"""


@pytest.mark.slow
def test_a_python_controller_that_remembers(tmp_path: Path) -> None:
    file = write_scene(tmp_path, 12)
    controller = "controller: {type: python, python: 'drift.py:drift'}"
    lines = [controller if line.startswith("controller") else line for line in file.read_text().splitlines()]
    file.write_text("\n".join(lines))
    (tmp_path / "drift.py").write_text(REMEMBERING)
    whole = run(file, tmp_path, name="whole").recording
    with pytest.raises(TimeLimitError):
        run(file, tmp_path, name="parts", time_limit=1e-9)
    assert_same_bits(go_on(tmp_path / "parts"), whole)
    assert np.abs(whole.theta[-1] - whole.theta[0]) > 0.01


def test_an_engine_that_keeps_nothing_begins_anew(tmp_path: Path) -> None:
    with pytest.raises(TimeLimitError):
        run(SCENES / "hinge_slider.yaml", tmp_path, engine="none", time_limit=1e-9, name="still")
    assert go_on(tmp_path / "still").steps == 100
