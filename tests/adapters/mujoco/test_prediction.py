import re

import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import MujocoAdapter
from ipc_articulation.adapters.mujoco.contacts import ContactsOff

from ipc_articulation.errors import AdapterError
from tests.adapters.mujoco.models import arm, mass_matrix, panda

LINKS = slice(0, 4)
SETTINGS = [("Euler", "enable"), ("Euler", "disable"), ("implicitfast", "enable")]


@pytest.mark.parametrize(("integrator", "eulerdamp"), SETTINGS)
@pytest.mark.parametrize("seed", range(3))
def test_the_minimiser_of_k_is_mujocos_own_step(integrator, eulerdamp, seed):
    """∇K = 0 at δθ̃ means M̂ (v' - v) = dt·f: the forces that MuJoCo reports must come out of M̂."""
    model, data = arm(integrator, eulerdamp, seed)
    prediction = MujocoAdapter(model, data).predict()
    mujoco.mj_forward(model, data)
    force = (data.qfrc_smooth + data.qfrc_constraint)[LINKS]
    gain = prediction.delta_theta_tilde / model.opt.timestep - data.qvel[LINKS]
    impulse = prediction.mass @ gain
    np.testing.assert_allclose(impulse, model.opt.timestep * force, atol=1e-12 * np.abs(force).max())


@pytest.mark.parametrize(
    ("integrator", "eulerdamp", "added"),
    [
        ("Euler", "enable", [0.3, 2.0, 0.0, 0.0]),
        ("Euler", "disable", [0.0, 0.0, 0.0, 0.0]),
        ("implicitfast", "enable", [0.3 + 4.0, 2.0 + 3.0, 0.0, 0.0]),
    ],
)
def test_mass_is_m_plus_dt_times_damping_and_velocity_gains(integrator, eulerdamp, added):
    model, data = arm(integrator, eulerdamp)
    prediction = MujocoAdapter(model, data).predict()
    mujoco.mj_forward(model, data)
    expected = mass_matrix(model, data)[LINKS, LINKS] + model.opt.timestep * np.diag(added)
    np.testing.assert_allclose(prediction.mass, expected, rtol=1e-12, atol=1e-13)


def test_prediction_is_mujocos_step_without_contact():
    model, data = arm()
    prediction = MujocoAdapter(model, data).predict()
    before = data.qpos.copy()
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    mujoco.mj_step(model, data)
    np.testing.assert_array_equal(prediction.delta_theta_tilde, model.opt.timestep * data.qvel[LINKS])
    np.testing.assert_allclose(prediction.delta_theta_tilde, (data.qpos - before)[LINKS], atol=1e-15)


def test_predicting_changes_nothing_that_a_user_sees():
    model, data = arm()
    mujoco.mj_step(model, data)
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_INTEGRATION)
    before, after = np.empty(size), np.empty(size)
    mujoco.mj_getState(model, data, before, mujoco.mjtState.mjSTATE_INTEGRATION)
    seen = data.xpos.copy(), data.qacc.copy(), model.geom_contype.copy(), model.geom_conaffinity.copy()
    MujocoAdapter(model, data).predict()
    mujoco.mj_getState(model, data, after, mujoco.mjtState.mjSTATE_INTEGRATION)
    np.testing.assert_array_equal(before, after)
    for old, new in zip(seen, (data.xpos, data.qacc, model.geom_contype, model.geom_conaffinity), strict=True):
        np.testing.assert_array_equal(old, new)


def test_link_poses_are_those_before_the_step():
    model, data = arm()
    adapter = MujocoAdapter(model, data)
    np.testing.assert_array_equal(adapter.predict().link_poses, adapter.link_poses())


def test_mass_of_the_panda_under_implicitfast():
    model = panda()
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    data = mujoco.MjData(model)
    data.qpos[:] = [0.1, 0.3, -0.2, -1.5, 0.4, 1.8, 0.5, 0.02, 0.02]
    data.eq_active[:] = 0  # equalities add to it
    prediction = MujocoAdapter(model, data).predict()
    mujoco.mj_forward(model, data)
    damping = model.opt.timestep * np.diag(model.dof_damping)
    np.testing.assert_allclose(prediction.mass, mass_matrix(model, data) + damping, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("others", [0, 1])
def test_contacts_come_back_after_an_error(others):
    model, _ = arm()
    before, flags = model.geom_contype.copy(), model.opt.disableflags
    geoms = list(range(others, model.ngeom))

    def fail_inside():
        with ContactsOff(model, geoms):
            off = model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_CONTACT
            assert off or not model.geom_contype[geoms].any()
            raise KeyError

    with pytest.raises(KeyError):
        fail_inside()
    np.testing.assert_array_equal(model.geom_contype, before)
    assert model.opt.disableflags == flags


def test_contact_of_other_geoms_stays_on():
    model, _ = arm()
    with ContactsOff(model, [0, 1, 2]):
        assert not model.geom_contype[:3].any()
        assert model.geom_contype[3:].any()
        assert not model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_CONTACT


def test_unstable_step():
    model, data = arm()
    data.qvel[0] = 1e12
    with pytest.raises(AdapterError, match=r"MuJoCo's own step from t = 0 s is unstable .* use a smaller time step"):
        MujocoAdapter(model, data).predict()


@pytest.mark.parametrize("control", [np.nan, -np.inf, 1.1e10, -1e11])
def test_control_that_is_not_finite_or_too_large(control):
    model, data = arm()
    data.ctrl[-1] = control
    name = model.actuator(model.nu - 1).name or f"number {model.nu - 1}"
    expected = f"the control of actuator '{name}' is {control} at t = 0 s; give a number from -1e+10 to 1e+10"
    with pytest.raises(AdapterError, match=re.escape(expected)):
        MujocoAdapter(model, data).predict()


def test_a_large_control_that_mujoco_clamps_is_accepted():
    model, data = arm()
    model.actuator_ctrllimited[-1], model.actuator_ctrlrange[-1] = True, [-1.0, 1.0]
    data.ctrl[-1] = 1.0
    expected = MujocoAdapter(model, data).predict().delta_theta_tilde
    data.ctrl[-1] = 1e11
    np.testing.assert_array_equal(MujocoAdapter(model, data).predict().delta_theta_tilde, expected)
