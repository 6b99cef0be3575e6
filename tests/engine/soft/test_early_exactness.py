"""Beside soft bodies Newton's method tries exact Hessians as soon as its steps meet the tolerances."""

from types import SimpleNamespace

import numpy as np
import pytest

from ipc_articulation.engine.newton import newton
from tests.engine.scenes import translation
from tests.engine.soft.soft_scenes import SoftScene, block, moved


def run(workspace):
    """Newton's iterations in 40 steps in which a box falls on a soft block, where its vertices end, and the box."""
    scene = SoftScene(workspace, friction=0.3)
    scene.add_ground()
    scene.add_soft(moved(block(), 0.0, 0.0, 0.11))
    scene.add_box(translation(0.02, 0.0, 0.33))
    scene.start()
    iterations = 0
    for _ in range(40):
        scene.run()
        iterations += scene.report.newton.iterations
    return iterations, scene.x(), scene.q.copy()


def test_they_lead_to_the_same_motion_in_fewer_iterations(tmp_path, monkeypatch):
    early, *ends = run(tmp_path / "early")
    monkeypatch.setattr(newton._Solve, "_is_slow", lambda solve, now: solve.report.iterations > newton._SOON)
    late, *others = run(tmp_path / "late")
    assert early < late
    for end, other in zip(ends, others, strict=True):
        np.testing.assert_allclose(end, other, atol=1e-5)


@pytest.mark.parametrize(
    ("iterations", "sizes", "soft", "are_tried"),
    [
        (1, [0.0, 0.0, 0.0], True, False),  # there was no step yet
        (2, [0.5, 0.9, 3.0], True, True),  # the last one does not move
        (2, [0.5, 1.1, 0.0], True, True),  # for the first island
        (2, [1.5, 1.1, 0.0], True, False),
        (2, [0.5, 0.9, 0.0], False, False),
        (4, [5.0, 5.0, 5.0], False, True),
    ],
)
def test_when_they_are_tried(iterations, sizes, soft, are_tried):
    solve = newton._Solve.__new__(newton._Solve)
    solve._potential = SimpleNamespace(projects=True, is_solid=False, has_soft=soft, labels=np.arange(3))
    solve.report = SimpleNamespace(iterations=iterations)
    now = SimpleNamespace(step=SimpleNamespace(size=np.array(sizes)), moving=np.array([True, True, False]))
    assert solve._is_slow(now) is are_tried
    solve._potential.projects = False
    assert solve._is_slow(now) is False
