"""`ipc-articulation sweep`: what it hands on, what it prints, its exit status."""

import json
from pathlib import Path
from typing import Any

import pytest

from ipc_articulation import cli
from ipc_articulation.errors import SweepError
from ipc_articulation.sweeps.progress import progress
from ipc_articulation.sweeps.record import Record
from ipc_articulation.sweeps.table import make_table

DONE = Record("a1", {"dt": 0.1}, "done", wall_time=1.0)
FAILED = [Record(f"f{k}", {"dt": k}, "failed", "SolverError", f"not finite {k}\nat all") for k in range(7)]
DEAD = Record("d1", {"dt": 0.3}, "worker died", "WorkerDied", "it ended by signal SIGKILL")


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the command hands to `sweep`, which gives the `records` in it, or raises its `error`."""
    call: dict[str, Any] = {"records": [DONE]}

    def sweep(file: Path, settings: dict, **options: Any) -> Any:
        call.update(file=file, settings=settings, options=options)
        if "error" in call:
            raise call["error"]
        return make_table(call["records"])

    monkeypatch.setattr("ipc_articulation.sweeps.sweep", sweep)
    return call


def test_options_reach_the_sweep(call: dict[str, Any]) -> None:
    sets = ["--set", "contact.friction=0.1,0.5", "--set", "seed=range(2)"]
    others = ["--workers", "3", "--out", "there", "--engine", "cpu", "--steps", "7", "--time-limit", "1.5"]
    flags = ["--keep", "summaries", "--retry-failed", "--force", "--quiet"]
    assert cli.main(["sweep", "a.yaml", *sets, *others, *flags]) == 0
    assert call["file"] == Path("a.yaml")
    assert call["settings"] == {"contact.friction": [0.1, 0.5], "seed": [0, 1]}
    assert call["options"] == {
        "workers": 3,
        "ray": None,
        "out": Path("there"),
        "engine": "cpu",
        "steps": 7,
        "time_limit": 1.5,
        "keep": "summaries",
        "retry_failed": True,
        "force": True,
        "quiet": True,
    }


def test_an_address_reaches_the_sweep(call: dict[str, Any]) -> None:
    cli.main(["sweep", "a.yaml", "--set", "seed=1", "--ray", "auto"])
    assert call["options"]["ray"] == "auto"
    assert call["options"]["workers"] is None
    assert call["options"]["out"] == Path("out/sweeps")


def test_the_summary_names_what_went_wrong(call: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    call["records"] = [DONE, DEAD, *FAILED]
    assert cli.main(["sweep", "a.yaml", "--set", "seed=1"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "runs              9: 7 failed, 1 done, 1 worker died"
    assert lines[1] == "worker died       d1: it ended by signal SIGKILL"
    assert lines[2] == "failed            f0: not finite 0"
    assert lines[6] == "                  and 3 more, in the table"
    assert lines[7] == f"table             {Path('out/sweeps/a/results.parquet')}"


def test_the_summary_as_json(call: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    call["records"] = [DONE, DEAD]
    assert cli.main(["sweep", "a.yaml", "--set", "seed=1", "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == {
        "runs": 2,
        "statuses": {"done": 1, "worker died": 1},
        "failed": [{"id": "d1", "status": "worker died", "error": "it ended by signal SIGKILL"}],
        "table": str(Path("out/sweeps/a/results.parquet")),
    }


def test_all_done_is_status_0_and_quiet_is_silent(call: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["sweep", "a.yaml", "--set", "seed=1", "--quiet"]) == 0
    assert capsys.readouterr().out == ""


def test_a_sweep_that_cannot_be_is_wrong_use(call: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    call["error"] = SweepError("no Ray cluster at 'x:1'")
    assert cli.main(["sweep", "a.yaml", "--set", "seed=1"]) == 2
    assert capsys.readouterr().err == "ipc-articulation: no Ray cluster at 'x:1'\n"


def test_ctrl_c_says_how_to_go_on(call: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    call["error"] = KeyboardInterrupt()
    assert cli.main(["sweep", "a.yaml", "--set", "seed=1"]) == 130
    assert "finished runs are kept; the same command runs the rest\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: --set"),
        (["--set", "seed=1", "--workers", "2", "--ray", "auto"], "--ray: not allowed with argument --workers"),
        (["--set", "seed=1", "--workers", "0"], "'0' is no whole number from 1"),
        (["--set", "seed=1", "--time-limit", "-1"], "'-1' is no number of seconds above 0"),
        (["--set", "seed=1", "--time-limit", "inf"], "'inf' is no number of seconds above 0"),
    ],
)
def test_wrong_use_ends_with_2(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["sweep", "a.yaml", *arguments])
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


def test_the_bar_counts_what_failed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with progress("arm", 3, 1, quiet=False) as show:
        show(DONE)
    assert capsys.readouterr().err == ""  # no terminal
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with progress("arm", 3, 1, quiet=False) as show:
        show(DONE)
        show(DEAD)
    shown = capsys.readouterr().err
    assert "3/3" in shown
    assert "1 failed" in shown
