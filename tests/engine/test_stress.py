"""Random scenes: no step may end with surfaces that intersect, with NaN, or without a named result.

Ten scenes always run, more with the slow tests, and all 500 with `pytest -m stress` (see CONTRIBUTING.md).
"""

import numpy as np
import pytest
import trimesh

from tests.engine.random_scenes import RandomScene, intersect
from tests.engine.scenes import translation

ALWAYS, SLOW, ALL = range(10), range(10, 50), range(500)
CHUNK = 50


def failures(seeds, folder):
    """What failed, a line a seed, each with the command that shows it again."""
    lines = (RandomScene(seed, folder / str(seed)).run_checked() for seed in seeds)
    return "\n".join(line for line in lines if line is not None)


def test_random_scenes(tmp_path):
    assert failures(ALWAYS, tmp_path) == ""


@pytest.mark.slow
def test_more_random_scenes(tmp_path):
    assert failures(SLOW, tmp_path) == ""


@pytest.mark.slow
@pytest.mark.stress
@pytest.mark.parametrize("first", ALL[::CHUNK])
def test_many_random_scenes(tmp_path, first):
    assert failures(ALL[first : first + CHUNK], tmp_path) == ""


def test_a_scene_is_a_function_of_its_seed(tmp_path):
    one, same, other = (RandomScene(seed, tmp_path) for seed in (3, 3, 4))
    assert str(one) == str(same) != str(other)
    for x, y in zip(one.positions(), same.positions(), strict=True):
        np.testing.assert_array_equal(x, y)


def test_intersections_are_seen():
    boxes = [trimesh.creation.box((1, 1, 1))] * 2
    apart, across = (
        [boxes[0].vertices, trimesh.transform_points(boxes[1].vertices, translation(x, 0.3, 0.2))] for x in (1.1, 0.9)
    )
    assert not intersect(boxes, apart)
    assert intersect(boxes, across)
    assert not intersect(boxes, across, is_fixed=np.array([True, True]))


def test_a_failure_says_how_to_see_it_again(tmp_path):
    scene = RandomScene(0, tmp_path)
    scene.check_step = lambda: "surfaces intersect"
    expected = "seed 0, step 1: surfaces intersect (again: python -m tests.engine.random_scenes 0)"
    assert scene.run_checked() == expected
