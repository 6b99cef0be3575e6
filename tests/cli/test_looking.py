"""render, replay, report and export: options, what they print, exit status."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ipc_articulation import cli
from tests.interrupts import heed_ctrl_c
from tests.viewing.made import recording, save


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a run has left."""
    return save(recording(), tmp_path_factory.mktemp("out") / "run")


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> dict:
    """What `render` hands to `draw`."""
    call: dict = {}
    monkeypatch.setattr(
        "ipc_articulation.viewing.drawing.draw", lambda shots, file, show: call.update(shots=shots, file=file)
    )
    return call


@pytest.mark.parametrize(
    ("options", "file", "x", "size", "arrows"),
    [
        ([], "picture.png", [0.8], (1600, 1000), 0),
        (["--at", "0.5", "--size", "320x200"], "at_0.5s.png", [0.4], (320, 200), 0),
        (["--film", "--fps", "5", "--forces"], "film.mp4", [0.0, 0.16, 0.32, 0.48, 0.64, 0.8], (1280, 800), 2),
        (["--film", "--every", "5"], "film.mp4", [0.0, 0.4, 0.8], (1280, 800), 0),
    ],
)
def test_what_is_drawn(folder: Path, drawn: dict, capsys, options, file, x, size, arrows) -> None:
    assert cli.main(["render", str(folder), *options]) == 0
    assert capsys.readouterr().out == f"{folder / file}\n"
    shots = drawn["shots"]
    assert drawn["file"] == folder / file
    assert [shot.poses[1, 0, 3] for shot in shots.shots] == pytest.approx(x)
    assert (shots.size, len(shots.shots[-1].arrows)) == (size, arrows)


def test_forces_that_are_not_recorded_are_told(tmp_path: Path, drawn: dict, capsys) -> None:
    folder = save(recording(forces=False), tmp_path / "run")
    assert cli.main(["render", str(folder), "--forces", "--out", str(tmp_path / "a.png")]) == 0
    assert "recording 'run' holds no contact forces (its engine does not report them)" in capsys.readouterr().out


def test_a_moment_outside_is_refused(folder: Path, capsys) -> None:
    assert cli.main(["render", str(folder), "--at", "7"]) == 2
    assert capsys.readouterr().err == "ipc-articulation: time 7 s is not in recording 'run': 0 s to 1 s\n"


def test_strain_of_no_soft_body_is_refused(folder: Path, drawn: dict, capsys) -> None:
    assert cli.main(["render", str(folder), "--colours", "strain"]) == 2
    message = "recording 'run' has no soft bodies, whose strain colours could show; choose role or link"
    assert capsys.readouterr().err == f"ipc-articulation: {message}\n"
    assert not drawn


@pytest.mark.parametrize("command", [["render"], ["replay"], ["report"], ["export", "--format", "obj"]])
def test_a_folder_without_a_recording_is_named(tmp_path: Path, capsys, command: list[str]) -> None:
    assert cli.main([*command, str(tmp_path)]) == 2
    assert f"no recording: {tmp_path}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["render", "a", "--size", "800"], "'800' is not a size such as 1280x800, with sides of 16 to 8192 pixels"),
        (["render", "a", "--size", "8x9"], "'8x9' is not a size such as 1280x800, with sides of 16 to 8192 pixels"),
        (["render", "a", "--fps", "0"], "'0' is no number above zero, such as 0.5 or 30"),
        (["render", "a", "--film", "--at", "1"], "not allowed with argument"),
        (["replay", "a", "--every", "no"], "'no' is no whole number from 1"),
        (["export", "a"], "the following arguments are required: --format"),
        (["export", "a", "--format", "stl"], "invalid choice: 'stl'"),
    ],
)
def test_wrong_use(capsys, arguments: list[str], message: str) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


def test_report_as_json(folder: Path, capsys) -> None:
    assert cli.main(["report", str(folder), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["name"], told["steps"], told["minimum_distance"]) == ("run", 10, 0.002)
    assert not (folder / "report.html").exists()


def test_export_to_the_runs_own_folder(folder: Path, capsys) -> None:
    assert cli.main(["export", str(folder), "--format", "gltf", "--every", "2"]) == 0
    assert capsys.readouterr().out.startswith(f"{folder / 'run.glb'}: 1 s; rigid poses put vertices up to ")
    assert (folder / "run.glb").is_file()


@pytest.mark.slow
def test_replay_as_a_file_and_served_until_ctrl_c(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("viser")
    command = [sys.executable, "-m", "ipc_articulation", "replay", str(folder)]
    done = subprocess.run([*command, "--html", str(tmp_path / "a.html")], capture_output=True, text=True, check=True)
    assert done.stdout == f"{tmp_path / 'a.html'}\n"
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([*command, "--port", "8400"], **pipes, preexec_fn=heed_ctrl_c) as served:
        try:
            assert served.stdout.readline().startswith("http://127.0.0.1:84")
            served.send_signal(signal.SIGINT)
            _, errors = served.communicate(timeout=20)
        finally:
            served.kill()
    assert (served.returncode, errors) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["render", "--out"], "a.png"),
        (["render", "--film", "--out"], "a.mp4"),
        (["replay", "--quiet", "--html"], "a.html"),
        (["report", "--out"], "a.html"),
        (["export", "--format", "gltf", "--out"], "a.glb"),
        (["export", "--format", "usd", "--out"], "a.usdc"),
    ],
)
@pytest.mark.parametrize("reason", ["File exists", "Is a directory"])
def test_a_file_that_cannot_be_written_is_named(folder, tmp_path, capsys, command, name, reason) -> None:
    for key, package in {"replay": "viser", "render": "pyvista", "a.mp4": "imageio_ffmpeg", "a.usdc": "pxr"}.items():
        if key in (command[0], name):
            pytest.importorskip(package)
    out = tmp_path / "a" / name
    if reason == "Is a directory":
        out.mkdir(parents=True)
    else:
        out.parent.touch()
    assert cli.main([command[0], str(folder), *command[1:], str(out)]) == 2
    assert capsys.readouterr().err.endswith(f"ipc-articulation: cannot write '{out}': {reason}\n")


def test_a_folder_of_a_sequence_that_cannot_be_made_is_named(folder, tmp_path, capsys) -> None:
    (tmp_path / "a").touch()
    command = ["export", str(folder), "--format", "obj", "--out", str(tmp_path / "a" / "b")]
    assert cli.main(command) == 2
    assert capsys.readouterr().err.endswith(f"cannot write '{tmp_path / 'a' / 'b'}': File exists\n")
