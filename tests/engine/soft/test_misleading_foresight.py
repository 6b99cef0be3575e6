"""Soft bodies do not follow foreseen contact where collision detection leaves less of that step than of Newton's."""

from types import SimpleNamespace

import numpy as np

from ipc_articulation.contact.world import ContactWorld
from ipc_articulation.engine.newton import newton
from ipc_articulation.engine.newton.iterate import CutStep
from tests.engine.scenes import translation
from tests.engine.soft.soft_scenes import SoftScene, block, moved


def cut_step(*fraction):
    n = len(fraction)
    return CutStep(np.zeros((n, 12)), np.zeros((n, 12)), np.array(fraction), np.ones(n))


def test_an_island_is_misled_as_a_whole_if_it_has_a_soft_body():
    """Bodies 0 and 1 are an island with a soft one, 2 and 3 one without; 4 is soft, its step as free as before."""
    solve = newton._Solve.__new__(newton._Solve)
    soft = np.array([False, True, False, False, True])
    solve._potential = SimpleNamespace(has_soft=True, is_soft=soft)
    solve._nobody, solve._refusals = np.zeros(5, dtype=bool), np.zeros(5, dtype=np.int64)
    labels = np.array([0, 0, 2, 2, 4])
    given = labels, cut_step(0.04, 0.4, 0.01, 0.01, 0.3), cut_step(0.1, 0.4, 0.9, 0.9, 0.3)
    assert solve._misleads(*given).tolist() == [True, True, False, False, False]
    assert solve._refusals.tolist() == [1, 1, 0, 0, 0]
    solve._potential.has_soft = False
    assert not solve._misleads(*given).any()
    assert solve._refusals.tolist() == [1, 1, 0, 0, 0]


def run(workspace, monkeypatch):
    """Iterations in 12 steps of a box that falls on a soft block, those that foresee, and where both end."""
    foreseen, foresee = [], ContactWorld.foresee
    with monkeypatch.context() as patch:
        patch.setattr(ContactWorld, "foresee", lambda world, moving: foreseen.append(1) or foresee(world, moving))
        scene = SoftScene(workspace, friction=0.0, newton__semi_implicit__enable=0)
        scene.add_ground()
        scene.add_soft(moved(block(), 0.0, 0.0, 0.103))
        scene.add_box(translation(0.02, 0.0, 0.31))
        scene.start()
        iterations = 0
        for _ in range(12):
            scene.run()
            iterations += scene.report.newton.iterations
    return iterations, len(foreseen), np.concatenate([scene.x().ravel(), scene.q.ravel()])


def test_islands_that_were_misled_twice_in_a_step_foresee_nothing_any_more(tmp_path, monkeypatch):
    """Here every foreseen step counts as one that misleads: Newton's are taken, as if nothing were foreseen."""
    monkeypatch.setattr(newton, "_LOOKS", 0)
    iterations, calls, plain = run(tmp_path / "plain", monkeypatch)
    assert calls == iterations
    monkeypatch.setattr(newton, "_LOOKS", 2)
    monkeypatch.setattr(newton, "_SHORTER", 1e9)
    refused, calls, ends = run(tmp_path / "refused", monkeypatch)
    assert refused == iterations
    np.testing.assert_allclose(ends, plain, rtol=0, atol=1e-9)
    assert 12 < calls < iterations
