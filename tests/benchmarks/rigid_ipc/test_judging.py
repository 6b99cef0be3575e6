"""What the judge sees, and what a verdict makes of it."""

import numpy as np
import pytest

from benchmarks.rigid_ipc.judge import Judge, resting
from benchmarks.rigid_ipc.running import Limits, News, Verdict, run_scene, run_scenes
from benchmarks.rigid_ipc.table import cells, page
from tests.benchmarks.rigid_ipc.fixtures import CUBE, fixture


def transforms(*heights):
    T = np.tile(np.eye(4), (len(heights), 1, 1))
    T[:, :3, 3] = [[0.01 * i, height, 0.02 * i] for i, height in enumerate(heights)]
    return T


@pytest.fixture
def three(tmp_path):
    return fixture(tmp_path, [CUBE, CUBE, {**CUBE, "type": "static"}], distance_barrier_constraint=SEPARATED)


SEPARATED = {"initial_barrier_activation_distance": 0.01, "minimum_separation_distance": 0.002}


def test_surfaces_that_intersect_are_seen(three):
    judge = Judge(three)
    assert not judge.intersect(transforms(0, 0.201, 1))
    assert judge.intersect(transforms(0, 0.199, 1))


def test_triangles_without_area_intersect_nothing(tmp_path):
    """One of the first cube lies on a diagonal that passes the second one 7 mm beside an edge."""
    points, faces = CUBE["vertices"], CUBE["faces"]
    line = [[t, t, t] for t in (0.3, 0.4, 0.5)]
    flat = {**CUBE, "vertices": [*points, *line], "faces": [*faces, [8, 9, 10]]}
    judge, T = Judge(fixture(tmp_path, [flat, CUBE])), np.tile(np.eye(4), (2, 1, 1))
    T[1, :3, 3] = [0.51, 0.3, 0.4]
    assert not judge.intersect(T)
    T[1, :3, 3] = [0.1, 0.1, 0.1]
    assert judge.intersect(T)


def test_pairs_that_may_not_touch_do_not_intersect(tmp_path):
    together = [{**CUBE, "group_id": 1}] * 2
    assert not Judge(fixture(tmp_path, together)).intersect(transforms(0, 0.1))
    assert not Judge(fixture(tmp_path, [{**CUBE, "type": "static"}] * 2)).intersect(transforms(0, 0.1))


def test_gaps_are_over_d_hat_and_without_the_separation(three):
    gaps = Judge(three).gaps(transforms(0, 0.207, 0.410))
    assert gaps == {(0, 1): pytest.approx(0.5), (1, 2): pytest.approx(0.1)}


def test_contacts_rest_if_their_gap_hardly_changes():
    before = {(0, 1): 0.5, (1, 2): 0.5}
    assert resting(before, {(0, 1): 0.505, (1, 2): 0.52, (3, 4): 0.7}) == [0.505]


def test_a_verdict_stalls_for_each_of_three_reasons():
    easy = {"results": ["converged"], "iterations": [5], "smallest_gap": 0.06}
    assert not Verdict("a", **easy).stalls
    for hard in ({"results": ["max iterations"]}, {"iterations": [13]}, {"smallest_gap": 0.05}):
        assert Verdict("a", **{**easy, **hard}).stalls


def test_a_falling_cube_is_run_and_judged(tmp_path):
    fixture(tmp_path, [{**CUBE, "type": "static"}, {**CUBE, "position": [0.03, 0.202, 0.02]}], max_time=0.4)
    verdict = Verdict("falling")
    for news in run_scene(tmp_path / "fixtures" / "scene.json", Limits(100, 60.0, 1e9), tmp_path):
        assert news(verdict)
    assert (verdict.bodies, verdict.steps, verdict.wanted) == (2, 40, 40)
    assert verdict.intersecting == []
    assert verdict.unconverged == 0
    assert verdict.reason == ""
    assert verdict.resting_gaps == (verdict.smallest_gap,) * 3
    assert 0.0 < verdict.smallest_gap < 1.0
    assert verdict.resting == 1
    assert verdict.load == pytest.approx(8.0 * 9.8 / (1e9 * 1e-3**3))


def test_the_time_ends_a_scene_and_says_so(tmp_path):
    fixture(tmp_path, [CUBE], max_time=1)
    verdict = Verdict("falling")
    for news in run_scene(tmp_path / "fixtures" / "scene.json", Limits(100, 0.0, 1e9), tmp_path):
        news(verdict)
    assert (verdict.steps, verdict.reason) == (1, "0 s were over")


@pytest.mark.slow
def test_a_scene_that_cannot_run_does_not_stop_the_others(tmp_path):
    fixture(tmp_path, [CUBE, {**CUBE, "position": [0.1, 0, 0]}], max_time=1)
    overlapping = tmp_path / "fixtures" / "scene.json"
    overlapping.rename(overlapping.with_name("overlapping.json"))
    fixture(tmp_path, [CUBE], max_time=0.02)
    files = {name: tmp_path / "fixtures" / f"{name}.json" for name in ("overlapping", "scene")}
    refused, fine = run_scenes(files, Limits(100, 60.0, 1e9), lambda _: None, tmp_path)
    assert refused.steps == 0
    assert "intersect" in refused.reason
    assert (fine.steps, fine.reason) == (2, "")


def test_rows_and_the_page_have_the_figures():
    verdict = Verdict("3D/a", 2, 4, 30.0)
    for result, iterations in (("converged", 3), ("semi-implicit", 7)):
        News({"results": result, "iterations": iterations, "seconds": 0.002})(verdict)
    News({"smallest_gap": 0.04, "resting_gaps": (0.04, 0.5, 0.8), "resting": 3, "reason": "1 s were over"})(verdict)
    row = (
        "3D/a",
        "2",
        "30",
        "2/4",
        "none",
        "0",
        "5.0",
        "7",
        "0.04",
        "0.04",
        "0.5",
        "0.8",
        "3",
        "2",
        "2",
        "stalls; 1 s were over",
    )
    assert cells(verdict) == row
    lines = list(page([verdict], Limits(200, 1.0, -1.0), "abc", 5))
    assert "| " + " | ".join(row) + " |" in lines
    assert any("1 of 1 scenes ran" in line and "4 more scenes" in line for line in lines)
    assert any("contact resistance adaptive" in line for line in lines)
    assert any(line.startswith("anchored friction") for line in lines)
