"""Time integration: backward Euler and BDF2, and a time step that changes."""

import numpy as np
import pytest
from uipc import view

from ipc_articulation.contact.anchors import NO_ANCHORS
from ipc_articulation.contact.held import NOTHING_HELD
from ipc_articulation.engine import integrator
from ipc_articulation.engine.state import EngineState
from ipc_articulation.errors import SceneError, UnsupportedError
from ipc_articulation.frontend.config import read_config
from tests.engine.scenes import BoxScene, translation, twist_rate

G = 9.8


def random_state():
    rng = np.random.default_rng(4)
    q, qdot, q_before, qdot_before = rng.standard_normal((4, 2, 12))
    return EngineState(q, qdot, np.zeros(0), q_before, qdot_before, *NOTHING_HELD, *NO_ANCHORS)


def predicted(order, state, acceleration, is_dynamic, dt):
    q_tilde = np.empty_like(state.q)
    integrator.predict(order, state, acceleration, is_dynamic, dt, q_tilde)
    return q_tilde


def test_velocity_at_the_prediction_is_the_velocity_of_the_scheme():
    """Without forces q = q̃, and a body in uniform motion keeps its velocity, whatever dt was before."""
    velocity, is_dynamic = np.arange(24.0).reshape(2, 12), np.ones(2, dtype=bool)
    for order in (1, 2):
        before = -0.03 * velocity, velocity
        state = EngineState(np.zeros((2, 12)), velocity, np.zeros(0), *before, *NOTHING_HELD, *NO_ANCHORS)
        q = predicted(order, state, np.zeros((2, 12)), is_dynamic, 0.01)
        np.testing.assert_allclose(integrator.velocity(order, state, q, 0.01), velocity, rtol=1e-12)


def test_acceleration_enters_velocity_by_the_derivative_of_the_scheme():
    """D(q̇) = a, D the scheme's own difference: (q̇ - q̇ᵗ)/dt, or (3q̇ - 4q̇ᵗ + q̇ᵗ⁻¹)/2dt."""
    state, dt, is_dynamic = random_state(), 0.02, np.ones(2, dtype=bool)
    a = np.random.default_rng(5).standard_normal((2, 12))
    first, second = (
        integrator.velocity(order, state, predicted(order, state, a, is_dynamic, dt), dt) for order in (1, 2)
    )
    np.testing.assert_allclose((first - state.qdot) / dt, a, atol=1e-11)
    np.testing.assert_allclose((3 * second - 4 * state.qdot + state.qdot_before) / (2 * dt), a, atol=1e-11)


def test_a_body_that_is_not_dynamic_forgets_its_motion():
    state, a = random_state(), np.ones((2, 12))
    for order in (1, 2):
        q = predicted(order, state, a, np.zeros(2, dtype=bool), 0.1)
        np.testing.assert_allclose(q, state.q + 0.01 * a / integrator.weight(order), rtol=1e-12)


def angular_momentum_error(folder, kind, dt):
    """Relative change of the angular momentum of a tumbling box within 0.4 s."""
    settings = {"integrator__type": kind, "dt": dt, "newton__velocity_tol": 1e-3, "newton__transrate_tol": 1e-3}
    scene = BoxScene(folder, gravity=(0, 0, 0), contact__enable=0, **settings)
    scene.add_box(np.eye(4), size=(0.1, 0.2, 0.3), kappa=1e7, velocity=twist_rate(np.eye(4), angular=(1.0, 2.0, 3.0)))
    scene.start()
    before = scene.angular_momentum()
    scene.run(round(0.4 / dt))
    return np.linalg.norm(scene.angular_momentum() - before) / np.linalg.norm(before)


@pytest.mark.parametrize(("kind", "ratio"), [("bdf1", 2.0), ("bdf2", 4.0)])
def test_angular_momentum_is_kept_to_the_order_of_the_integrator(tmp_path, kind, ratio):
    errors = [angular_momentum_error(tmp_path / f"{dt}", kind, dt) for dt in (0.01, 0.005, 0.0025)]
    assert errors[0] / errors[1] == pytest.approx(ratio, rel=0.06)
    assert errors[1] / errors[2] == pytest.approx(ratio, rel=0.06)


def falling_box(folder, **config):
    scene = BoxScene(folder, contact__enable=0, **config)
    scene.add_box(translation(0, 0, 5), velocity=twist_rate(np.eye(4), linear=(1.0, 0, 0)))
    return scene.start()


