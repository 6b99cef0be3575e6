"""The judge of two states: what it counts, what it prints, and that its scenes are what they should be."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import uipc

from benchmarks.method.__main__ import Row, Run, State, compare, judge, summary, table
from benchmarks.method.random_scenes import random_scene
from benchmarks.method.serving import SAID
from benchmarks.method.works import QUICK, start
from ipc_articulation import Engine

ROOT = Path(__file__).parents[3]


class Told:
    """A state that answers what it was given."""

    def __init__(self, *answers: dict) -> None:
        self._answers, self.told = list(answers), []

    def tell(self, line: str) -> None:
        self.told.append(line)

    def answer(self) -> dict:
        return self._answers.pop(0)


def block(**changes: float) -> dict:
    return {"seconds": 0.01, "steps": 5, "iterations": 10, "failed": 0, "intersecting": False, **changes}


def test_a_row_has_the_sums_of_all_blocks():
    end = {"end": [1.0, 2.0]}
    ours = Told({"wanted": 10}, block(), block(failed=1, intersecting=True), end)
    theirs = Told({"wanted": 10}, block(seconds=0.02), block(seconds=0.02), {"end": [1.0, 2.5]})
    row = compare("a/b", [ours, theirs], 60, 9.0)
    assert ours.told == [json.dumps(["a/b", 60]), "go", "go"]
    assert (row.ours.steps, row.ours.iterations_mean, row.ours.faults()) == (10, 2.0, "1 failed, 1 X")
    assert row.ratio == pytest.approx(0.5)
    assert row.difference == pytest.approx(0.5)


def test_time_ends_a_scene_of_both():
    pair = [Told({"wanted": 10}, block(seconds=s), {"end": []}) for s in (0.1, 3.0)]
    row = compare("a/b", pair, 60, 2.0)
    assert [one.told[1:] for one in pair] == [["go", "end"]] * 2
    assert row.ours.steps == 5


def test_a_state_that_fails_is_told_and_the_other_one_ends():
    fails, works = Told({"wanted": 10}, {"error": "SolverError: no"}), Told({"wanted": 10}, block(), {"end": [0.0]})
    row = compare("a/b", [fails, works], 60, 2.0)
    assert works.told[-1] == "end"
    assert row.ours.faults() == "SolverError: no"
    assert np.isnan(row.ratio)


def test_the_summary_has_means_and_faults_of_each_corpus():
    end = [0.0]
    rows = [
        Row("a/1", Run(seconds=1.0, steps=5, end=end), Run(seconds=2.0, steps=5, end=end)),
        Row("b/2", Run(seconds=2.0, steps=5, failed=3, end=end), Run(seconds=1.0, steps=5, end=end)),
        Row("b/3", Run(error="no"), Run(seconds=1.0, end=end)),
    ]
    lines = list(summary(rows))
    assert lines[0].startswith("all: 1.000 over 3 scenes; 3 steps without convergence (0)")
    assert lines[1].startswith("a: 0.500")
    assert lines[2].endswith("1 errors (0); theirs in ()")
    assert table(rows, "t").row_count == 3


@pytest.mark.parametrize("work", [work for work in QUICK if work.startswith(("stark", "contact", "random"))])
def test_quick_scenes_start(work, tmp_path):
    assert start(work, tmp_path).steps >= 20


def test_a_random_scene_is_the_same_again_and_another_for_another_seed(tmp_path):
    def begin(seed: int, folder: Path) -> np.ndarray:
        engine = Engine("cpu", folder, friction="anchored", resistance="load")
        uipc.World(engine).init(random_scene(seed))
        return np.array(engine.cpu.state.q)

    first, again, other = (begin(seed, tmp_path / str(k)) for k, seed in enumerate((3, 3, 4)))
    assert np.array_equal(first, again)
    assert first.shape != other.shape or not np.array_equal(first, other)


def test_a_process_steps_a_scene_and_says_what_it_took():
    script = ROOT / "benchmarks/method/serving.py"
    given = json.dumps(["stark/free box", 5]) + "\ngo\n" + json.dumps(["stark/nothing", 5]) + "\n"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-P", script]
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=True, env=environment)
    answers = [json.loads(line.removeprefix(SAID)) for line in done.stdout.splitlines() if line.startswith(SAID)]
    assert answers[0] == {"wanted": 5}
    assert answers[1]["steps"] == 5
    assert answers[1]["failed"] == 0
    assert len(answers[2]["end"]) == 12
    assert "ValueError" in answers[3]["error"]


def test_a_process_that_ends_is_an_error_and_another_takes_its_place(monkeypatch):
    dead = f"import sys; print({SAID!r} + '{{\"wanted\": 5}}', flush=True); sys.exit(3)"
    folder = ROOT
    monkeypatch.setattr(State, "command", staticmethod(lambda _: [sys.executable, "-c", dead]))
    rows = list(judge(["a/1", "a/2"], folder, 5, 1.0))
    assert [row.ours.error for row in rows] == ["the process ended with 3"] * 2
