"""Rows of tendons and ball joints: their rates of change, and the forces that MuJoCo gives them."""

import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import MujocoAdapter

from ipc_articulation.errors import AdapterError

MODEL = """<mujoco><compiler angle="radian"/><option timestep="0.01" jacobian="{jacobian}"/><worldbody>
  <site name="hook" pos="0.1 0.2 0.8"/>
  <body name="arm" pos="0 0 0.5"><joint name="ball" type="ball" range="0 0.3"/>
    <geom type="box" size="0.25 0.05 0.02" pos="0.25 0 0"/>
    <body name="hand" pos="0.6 0 0"><joint name="one" axis="0 1 0" range="-1 0.1"/>
      <geom type="box" size="0.1 0.05 0.02" pos="0.1 0 0"/><site name="eye" pos="0.1 0 0.02"/>
      <body name="tip" pos="0.3 0 0"><joint name="two" axis="0 0 1"/><geom size="0.05"/></body></body></body>
  </worldbody>
  <tendon><spatial name="rope" range="0 0.35" frictionloss="0.3"><site site="hook"/><site site="eye"/></spatial>
    <fixed name="sum" range="-0.1 2"><joint joint="one" coef="-1"/><joint joint="two" coef="0.5"/></fixed></tendon>
</mujoco>
"""


def moved(jacobian: str = "dense") -> MujocoAdapter:
    """Beyond all limits at once: of the ball joint and the hinge, the upper one of the rope, the lower of the sum."""
    model = mujoco.MjModel.from_xml_string(MODEL.format(jacobian=jacobian))
    data = mujoco.MjData(model)
    data.qvel[:] = 0.3, -0.2, 0.5, 0.2, 0.1
    data.qpos[:] = 1.0, 0.3, -0.3, 0.4, 0.2, -0.3
    mujoco.mj_forward(model, data)
    return MujocoAdapter(model, data)


def values(adapter: MujocoAdapter, dq: np.ndarray) -> np.ndarray:
    """Lengths of the tendons and the angle of the ball joint after a displacement."""
    data, turned = mujoco.MjData(adapter.model), np.zeros(3)
    data.qpos[:] = adapter.data.qpos
    mujoco.mj_integratePos(adapter.model, data.qpos, dq, 1.0)
    mujoco.mj_forward(adapter.model, data)
    mujoco.mju_normalize4(data.qpos[:4])
    mujoco.mju_quat2Vel(turned, data.qpos[:4], 1.0)
    return np.array([*data.ten_length, np.linalg.norm(turned)])


@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
def test_rows_are_the_derivatives_of_lengths_and_angles(jacobian):
    adapter, h = moved(jacobian), 1e-6
    held = adapter.predict().restraints
    steps = h * np.eye(5)
    rates = np.stack([(values(adapter, dq) - values(adapter, -dq)) / (2 * h) for dq in steps], axis=1)
    np.testing.assert_allclose(held.rows, rates, atol=1e-8)
    at = values(adapter, np.zeros(5))
    np.testing.assert_allclose(held.upper[5:], np.array([0.35, 2.0, 0.3]) - at, atol=1e-12)
    np.testing.assert_allclose(held.lower[5:], np.array([0.0, -0.1, -np.inf]) - at, atol=1e-12)
    np.testing.assert_array_equal(held.friction, [0.0] * 5 + [0.3, 0.0, 0.0])


@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
def test_forces_of_freedoms_and_rows_together_are_those_of_mujocos_constraints(jacobian):
    adapter = moved(jacobian)
    held = adapter.predict().restraints
    forces = held.limit_force + held.friction_force
    assert held.limit_force[3] < 0.0  # at upper limits
    assert held.limit_force[5] < 0.0
    assert held.limit_force[6] > 0.0  # at the lower one
    assert held.limit_force[7] < 0.0
    assert held.friction_force[5] != 0.0
    np.testing.assert_array_equal(held.limit_force[:3], 0.0)  # the ball joint's limit is that of its row
    expected = adapter._steps.scratch.qfrc_constraint
    np.testing.assert_allclose(forces[:5] + held.rows.T @ forces[5:], expected, atol=1e-9 * np.abs(expected).max())


def test_limits_and_friction_that_the_model_disables_are_none():
    adapter = moved()
    adapter.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT | mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS
    assert adapter.predict().restraints is None


def test_limits_of_tendons_that_are_no_interval_are_refused():
    adapter = moved()
    adapter.model.tendon_range[1] = 2.0, np.nan
    with pytest.raises(AdapterError, match=r"tendon 'sum' has the limits 2 to nan in the step from t = 0 s; set tend"):
        adapter.predict()
