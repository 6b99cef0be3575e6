"""The worked example of pick and place: page, script and notebook, run as users run them."""

import json
import runpy
from pathlib import Path

import matplotlib
import numpy as np
import pytest

from ipc_articulation import read_recording
from ipc_articulation.cli import main
from tests.docs.pages import code_blocks
from tools import make_examples


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict, Path]:
    """What the script leaves, and its recording's folder."""
    folder = tmp_path_factory.mktemp("pick")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        matplotlib.use("agg")
        names = runpy.run_path(str(make_examples.SCRIPT))
    return names, folder / "out" / "pick_and_place"


def test_script_and_notebook_are_those_of_the_page() -> None:
    assert make_examples.SCRIPT.read_text(encoding="utf-8") == make_examples.script()
    assert make_examples.NOTEBOOK.read_text(encoding="utf-8") == make_examples.notebook()


def test_the_notebook_has_the_code_of_the_page() -> None:
    cells = json.loads(make_examples.notebook())["cells"]
    code = ["".join(cell["source"]) + "\n" for cell in cells if cell["cell_type"] == "code"]
    assert code[:-1] == code_blocks(make_examples.PAGE, "python")
    assert all(line.startswith("!ipc-articulation ") for line in code[-1].splitlines())


def test_the_cube_is_put_down_at_its_goal(run: tuple[dict, Path]) -> None:
    names, _ = run
    cube = names["data"].body("cube").xpos
    assert np.linalg.norm(cube[:2] - names["GOAL"]) < 0.005
    assert cube[2] == pytest.approx(0.025, abs=2e-3)
    assert min(names["closest"]) > 0.0


def test_the_wrist_feels_the_weight_of_the_cube(run: tuple[dict, Path]) -> None:
    names, _ = run
    alone, carrying = (np.mean(np.array(names["force"])[start : start + 30, 2]) for start in (90, 230))
    assert alone - carrying == pytest.approx(0.2 * 9.81, rel=0.05)


def test_recording_plot_and_film(run: tuple[dict, Path], capsys: pytest.CaptureFixture[str]) -> None:
    _, folder = run
    assert (folder / "wrist.png").stat().st_size > 10_000
    assert read_recording(folder).theta.shape == (541, 9)
    commands = [line.split() for block in code_blocks(make_examples.PAGE, "sh") for line in block.splitlines()]
    assert [command[1] for command in commands] == ["render", "replay", "report", "export"]
    film = [*commands[0][1:], "--every", "100", "--size", "320x200", "--out", str(folder / "film.mp4")]
    film[1] = str(folder)
    assert main(film) == 0, capsys.readouterr().err
    assert (folder / "film.mp4").stat().st_size > 1000