def test_first_step_of_bdf2_takes_the_past_from_the_present(tmp_path):
    scene = falling_box(tmp_path, integrator__type="bdf2", dt=0.01).run()
    np.testing.assert_allclose(scene.q[0, :3], [2 / 3 * 0.01, 0, 5 - 4 / 9 * G * 1e-4], atol=1e-12)
    np.testing.assert_allclose(scene.qdot[0, :3], [1.0, 0, -2 / 3 * G * 0.01], atol=1e-12)


def test_bdf2_falls_with_half_a_step_of_delay(tmp_path):
    """Velocities are those of free fall but for the first steps; the body lags by dt/2 from its start on."""
    dt, n = 0.01, 100
    scene = falling_box(tmp_path, integrator__type="bdf2", dt=dt).run(n)
    assert scene.q[0, 0] == pytest.approx((n - 0.5) * dt, abs=1e-12)
    assert scene.qdot[0, 0] == pytest.approx(1.0, abs=1e-12)
    assert scene.qdot[0, 2] == pytest.approx(-G * dt * (n - 0.5), rel=1e-9)


def test_bdf2_rebounds_higher(tmp_path):
    heights = {}
    for kind in ("bdf1", "bdf2"):
        scene = BoxScene(tmp_path / kind, integrator__type=kind, contact__d_hat=0.02, resistance=1e5)
        scene.add_ground()
        scene.add_box(translation(0, 0, 0.6), kappa=1e6)
        scene.start()
        z = np.array([scene.run().q[0, 2] for _ in range(80)])
        lowest = int(np.argmin(z[:40]))
        heights[kind] = z[lowest:].max() - z[lowest]
    assert heights["bdf2"] > 2.0 * heights["bdf1"]


@pytest.mark.parametrize("kind", ["bdf1", "bdf2"])
def test_dt_may_change_between_steps(tmp_path, kind):
    scene = falling_box(tmp_path, integrator__type=kind, dt=0.01, gravity=(0, 0, 0)).run(3)
    x = scene.q[0, 0]
    view(scene.scene.config().find("dt"))[0] = 0.04
    scene.run(2)
    np.testing.assert_allclose(scene.qdot[0, :3], [1.0, 0, 0], atol=1e-12)
    if kind == "bdf1":
        assert scene.q[0, 0] == pytest.approx(x + 0.08, abs=1e-12)
    else:
        assert scene.run(40).q[0, 0] == pytest.approx(0.03 + 42 * 0.04 - 0.01 / 2 - 0.03 / 2, abs=1e-9)


@pytest.mark.parametrize("dt", [0.0, -0.01, np.nan, np.inf])
def test_dt_that_is_no_time_step(tmp_path, dt):
    scene = falling_box(tmp_path)
    view(scene.scene.config().find("dt"))[0] = dt
    with pytest.raises(SceneError, match=r"'dt' is .* s; a time step must be positive and finite"):
        scene.run()
    view(scene.scene.config().find("dt"))[0] = 0.01
    assert scene.run().q[0, 0] == pytest.approx(0.01)


def test_unknown_integrator(tmp_path):
    """libuipc refuses one that it does not know; one that it may learn is ours to refuse."""
    scene = BoxScene(tmp_path)
    config = scene.scene.config()
    view(config.find("integrator/type"))[0] = "verlet"
    with pytest.raises(UnsupportedError, match=r"'integrator/type' is 'verlet'; the CPU engine knows 'bdf1', 'bdf2'"):
        read_config(config, scene_diagonal=1.0)


def test_gravity_of_an_instance_overrides_the_scene(tmp_path):
    scene = BoxScene(tmp_path, contact__enable=0)
    slot = scene.add_box(translation(0, 0, 0))
    scene.add_box(translation(1, 0, 0))
    slot.geometry().instances().create("gravity", np.array([3.0, 0.0, 0.0]))
    scene.start().run()
    np.testing.assert_allclose(scene.qdot[:, :3], [[0.03, 0, 0], [0, 0, -0.01 * G]], atol=1e-12)


def test_gravity_that_is_not_finite(tmp_path):
    scene = BoxScene(tmp_path)
    scene.add_box(np.eye(4)).geometry().instances().create("gravity", np.array([np.nan, 0.0, 0.0]))
    with pytest.raises(SceneError, match=r"body 'box 0': its gravity must be a Vector3 of finite numbers"):
        scene.start()
