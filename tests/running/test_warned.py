"""What a run tells of steps that did not converge."""

from pathlib import Path

import pytest

import ipc_articulation
from ipc_articulation.recording import read_recording
from ipc_articulation.running.steps import Steps
from ipc_articulation.running.summary import summary, summary_object
from ipc_articulation.running.warned import WARNED

SCENE = """
adapter: none
dt: 0.01
steps: 14
ground: {}
bodies:
  - {name: box, shape: {type: box, size: [0.1, 0.1, 0.1]}, pose: {position: [0, 0, 0.075], rpy: [0.3, 0.2, 0]}}
checkpoint: {every: 2}
config: {newton: {max_iter: 2, semi_implicit: {enable: false}}}
"""


def write(folder: Path, text: str = SCENE) -> Path:
    (folder / "box.yaml").write_text(text)
    return folder / "box.yaml"


def test_steps_with_warnings_are_counted_and_the_first_and_the_worst_are_told(tmp_path: Path) -> None:
    result = ipc_articulation.run(write(tmp_path), "cpu", out=tmp_path, quiet=True, pictures=False)
    steps = read_recording(tmp_path / "box").extra[WARNED]["steps"]
    assert 1 < len(steps) < 14
    rows = [text for label, text in summary(result) if label == "warnings"]
    assert rows[0] == f"in {len(steps)} of 14 steps"
    assert rows[1].startswith(f"step {steps[0]}: Newton stopped after")
    assert rows[2].startswith("worst, step ")
    assert "the last iteration still" in rows[2]
    assert len(rows) == 3
    assert summary_object(result)[WARNED]["steps"] == steps


def test_without_warnings_the_summary_is_silent(tmp_path: Path) -> None:
    result = ipc_articulation.run(
        write(tmp_path, SCENE.split("config")[0]), "cpu", out=tmp_path, quiet=True, pictures=False
    )
    assert "warnings" not in dict(summary(result))
    assert summary_object(result)[WARNED] == {"steps": [], "texts": [], "worst": []}


@pytest.mark.parametrize("quiet", [False, True])
def test_the_log_has_the_first_warning_only_where_no_summary_tells_it(
    tmp_path: Path, quiet: bool, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    ipc_articulation.run(write(tmp_path), "cpu", out=tmp_path, quiet=quiet, pictures=False)
    assert caplog.text.count("Newton stopped after") == quiet
    assert capsys.readouterr().out.count("Newton stopped after") == 2 * (not quiet)


@pytest.mark.slow
def test_a_resumed_run_counts_each_step_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ipc_articulation.run(write(tmp_path), "cpu", out=tmp_path / "whole", quiet=True, pictures=False)
    expected = whole.recording.extra[WARNED]
    keep = Steps._keep

    def stop(self: Steps, done: int) -> None:
        if done == 10:
            self.writer.flush()  # rows of two steps that no checkpoint has
            raise KeyboardInterrupt
        keep(self, done)

    with monkeypatch.context() as patched:
        patched.setattr(Steps, "_keep", stop)
        with pytest.raises(KeyboardInterrupt):
            ipc_articulation.run(tmp_path / "box.yaml", "cpu", out=tmp_path, quiet=True, pictures=False)
    again = ipc_articulation.resume(tmp_path / "box", quiet=True, pictures=False).recording.extra[WARNED]
    assert expected["steps"]
    assert again == expected
