"""Steps with barriers expanded where they lead: fewer iterations, same solutions; and distrust of exact Hessians."""

from types import SimpleNamespace

import numpy as np
import trimesh

from ipc_articulation.contact.materials import BY_LOAD
from ipc_articulation.contact.world import ContactWorld
from ipc_articulation.engine.newton import newton
from ipc_articulation.engine.newton.iterate import CutStep
from ipc_articulation.engine.newton.newton_report import NewtonResult
from ipc_articulation.engine.newton.trust import distrust
from tests.engine.scenes import BoxScene, translation, twist_rate

TIGHT = {"newton__velocity_tol": 1e-6, "newton__transrate_tol": 1e-5, "newton__semi_implicit__enable": 0}


def balls_in_a_shaft(workspace):
    """Polyhedra that fall, spinning, into a narrow shaft, and hit its walls, its ground and each other."""
    scene = BoxScene(workspace, friction=0.0, resistance=BY_LOAD, contact__d_hat=0.004, **TIGHT)
    scene.add_ground()
    for side in (-1.0, 1.0):
        scene.add_box(translation(0.32 * side, 0, 0.55), (0.2, 1.0, 1.0), is_fixed=1)
    for k in range(4):
        T = translation(0, 0.05 * (-1) ** k, 0.3 + 0.41 * k)
        moving = twist_rate(T, (0.5, 0.2, -2.0), (2.0, 6.0 - 3.0 * k, 1.0))
        scene.add_mesh(trimesh.creation.icosphere(2, 0.2), T, velocity=moving)
    return scene.start()


def run(workspace, steps):
    scene, iterations = balls_in_a_shaft(workspace), 0
    for _ in range(steps):
        scene.run()
        assert scene.engine.statistics.result is NewtonResult.CONVERGED
        assert scene.minimum_distance() > 0.0
        iterations += scene.engine.statistics.newton.iterations
    return iterations, scene.q.copy()


def test_fewer_iterations_lead_to_the_same_place(tmp_path, monkeypatch):
    foreseen, ends = run(tmp_path / "foreseen", 30)
    monkeypatch.setattr(newton, "_LOOKS", 0)
    plain, as_before = run(tmp_path / "plain", 30)
    assert foreseen < 0.95 * plain
    np.testing.assert_allclose(ends, as_before, atol=1e-4)


def foreseen_bodies(workspace, monkeypatch):
    """Of each iteration of a step in which two pairs of balls meet; the second pair may take 0.65 of its first step."""
    foreseen = []
    monkeypatch.setattr(ContactWorld, "foresee", lambda world, moving: foreseen.append(moving.tolist()))
    scene = BoxScene(workspace, friction=0.0, gravity=(0, 0, 0), contact__d_hat=0.01)
    for x, v in ((-0.12, 1000.0), (0.12, -1000.0), (5.0, 3.0), (5.24, -3.0)):
        T = translation(x, 0, 0)
        scene.add_mesh(trimesh.creation.icosphere(1, 0.1), T, velocity=twist_rate(T, (v, 0, 0)))
    scene.start().run()
    return foreseen


def test_bodies_that_go_much_too_far_foresee_nothing(tmp_path, monkeypatch):
    assert foreseen_bodies(tmp_path / "near", monkeypatch)[0] == [True, True, True, True]
    monkeypatch.setattr(newton, "_NEAR", 0.9)
    assert foreseen_bodies(tmp_path / "far", monkeypatch)[0] == [True, True, False, False]


def test_steps_foresee_in_their_first_iterations(tmp_path, monkeypatch):
    assert len(foreseen_bodies(tmp_path / "all", monkeypatch)) > 2
    monkeypatch.setattr(newton, "_FORESEEN", 2)
    assert len(foreseen_bodies(tmp_path / "first", monkeypatch)) == 2


def test_a_line_search_that_leaves_little_costs_an_exact_hessian_its_trust():
    """Of four bodies the last two have met a wrong model; one of them again; the second's step is small."""
    n = 4
    step = CutStep(np.zeros((n, 12)), np.zeros((n, 12)), np.array([1.0, 0.2, 1.0, 0.5]), np.array([5.0, 0.5, 9.0, 9.0]))
    alpha = np.array([0.5, 0.01, 0.1, 0.1])
    np.testing.assert_array_equal(distrust(np.array([1, 2, 0, 2]), step, alpha), [1, 0, 1, 3])
    np.testing.assert_array_equal(distrust(np.array([3, 3, 3, 3]), step, alpha), [3, 0, 3, 3])


def test_barriers_that_lead_much_too_far_are_not_followed(tmp_path, monkeypatch):
    """A search for pairs along such a way would find all of them: the step stays Newton's."""
    monkeypatch.setattr(newton, "_LOOKS", 0)
    iterations, ends = run(tmp_path / "plain", 12)
    monkeypatch.setattr(newton, "_LOOKS", 2)
    monkeypatch.setattr(newton._Solve, "_expand", lambda solve, foresight, dq: 1e5 * dq + 1e-3)
    wild, as_plain = run(tmp_path / "wild", 12)
    assert wild == iterations
    np.testing.assert_array_equal(as_plain, ends)


def test_islands_that_foreseen_contact_leads_keep_projected_hessians_for_a_while():
    """While their steps are large: the second and the last were foreseen, but the step of the last is small."""
    step = CutStep(np.zeros((4, 12)), np.zeros((4, 12)), np.ones(4), np.array([3.0, 3.0, 3.0, 0.5]))
    solve = newton._Solve.__new__(newton._Solve)
    solve._was_foreseen, solve._nobody = np.array([False, True, False, True]), np.zeros(4, dtype=bool)
    solve._potential, solve.report = SimpleNamespace(is_solid=False), SimpleNamespace(iterations=newton._LED)
    now = SimpleNamespace(step=step)
    assert solve._is_led(now).tolist() == [False, True, False, False]
    solve._potential.is_solid = True
    assert not solve._is_led(now).any()
    solve._potential.is_solid, solve.report.iterations = False, newton._LED + 1
    assert not solve._is_led(now).any()
