"""The tutorial, command by command, as a reader would type it."""

import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ipc_articulation import read_recording
from tests.docs.pages import DOCS, code_blocks, fenced_blocks
from tests.interrupts import heed_ctrl_c

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
def test_the_page_works_from_top_to_bottom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """But for the replay in the browser, which ends with Ctrl-C and is tested with the browser."""
    monkeypatch.chdir(tmp_path)
    told = {}
    for language, text in fenced_blocks(TUTORIAL):
        if language == "xml":
            (tmp_path / "arm.xml").write_text(text)
        elif language == "yaml" and "include:" in text:
            (tmp_path / "soft.yaml").write_text(text)
        elif language == "python" and "View(" in text:
            (tmp_path / "push.py").write_text(text)
            assert len(text.splitlines()) <= 25
        elif language == "python":
            exec(text, {})
        elif language == "sh":
            told.update({line: run(line, tmp_path) for line in text.splitlines()})
    summary, *numbers = [block for block in code_blocks(TUTORIAL, "text") if "fricton" not in block]
    assert missing(summary, told["ipc-articulation run scene.yaml"]) == []
    assert missing("".join(numbers), capsys.readouterr().out) == []
    assert told["ipc-articulation check soft.yaml"] == "soft.yaml: no errors, no warnings\n"
    for made in (
        "hit.png",
        "scene.html",
        "out/scene/report.html",
        "out/sweeps/scene/results.parquet",
        "out/heavy",
        "soft.png",
        "out/soft/soft.glb",
    ):
        assert (tmp_path / made).exists(), made
    pushed = read_recording(tmp_path / "out" / "push")
    assert pushed.steps == 200
    assert pushed.moved("crate") > 0.1
    assert (tmp_path / "push.png").stat().st_size > 10_000


def missing(text: str, printed: str) -> list[str]:
    """The lines of a text that were not printed: the same words, and numbers that agree to a half, or to a millimetre.

    The arm hits the crate, and a hit leaves no number as it is on another machine.
    """
    lines = [line.split() for line in printed.splitlines()]
    return [line for line in text.splitlines() if not any(is_alike(line.split(), other) for other in lines)]


def is_alike(words: list[str], others: list[str]) -> bool:
    return len(words) == len(others) and all(map(are_alike, words, others))


def are_alike(word: str, other: str) -> bool:
    try:
        return float(word.strip("[]")) == pytest.approx(float(other.strip("[]")), rel=0.5, abs=1e-3)
    except ValueError:
        return word == other


def run(line: str, folder: Path) -> str:
    """What a line of the page prints."""
    program, *arguments = shlex.split(line)
    if program == "python":
        return watch(arguments, folder)
    is_replay = arguments[0] == "replay" and "--html" not in arguments
    return "" if is_replay else call(arguments, folder)


def watch(arguments: list[str], folder: Path) -> str:
    """What a script with a live view prints; Ctrl-C ends its page."""
    pytest.importorskip("viser")
    command = [sys.executable, "-u", *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=folder, preexec_fn=heed_ctrl_c, **pipes) as script:
        assert script.stdout is not None
        told = []
        for said in script.stdout:
            told.append(said)
            if "stays open until" in said:
                script.send_signal(signal.SIGINT)
        assert script.wait(timeout=60) == 0, script.stderr.read()
    (address,) = re.findall(r"^live view: (http://127.0.0.1:\d+)$", "".join(told), re.MULTILINE)
    assert address
    return "".join(told)


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
    (addition,) = [block for block in code_blocks(TUTORIAL, "yaml") if "include:" not in block]
    scene = tmp_path / "ur5.yaml"
    scene.write_text(scene.read_text().replace("controller: {type: hold}", "#", 1) + addition)
    call(["run", "ur5.yaml", "--no-pictures"], tmp_path)
    recording = read_recording(tmp_path / "out" / "ur5")
    assert recording.moved("crate") > 0.02
    assert np.nanmin(recording.minimum_distance) > 0.0
