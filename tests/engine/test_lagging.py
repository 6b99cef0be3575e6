"""Friction whose normal forces are renewed within the step, until they are those of its end."""

import numpy as np
import pytest

from ipc_articulation import BY_LOAD, EngineError
from ipc_articulation.engine import Engine
from ipc_articulation.engine.newton.newton_report import NewtonResult
from ipc_articulation.frontend.friction_law import choose_friction_iterations, friction_iterations
from tests.engine.parts import core_of, islands_of
from tests.engine.scenes import BoxScene, translation, twist_rate
from tests.engine.soft.soft_scenes import SoftScene, block, moved, vertices
from tests.engine.test_dump import assert_same_bits
from tests.engine.test_friction import SIDE, put_at_rest, settle, slope

G, MU, DT = 9.8, 0.3, 0.01
SPEED = (3.0, 0.0, -1.0)  # [m/s]
UNDER = [pytest.param(False, id="half-plane"), pytest.param(True, id="body")]


def landing(workspace, on_body, friction, friction_iterations, **config):
    """A box that meets the ground while it slides over it."""
    scene = BoxScene(workspace, friction=MU, resistance=BY_LOAD, contact__d_hat=0.001, dt=DT, **config)
    if on_body:
        scene.add_box(translation(0, 0, -0.05), (4.0, 4.0, 0.1), is_fixed=1)
    else:
        scene.add_ground()
    at = translation(0, 0.613, 0.105)
    scene.add_box(at, velocity=twist_rate(at, linear=SPEED))
    return scene.start(friction=friction, friction_iterations=friction_iterations)


def ratios(scene, steps):
    """What each step takes of the speed along the ground, over the speed that the ground gives."""
    found = []
    for _ in range(steps):
        before = scene.qdot[-1, :3]
        change = scene.run(1).qdot[-1, :3] - before
        found.append(-change[0] / (change[2] + G * DT))
    return np.array(found)


@pytest.mark.parametrize("on_body", UNDER)
@pytest.mark.parametrize("friction", ["anchored", "lagged"])
def test_a_landing_takes_mu_times_what_the_ground_gives(tmp_path, on_body, friction):
    """Coulomb's law for the impulses of each step, also of that in which the contact begins."""
    once = ratios(landing(tmp_path / "once", on_body, friction, None), 3)
    np.testing.assert_allclose(ratios(landing(tmp_path / "renewed", on_body, friction, 20), 8), MU, rtol=1e-3)
    assert abs(once[0]) < 1e-6, "nothing had touched when the step began"
    assert once[2] > 2.0 * MU, "it has the normal force of the hit, which is over"


@pytest.mark.parametrize("on_body", UNDER)
@pytest.mark.parametrize("friction", ["anchored", "lagged"])
def test_so_does_that_of_a_soft_block(tmp_path, on_body, friction):
    def taken(iterations):
        scene = SoftScene(tmp_path / str(iterations), friction=MU, resistance=BY_LOAD, contact__d_hat=0.001, dt=DT)
        if on_body:
            scene.add_box(translation(0, 0, -0.05), (4.0, 4.0, 0.1), is_fixed=1)
        else:
            scene.add_ground()
        mesh = moved(block(young=1e6), 0, 0.613, 0.105)
        scene.add_soft(vertices(mesh, velocity=np.tile(SPEED, (mesh.vertices().size(), 1))))
        scene.start(friction=friction, friction_iterations=iterations)
        mass = scene.engine.cpu.model.context.bodies.soft.bodies[0].mass
        change = np.average(scene.run(1).v(), axis=0, weights=mass) - SPEED
        return -change[0] / (change[2] + G * DT)

    assert taken(1) == pytest.approx(0.0, abs=1e-9)
    assert taken(20) == pytest.approx(MU, rel=1e-3)


