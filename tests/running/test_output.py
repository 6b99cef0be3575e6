"""The folder of a run: never overwritten by accident, and a full disk keeps what is in it."""

import errno
import os
import resource
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

import ipc_articulation
from ipc_articulation.engine.persistence import dump_file
from ipc_articulation.errors import OutputError, RecordingError, SceneFileError, TimeLimitError
from ipc_articulation.recording import read_recording, writer
from ipc_articulation.recording.claim import first_claimed
from ipc_articulation.running import checkpoints, resume
from ipc_articulation.running.output import claimed_for_run
from tests.running.scenes import SCENES, assert_same_bits, write_scene


def run(out: Path, file: Path = SCENES / "hinge_slider.yaml", **options):
    options = {"engine": "cpu", "quiet": True, "pictures": False, "steps": 3, **options}
    return ipc_articulation.run(file, out=out, **options)


def test_further_runs_are_numbered(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    runs = [run(tmp_path) for _ in range(2)]
    assert [result.recording.name for result in runs] == ["hinge_slider", "hinge_slider_2"]
    with FileLock(tmp_path / "hinge_slider_2" / ".lock"):  # a run goes on in it
        run(tmp_path, quiet=False)
    assert f"{tmp_path / 'hinge_slider_3'}/recording.zarr" in "".join(capsys.readouterr().out.split())
    run(tmp_path, steps=2, force=True)
    assert [read_recording(tmp_path / f"hinge_slider{number}").steps for number in ("", "_2", "_3")] == [2, 3, 3]


def test_runs_at_once_take_different_folders(tmp_path: Path) -> None:
    """Also where one comes into a folder just after another has looked into it."""
    held = [claimed_for_run(tmp_path, "scene", False, True) for _ in range(2)]
    with held[0] as first, held[1] as second:
        assert (first, second) == (tmp_path / "scene", tmp_path / "scene_2")
    free = iter([True, False, True, True])  # looked at, taken by another, released by it before this one claims it
    with first_claimed(iter([first, second]), lambda _: next(free)) as folder:
        assert folder == second
    with FileLock(first / ".lock"):
        pass  # not left locked


def test_a_second_run_of_a_name_is_refused(tmp_path: Path) -> None:
    run(tmp_path, name="hinge_slider")
    before = read_recording(tmp_path / "hinge_slider").step_time.copy()
    with pytest.raises(
        OutputError,
        match=r"hinge_slider holds a run already \(run\.json, .*\); replace it with --force, write elsewhere with "
        r"--out or --name, or resume it: ipc-articulation resume .*hinge_slider",
    ):
        run(tmp_path, name="hinge_slider")
    assert read_recording(tmp_path / "hinge_slider").step_time.tobytes() == before.tobytes()


def test_force_replaces_the_run_and_nothing_else(tmp_path: Path) -> None:
    run(tmp_path)
    (tmp_path / "hinge_slider" / "notes.txt").write_text("mine")
    assert run(tmp_path, force=True, steps=2).recording.steps == 2
    assert (tmp_path / "hinge_slider" / "notes.txt").read_text() == "mine"


def test_another_name_is_another_folder(tmp_path: Path) -> None:
    assert run(tmp_path, name="first").recording.name == "first"
    run(tmp_path, name="second")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first", "second"]


@pytest.mark.parametrize("name", ["../other", "/tmp/elsewhere", ".", "..", "a/../../b", "", "two\nlines", "end\n"])
def test_a_name_that_is_no_folder_below_the_results_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(OutputError, match=r"the name '.*' is no folder below .*out; give a plain name"):
        run(tmp_path / "out", name=name)
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_no_folder_can_have_is_refused(tmp_path: Path) -> None:
    for name in ("a\0b", "n" * 300):
        with pytest.raises(OutputError, match=r"cannot be made or written to: .*; choose --out or --name"):
            run(tmp_path, name=name)


def test_settings_are_put_over_the_file_and_kept(tmp_path: Path) -> None:
    recording = run(tmp_path, settings={"dt": 0.02, "gravity": [0, 0, -1]}).recording
    assert recording.dt == 0.02
    assert recording.extra["settings"] == {"dt": 0.02, "gravity": [0, 0, -1]}


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=r"folder .*file/hinge_slider cannot be made or written to: Not a directory"):
        run(tmp_path / "file")


