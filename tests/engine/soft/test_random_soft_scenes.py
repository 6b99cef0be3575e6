"""Random scenes of soft, thin and rigid bodies: nothing intersects, no step fails."""

import pytest

from tests.engine.soft.random_soft_scenes import run

SHARE = 6  # of the scenes, in every run of the tests


@pytest.mark.slow
@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=[] if seed < SHARE else pytest.mark.stress) for seed in range(100)]
)
def test_nothing_intersects_and_no_step_fails(tmp_path, seed):
    again = f".venv/bin/python -m tests.engine.soft.random_soft_scenes {seed}"
    try:
        iterations = run(seed, tmp_path)
    except AssertionError as error:
        raise AssertionError(f"{error}; run {again}") from error
    assert max(iterations) < 200, again
