"""The tutorial, command by command, as a reader would type it."""

import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ipc_articulation import read_recording
from tests.docs.pages import DOCS, code_blocks

TUTORIAL = DOCS / "tutorial.md"


def commands() -> list[list[str]]:
    lines = "".join(code_blocks(TUTORIAL, "sh")).splitlines()
    return [shlex.split(line)[1:] for line in lines]


def call(arguments: list[str], folder: Path) -> str:
    """Standard output of a command that must succeed."""
    command = [sys.executable, "-m", "ipc_articulation", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return done.stdout


@pytest.mark.slow
def test_every_command_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In order; but for the replay in the browser, which ends with Ctrl-C and is tested with the browser."""
    told = {}
    for arguments in commands():
        if arguments[0] == "replay" and "--html" not in arguments:
            continue
        told[" ".join(arguments)] = call(arguments, tmp_path)
    summary, *_ = [block for block in code_blocks(TUTORIAL, "text") if block.startswith("scene ")]
    assert [line for line in summary.splitlines() if line not in told["run scene.yaml"]] == []
    for made in ("hit.png", "scene.html", "out/scene/report.html", "out/sweeps/scene/results.parquet", "out/heavy"):
        assert (tmp_path / made).exists(), made
    monkeypatch.chdir(tmp_path)
    blocks = code_blocks(TUTORIAL, "python")
    assert len(blocks) == 2
    for block in blocks:
        exec(block, {})


@pytest.mark.slow
def test_the_mistake_is_told_as_shown(tmp_path: Path) -> None:
    call(["new"], tmp_path)
    scene = tmp_path / "scene.yaml"
    scene.write_text(scene.read_text().replace("friction: 0.5}", "fricton: 0.5}", 1))
    command = [sys.executable, "-m", "ipc_articulation", "check", "scene.yaml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    (shown,) = [block for block in code_blocks(TUTORIAL, "text") if "fricton" in block]
    assert done.returncode == 2
    assert shown.strip() in done.stdout + done.stderr


@pytest.mark.slow
def test_the_own_robot_pushes_the_crate(tmp_path: Path) -> None:
    (new,) = [arguments for arguments in commands() if "--robot" in arguments]
    call(new, tmp_path)
    (addition,) = code_blocks(TUTORIAL, "yaml")
    scene = tmp_path / "ur5.yaml"
    scene.write_text(scene.read_text().replace("controller: {type: hold}", "#", 1) + addition)
    call(["run", "ur5.yaml", "--no-pictures"], tmp_path)
    recording = read_recording(tmp_path / "out" / "ur5")
    assert recording.moved("crate") > 0.02
    assert np.nanmin(recording.minimum_distance) > 0.0