def test_islands_that_end_early_are_minimised_again(tmp_path):
    config = {"newton__semi_implicit__K_min": 0, "newton__semi_implicit__beta_tol": 0.1, "newton__velocity_tol": 1e-9}
    config["newton__transrate_tol"] = 1e-9
    scene = landing(tmp_path, True, "lagged", 20, **config)
    np.testing.assert_allclose(ratios(scene, 1), MU, rtol=0.02)
    assert scene.engine.statistics.result is NewtonResult.SEMI_IMPLICIT
    assert scene.engine.statistics.newton.friction_iterations > 2


def test_bodies_that_meet_within_the_step_become_one_island(tmp_path):
    """Friction couples them also where they part again, and line search must add up the energies of both."""
    scene = BoxScene(tmp_path, gravity=(0, 0, 0), friction=MU)
    lower, upper = translation(0, 0, 0), translation(0.05, 0, SIDE + 0.01)
    scene.add_box(lower, (SIDE,) * 3)
    scene.add_box(upper, (SIDE,) * 3, velocity=twist_rate(upper, (1.0, 0, -2.0), (0, 0, 0)))
    scene.start(friction_iterations=20)
    assert len(set(islands_of(core_of(scene).work))) == 2
    scene.run(1)
    assert scene.engine.statistics.newton.friction_iterations > 1
    assert len(set(islands_of(core_of(scene).work))) == 1


def test_an_island_whose_newton_fails_is_left_as_it_is(tmp_path):
    scene = landing(tmp_path, True, "lagged", 20, newton__max_iter=1).run(1)
    report = scene.engine.statistics.newton
    assert report.result is NewtonResult.MAX_ITERATIONS
    assert report.friction_iterations == 1
    assert len(report.warnings) == 1


def test_what_is_below_the_cone_stays(tmp_path):
    scene, _ = slope(tmp_path, 0.99 * 0.5, friction_iterations=10)
    put_at_rest(scene)
    settle(scene, 60, 0.01)
    before = scene.q[-1].copy()
    scene.run(500)
    assert np.abs(scene.q[-1] - before)[:3].max() < 1e-6 * SIDE


def test_a_step_says_how_often_and_when_that_was_not_enough(tmp_path):
    scene = landing(tmp_path / "enough", False, "anchored", 20).run(1)
    report = scene.engine.statistics
    assert 1 < report.newton.friction_iterations < 20
    assert report.as_dict()["friction_iterations"] == report.newton.friction_iterations
    assert not report.newton.warnings
    report = landing(tmp_path / "too few", False, "anchored", 2).run(1).engine.statistics.newton
    assert report.friction_iterations == 2
    assert report.warnings[0].startswith("friction did not settle in friction_iterations = 2 minimisations: the last")
    assert report.converged


def test_dumps_give_the_same_bits(tmp_path):
    scene = landing(tmp_path, True, "anchored", 20).run(3)
    assert scene.world.dump()
    ahead = scene.run(4).engine.cpu.state
    assert scene.world.recover(3)
    assert_same_bits(scene.run(4).engine.cpu.state, ahead)


def test_the_engine_goes_before_the_scene(tmp_path):
    scene = BoxScene(tmp_path)
    assert friction_iterations(scene.scene) == 1
    choose_friction_iterations(scene.scene, 7)
    assert friction_iterations(scene.start().scene) == 7
    scene = BoxScene(tmp_path)
    choose_friction_iterations(scene.scene, 7)
    assert friction_iterations(scene.start(friction_iterations=3).scene) == 3


def test_numbers_that_are_none_are_refused(tmp_path):
    for number in (0, -1, 1.5, True, "3"):
        with pytest.raises(EngineError, match=r"friction_iterations.*a whole number, one or more, or None"):
            Engine("cpu", tmp_path, friction_iterations=number)
    with pytest.raises(
        EngineError, match=r"engine 'none' has friction_iterations = 1 only; Engine\('cpu'\) may have more"
    ):
        Engine("none", tmp_path, friction_iterations=2)
    Engine("none", tmp_path, friction_iterations=1)