def test_a_scene_that_could_not_be_built_is_in_nobodys_way(tmp_path: Path) -> None:
    """What is wrong is put right, and the same command runs; and an older run is not lost for it."""
    (tmp_path / "arm.yaml").write_text(write_scene(tmp_path).read_text().replace("joints: turn,", "joints: trun,"))
    with pytest.raises(SceneFileError, match="did you mean 'turn'"):
        run(tmp_path, tmp_path / "arm.yaml")
    file = write_scene(tmp_path)
    assert run(tmp_path, file).recording.steps == 3
    file.write_text(file.read_text().replace("joints: turn,", "joints: trun,"))
    with pytest.raises(SceneFileError):
        run(tmp_path, file, force=True)
    assert read_recording(tmp_path / "arm").steps == 3


def test_two_processes_do_not_run_in_one_folder(tmp_path: Path) -> None:
    run(tmp_path)
    with FileLock(tmp_path / "hinge_slider" / ".lock"):
        for begin in (lambda: run(tmp_path, force=True), lambda: resume(tmp_path / "hinge_slider", steps=1)):
            with pytest.raises(OutputError, match=r"another process runs in .*hinge_slider; wait for it, or choose"):
                begin()
    assert resume(tmp_path / "hinge_slider", steps=1, quiet=True, pictures=False).recording.steps == 4


def test_a_short_run_has_few_files(tmp_path: Path) -> None:
    """A sweep may have ten thousand of them."""
    run(tmp_path)
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) < 50


@pytest.mark.slow
def test_a_full_disk_at_a_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_dump, left = dump_file.write_dump, [None] * 3

    def fill(*arguments):
        if not left:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        left.pop()
        return write_dump(*arguments)

    monkeypatch.setattr(checkpoints, "write_dump", fill)
    file = write_scene(tmp_path)
    message = r"checkpoint of step 40 cannot be written: No space left on device; earlier ones are kept"
    with pytest.raises(OutputError, match=message):
        run(tmp_path, file, steps=60)
    monkeypatch.undo()
    assert read_recording(tmp_path / "arm").steps == 40
    whole = run(tmp_path, file, steps=60, name="whole").recording
    assert_same_bits(resume(tmp_path / "arm", quiet=True, pictures=False).recording, whole)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of a megabyte."""
    place = tmp_path / "disk"
    place.mkdir()
    if shutil.which("mount") is None or os.geteuid() != 0:
        pytest.skip("only the superuser can mount a small file system")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", place], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no file system can be mounted here")
    yield place
    subprocess.run(["umount", place], check=True)


@pytest.mark.slow
def test_a_disk_that_is_really_full(small_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "FLUSH_INTERVAL", 0.0)  # rows go to disk after every step
    file = write_scene(tmp_path)
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(700_000))
    with pytest.raises((RecordingError, OutputError), match=r"No space left on device.* kept"):
        run(small_disk, file, steps=2000)
    kept = read_recording(small_disk / "arm")
    assert 5 < kept.steps < 2000
    assert kept.minimum_distance.min() > 0.0
    ballast.unlink()
    with pytest.raises(TimeLimitError):
        resume(small_disk / "arm", quiet=True, pictures=False, time_limit=1e-9)
    assert read_recording(small_disk / "arm").steps > kept.steps - 3


@pytest.mark.slow
@pytest.mark.parametrize("limit", [1000, 2000, 5000, 12_400])  # run.json, the recording, a checkpoint, a chunk
def test_files_that_may_not_grow_are_named_and_nothing_written_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    monkeypatch.setattr(writer, "FLUSH_INTERVAL", 0.0)
    file = write_scene(tmp_path)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
        with pytest.raises(
            (OutputError, RecordingError), match=r"arm.* cannot be written: File too large|checkpoint of"
        ):
            run(tmp_path, file, steps=60)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    if limit >= 5000:
        kept = read_recording(tmp_path / "arm")
        assert kept.minimum_distance[1:].min() > 0.0
        assert kept.steps == 1 if limit == 5000 else kept.steps >= 50  # as far as a chunk is compressed
    if limit >= 2000:
        assert resume(tmp_path / "arm", quiet=True, pictures=False).recording.steps == 60
