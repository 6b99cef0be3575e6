"""M̂ of several steps: beside MuJoCo's own answer to a force, in closed form, and where there is none."""

import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import MujocoAdapter
from ipc_articulation.adapters.mujoco.response import Step, response, stiffness_and_damping

from ipc_articulation.errors import AdapterError
from tests.adapters.mujoco.models import arm

LINKS = slice(0, 4)


def coupled(model, data, k):
    adapter = MujocoAdapter(model, data)
    adapter.follow_time_step(k * model.opt.timestep)
    return adapter


def resting_arm(integrator, h=0.002):
    """An arm with springs, servos and damping, at rest without gravity."""
    model, data = arm(integrator, seed=None)
    model.opt.timestep, model.opt.gravity[:] = h, 0.0
    return model, data


def own_steps(model, data, k, force):
    """MuJoCo's own k steps with a force on the links: where they end, and with what velocities."""
    own = mujoco.MjData(model)
    mujoco.mj_copyState(model, data, own, mujoco.mjtState.mjSTATE_INTEGRATION)
    own.qfrc_applied[LINKS] = force
    contact = int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    model.opt.disableflags |= contact
    mujoco.mj_step(model, own, k)
    model.opt.disableflags &= ~contact
    return own.qpos[LINKS].copy(), own.qvel[LINKS].copy()


def answers(model, data, k, size=1e-3):
    """∂δθ/∂τ and ∂v/∂τ of MuJoCo's own k steps, by differences."""
    ends = [[own_steps(model, data, k, s * size * unit) for s in (1, -1)] for unit in np.eye(4)]
    S, V = (np.array([(up[i] - down[i]) / (2 * size) for up, down in ends]).T for i in (0, 1))
    return S, V


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
@pytest.mark.parametrize("k", [2, 5])
def test_at_rest_m_hat_is_mujocos_own_answer_to_a_force(k, integrator):
    """Springs, gains and damping included: soft servos change it by more than is allowed here, see below."""
    model, data = resting_arm(integrator)
    adapter = coupled(model, data, k)
    prediction, dt = adapter.predict(), k * model.opt.timestep
    S, V = answers(model, data, k)
    np.testing.assert_allclose(dt**2 * np.linalg.inv(prediction.mass), S, atol=1e-9 * np.abs(S).max())
    gain = adapter._steps.noted.velocity_gain(prediction.delta_theta_tilde + S[:, 0])
    np.testing.assert_allclose(gain, V[:, 0], atol=1e-8 * np.abs(V[:, 0]).max())


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
def test_stiffness_and_damping_by_differences_are_those_of_the_model(integrator):
    model, data = resting_arm(integrator)
    K, C = stiffness_and_damping(model, data, mujoco.MjData(model), np.arange(4))
    np.testing.assert_allclose(K, np.diag([50.0, 0.0, 0.0, 3.0]), atol=1e-6)
    np.testing.assert_allclose(C, np.diag([0.3 + 4.0, 2.0 + 3.0, 0.0, 0.0]), atol=2e-5)


def test_in_motion_what_is_neglected_is_small():
    """Turning at up to 2 rad/s under gravity, in 5 steps of 2 ms: 0.04 % of the largest entry."""
    model, data = arm("Euler", seed=0)
    model.opt.timestep = 0.002
    S, _ = answers(model, data, 5)
    adapter = coupled(model, data, 5)
    adapter.predict()
    M1 = np.mean([mass_along(model, data, j) for j in range(5)], axis=0)
    step = Step(M1, *stiffness_and_damping(model, data, mujoco.MjData(model), np.arange(4)), 0.002)
    ours = step.answer(np.ones(5)).S
    error = np.abs(ours - S).max() / np.abs(S).max()
    assert 1e-4 < error < 8e-4


def mass_along(model, data, j):
    """M̂₁ of MuJoCo's step j from a state."""
    own = mujoco.MjData(model)
    mujoco.mj_copyState(model, data, own, mujoco.mjtState.mjSTATE_INTEGRATION)
    for _ in range(j):
        mujoco.mj_step(model, own)
    return MujocoAdapter(model, own).predict().mass


def test_one_step_is_todays():
    model, data = arm()
    np.testing.assert_array_equal(coupled(model, data, 1).predict().mass, MujocoAdapter(model, data).predict().mass)


def random_mass(seed=0):
    A = np.random.default_rng(seed).normal(size=(3, 3))
    return A @ A.T + np.eye(3)


@pytest.mark.parametrize("k", [1, 2, 7])
def test_without_springs_and_damping(k):
    M, none, h, dt = random_mass(), np.zeros((3, 3)), 0.002, 0.002 * k
    v = np.array([1.0, -2.0, 0.5])
    load = response(Step(M, none, none, h), k, np.zeros(3), 0.1 * v)
    blow = response(Step(M, none, none, h), k, v, dt * v)
    np.testing.assert_allclose(dt**2 * np.linalg.inv(load.S), 2 * k / (k + 1) * M, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(dt**2 * np.linalg.inv(blow.S), M, rtol=1e-12, atol=1e-13)
    for one in (load, blow, response(Step(M, none, none, h), k, v, [0.0, 0.1, 0.2])):
        np.testing.assert_allclose(M @ one.V, dt * np.eye(3), atol=1e-15)  # momentum
        np.testing.assert_allclose(one.S, one.S.T, atol=1e-18)
        assert np.linalg.eigvalsh(one.S)[0] > 0.0


def test_what_a_blow_stops_is_at_rest():
    k, h, v = 5, 0.002, np.array([1.0, -2.0, 0.5])
    dt, none = k * h, np.zeros((3, 3))
    one = response(Step(random_mass(), none, none, h), k, v, dt * v)
    np.testing.assert_allclose(v + one.V @ np.linalg.solve(one.S, -dt * v), 0.0, atol=1e-12)


def test_gains_that_swing_within_the_step_are_refused():
    """With K = M̂₁/h² a step turns by 60° of a swing, and six of them leave nothing of a force's displacement."""
    M, none, h = random_mass(), np.zeros((3, 3)), 0.001
    swinging = Step(M, M / h**2, none, h)
    response(swinging, 3, np.zeros(3), np.ones(3))
    message = (
        "6 steps of MuJoCo of 0.001 s are too many for one step of the scene: springs or gains swing the joints to "
        "and fro within it; give the scene a smaller dt, or the model lower gains or more damping"
    )
    with pytest.raises(AdapterError, match=message):
        response(swinging, 6, np.zeros(3), np.ones(3))


@pytest.mark.parametrize(
    ("joint", "force"),
    [('range="-1 0.007" limited="true"', "limit_force"), ('frictionloss="200"', "friction_force")],
)
def test_forces_of_limits_and_friction_are_means_as_displacements_weigh_them(joint, force):
    """A slide meets its limit, or dry friction stops it, within the step: δθ̃ = dt v + S_load f."""
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option timestep="0.002" gravity="0 0 0"/><worldbody>
        <body><joint type="slide" axis="1 0 0" {joint}/><geom size="0.1" mass="3"/></body></worldbody></mujoco>"""
    )
    data, k, dt = mujoco.MjData(model), 5, 0.01
    data.qvel[:] = 0.9 if force == "limit_force" else 0.3
    prediction = coupled(model, data, k).predict()
    mean = getattr(prediction.restraints, force)
    assert mean[0] < -1.0
    S_load = (k + 1) / (2 * k) * dt**2 / 3.0
    np.testing.assert_allclose(prediction.delta_theta_tilde, dt * data.qvel + S_load * mean, rtol=1e-12)
