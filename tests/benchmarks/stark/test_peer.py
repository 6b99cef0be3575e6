"""What `benchmarks.stark` says where STARK is not there, and what its rows are."""

import importlib.util
import json
from pathlib import Path

import pytest

from benchmarks import harness
from benchmarks.stark import build, running
from benchmarks.stark.__main__ import measure, measure_case, small
from benchmarks.stark.cases import STEPS, cases
from benchmarks.stark.running import Run, run_stark
from benchmarks.stark.soft_cases import soft_cases

MODULE = "benchmarks.stark.__main__"
TOOL = Path(__file__).parents[3] / "tools" / "fetch_stark.py"
FREE_BOX = next(case for case in cases(quick=True) if case.name == "free box")


def program(folder, text):
    """A script in place of the compiled program."""
    path = folder / "peer"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_a_peer_that_is_not_built_is_said_to_be(tmp_path, monkeypatch):
    monkeypatch.setattr(build, "PROGRAM", tmp_path / "peer")
    assert build.why_not() == (
        "STARK is not built: run `python tools/fetch_stark.py`, then `python -m benchmarks.stark.build`"
    )
    row = measure_case(FREE_BOX, (1,), has_peer=False).as_json()
    assert row["peer"] is row["peer_mean"] is row["ratio"] is None
    assert row["ours_iterations"] > 0


def test_building_without_the_source_says_how_to_fetch_it(tmp_path, monkeypatch):
    monkeypatch.setattr(build, "SOURCE", tmp_path / "stark")
    monkeypatch.setattr("sys.argv", ["build"])
    with pytest.raises(SystemExit, match=r"there is no .*stark; `python tools/fetch_stark.py` fetches it"):
        build.main()


def test_the_first_steps_of_the_peer_are_left_out(tmp_path, monkeypatch):
    times = [9.0] * 5 + [1.0] * 95
    figures = {
        "milliseconds": times,
        "processor_milliseconds": times,
        "iterations": times,
        "positions": [0, 0, 1, 0, 0, 2],
    }
    found = json.dumps({**figures, "seconds": {"assembly": 0.1}})
    monkeypatch.setattr(running, "PROGRAM", program(tmp_path, f"echo noise; echo '{found}'"))
    run = run_stark(FREE_BOX, 2)
    assert (run.mean, set(run.iterations), run.height, run.extent, run.threads) == (1.0, {1.0}, 1.5, 1.0, 2)
    assert run.stages == {"assembly": pytest.approx(100.0 / STEPS)}


def test_a_peer_that_fails_says_why(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "PROGRAM", program(tmp_path, "echo 'no convergence in step 7' >&2; exit 1"))
    with pytest.raises(RuntimeError, match="STARK failed on free box: no convergence in step 7"):
        run_stark(FREE_BOX, 1)


def test_the_better_number_of_threads_counts(monkeypatch):
    ours, peer = {1: 4.0, 2: 6.0}, {1: 3.0, 2: 2.0}
    monkeypatch.setattr(f"{MODULE}.run_ours", lambda _, n: Run(n, [ours[n]] * 3 + [8.0], [1.0], [2.0] * 4))
    monkeypatch.setattr(f"{MODULE}.run_stark", lambda _, n: Run(n, [peer[n]] * 4, [1.0], [3.0] * 4))
    row = measure_case(FREE_BOX, (1, 2), has_peer=True).as_json()
    assert row["peer_name"] == "STARK, 2 threads"
    assert (row["ours"], row["ours_mean"], row["peer_mean"]) == (4.0, 5.0, 2.0)
    assert row["ratio"] == 2.5  # of the means
    assert (row["ours_iterations"], row["peer_iterations"]) == (2.0, 3.0)


@pytest.mark.parametrize("failing", [{2}, {1, 2}])
def test_a_number_of_threads_with_which_the_peer_fails_is_left_out(monkeypatch, capsys, failing):
    def run_peer(case, n):
        if n in failing:
            raise RuntimeError("STARK failed on it")
        return Run(n, [5.0] * 4, [1.0], [3.0] * 4)

    monkeypatch.setattr(f"{MODULE}.run_ours", lambda _, n: Run(n, [2.0] * 4, [1.0], [2.0] * 4))
    monkeypatch.setattr(f"{MODULE}.run_stark", run_peer)
    row = measure_case(FREE_BOX, (1, 2), has_peer=True).as_json()
    assert row.get("peer_name") == (None if 1 in failing else "STARK, 1 thread")
    assert "STARK failed on it (threads: 2); left out" in capsys.readouterr().out


def test_a_repository_without_the_commit_is_refused(tmp_path):
    spec = importlib.util.spec_from_file_location("fetch_stark", TOOL)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    with pytest.raises(SystemExit, match=f"commit {tool.COMMIT} could not be fetched from .*; use --clone"):
        tool.fetch(str(tmp_path / "nowhere"), tmp_path / "stark")
    assert not (tmp_path / "stark").exists()


def test_rows_are_chosen_by_their_names(monkeypatch, capsys):
    monkeypatch.setattr(f"{MODULE}.why_not", lambda: "STARK is not built")
    monkeypatch.setattr(f"{MODULE}.run_ours", lambda _, n: Run(n, [1.0], [1.0], [1.0]))
    assert [row.work for row in measure(quick=True, only="rods")] == ["rods/3"]
    assert "STARK is not built; rows have no peer" in capsys.readouterr().out


def test_the_command_line_passes_the_choice_on(monkeypatch):
    chosen = []
    monkeypatch.setattr("sys.argv", ["benchmark", "--only", "cloth"])
    harness.main("", lambda quick, only: chosen.append((quick, only)) or [], selects=True)
    assert chosen == [(False, "cloth")]


def test_what_the_chosen_rows_need_is_compiled_before():
    every = [*cases(quick=False), *soft_cases(quick=False)]
    assert [case.name for case in small(every)] == ["tumbled/10", "block/135", "cloth/8x8", "rods/3"]
    assert [case.name for case in small(every[-1:])] == ["rods/3"]
    assert [case.name for case in small([FREE_BOX])] == ["tumbled/10"]
