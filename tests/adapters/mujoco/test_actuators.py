"""Actuators with other than one control and one force, as MuJoCo 4 has them, beside others."""

import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import MujocoAdapter

from ipc_articulation.errors import UnsupportedError
from tests.adapters.mujoco.driven import Run

pytestmark = pytest.mark.skipif(not hasattr(mujoco.mjtTrn, "mjTRN_SO3"), reason="needs MuJoCo 4")

DRIFTER = """<mujoco><option timestep="0.01" integrator="implicitfast" gravity="0 0 0"/><worldbody><site name="frame"/>
  <body name="ship" pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.2 0.3"/><site name="nose"/></body></worldbody>
  <actuator><orientation name="gyro" site="nose" refsite="frame" kp="20" kv="2"/></actuator></mujoco>"""


def test_an_orientation_servo_turns_a_free_body(tmp_path):
    model = mujoco.MjModel.from_xml_string(DRIFTER)
    data, own = mujoco.MjData(model), mujoco.MjData(model)
    data.ctrl[:] = own.ctrl[:] = [0.3, -0.2, 0.5]
    run = Run(model, data, tmp_path)
    for _ in range(40):
        run.step()
        mujoco.mj_step(model, own)
    np.testing.assert_allclose(data.qpos, own.qpos, atol=1e-9)
    assert abs(own.qpos[3]) < 0.99


def test_an_orientation_servo_of_a_body_that_ipc_moves_is_refused():
    model = mujoco.MjModel.from_xml_string(DRIFTER)
    with pytest.raises(UnsupportedError, match="actuator 'gyro' drives a free body, which IPC moves"):
        MujocoAdapter(model, mujoco.MjData(model), free=["ship"])
