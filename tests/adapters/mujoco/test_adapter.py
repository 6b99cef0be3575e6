import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import MujocoAdapter

from ipc_articulation import affine
from tests.adapters.mujoco.models import arm


def keep_crate(adapter):
    """The free body's present pose and velocity, as IPC would hand them back."""
    crate = adapter.describe().free[0]
    return crate.pose[None], crate.velocity[None]


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
def test_committing_the_prediction_is_mujocos_own_run(integrator):
    model, data = arm(integrator)
    own = mujoco.MjData(model)
    own.qpos[:], own.qvel[:], own.ctrl[:] = data.qpos, data.qvel, data.ctrl
    adapter = MujocoAdapter(model, data)
    for _ in range(20):
        adapter.commit(adapter.predict().delta_theta_tilde, *keep_crate(adapter))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    for _ in range(20):
        mujoco.mj_step(model, own)
    np.testing.assert_allclose(data.qpos[:4], own.qpos[:4], atol=1e-12)
    np.testing.assert_allclose(data.qvel[:4], own.qvel[:4], atol=1e-12)
    assert data.time == own.time


def test_warm_start_of_mujocos_solver_is_kept():
    """With a joint on its limit the constraint solver's start decides the last digits."""
    model, data = arm()
    model.jnt_limited[0], model.jnt_range[0] = 1, [-0.1, 0.1]
    data.qpos[0] = 0.15
    own = mujoco.MjData(model)
    own.qpos[:], own.qvel[:], own.ctrl[:] = data.qpos, data.qvel, data.ctrl
    adapter = MujocoAdapter(model, data)
    adapter.commit(adapter.predict().delta_theta_tilde, *keep_crate(adapter))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    mujoco.mj_step(model, own)
    np.testing.assert_array_equal(data.qacc_warmstart[:4], own.qacc_warmstart[:4])


def test_correction_moves_positions_and_velocities():
    model, data = arm()
    adapter = MujocoAdapter(model, data)
    start = data.qpos[:4].copy()
    prediction = adapter.predict()
    wanted = prediction.delta_theta_tilde + np.array([0.0, 1e-3, 0.0, -2e-3])
    adapter.commit(wanted, *keep_crate(adapter))
    np.testing.assert_allclose(data.qpos[:4], start + wanted, atol=1e-15)
    np.testing.assert_allclose(data.qvel[:4], wanted / model.opt.timestep, atol=1e-12)


def test_free_bodies_go_where_they_are_told_and_kinematics_are_fresh():
    model, data = arm()
    adapter = MujocoAdapter(model, data)
    pose, rate = keep_crate(adapter)
    pose[0, :3, 3] = [7.0, 8.0, 9.0]
    adapter.commit(adapter.predict().delta_theta_tilde, pose, 0.5 * rate)
    np.testing.assert_allclose(data.body("crate").xpos, [7.0, 8.0, 9.0])
    q, qdot = affine.q_from_transform(pose[0]), affine.qdot_from_transform_rate(0.5 * rate[0])
    np.testing.assert_allclose(data.qvel[4:7], affine.twist_from_qdot(q, qdot)[0])
    np.testing.assert_allclose(data.body("wrist").xpos, adapter.link_poses()[3, :3, 3], atol=1e-15)


def test_mujoco_does_not_collide_what_ipc_owns():
    model, data = arm(seed=None)
    data.qpos[4:7] = [0.0, 0.0, -1.0]  # the crate in the floor
    adapter = MujocoAdapter(model, data)
    adapter.commit(adapter.predict().delta_theta_tilde, *keep_crate(adapter))
    assert data.ncon == 0
    mujoco.mj_forward(model, data)
    assert data.ncon > 0


def test_contact_of_ignored_bodies_stays_mujocos():
    model, data = arm(seed=None)
    data.qpos[4:7] = [0.0, 0.0, -1.0]
    adapter = MujocoAdapter(model, data, ignore=["crate", "world"])
    none = np.zeros((0, 4, 4))
    adapter.commit(adapter.predict().delta_theta_tilde, none, none)
    assert data.ncon > 0
    assert data.qvel[6] > 0.0  # the floor pushes the crate out


def test_actuator_state_advances():
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><worldbody><body><joint name="j"/><geom size="0.1"/></body></worldbody>'
        '<actuator><general joint="j" dyntype="filter" dynprm="0.1"/></actuator></mujoco>'
    )
    data = mujoco.MjData(model)
    data.ctrl[:] = 1.0
    adapter = MujocoAdapter(model, data)
    none = np.zeros((0, 4, 4))
    adapter.commit(adapter.predict().delta_theta_tilde, none, none)
    own = mujoco.MjData(model)
    own.ctrl[:] = 1.0
    mujoco.mj_step(model, own)
    assert data.act[0] == own.act[0] > 0.0


def test_gravity_and_time_step():
    model, data = arm()
    adapter = MujocoAdapter(model, data)
    assert adapter.dt == 0.01
    np.testing.assert_array_equal(adapter.gravity, [0.0, 0.0, -9.81])
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_GRAVITY
    np.testing.assert_array_equal(adapter.gravity, [0.0, 0.0, 0.0])
