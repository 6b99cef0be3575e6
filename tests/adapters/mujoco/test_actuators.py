"""Actuators with other than one control and one force, as MuJoCo 4 has them, beside others."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import MujocoAdapter
from ipc_articulation.adapters.mujoco.scene_model import DrivenMujocoModel, SceneModel

from ipc_articulation.coupling.robots import Actuator, RobotSetup
from ipc_articulation.dynamics.reading.mujoco.actuators import joint_actuators
from ipc_articulation.errors import AdapterError, UnsupportedError
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


MANY = """<mujoco><option timestep="0.01" integrator="implicitfast"/><worldbody>
  <body name="head" pos="0 0 2"><joint name="neck" type="ball"/><geom size="0.1"/></body>
  <body name="arm" pos="0 0 1"><joint name="elbow" axis="0 1 0" damping="1"/>
    <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/></body>
  </worldbody><actuator>
  <dcmotor name="brake" joint="elbow" input="none" motorconst="0.1" resistance="1"/>
  <orientation name="gaze" joint="neck" kp="5" input="quat"/>
  <position name="servo" joint="elbow" kp="400" kv="20" gear="10" forcerange="-7 7" ctrlrange="-9 9"/>
  <pid name="other" joint="elbow" kp="1" posrange="-2 2"/></actuator></mujoco>"""


def test_gear_limits_and_controls_are_those_of_the_actuator():
    """The servo is the third actuator, its force the fifth of six, its control the fifth of seven."""
    model = mujoco.MjModel.from_xml_string(MANY)
    (servo,) = joint_actuators(model)[0]
    assert (servo.name, servo.gear, servo.force, servo.control) == ("servo", 10.0, (-7.0, 7.0), (-9.0, 9.0))
    robot = DrivenMujocoModel(model, mujoco.MjData(model))
    robot.command(np.array([0.3]))
    np.testing.assert_allclose(robot.data.ctrl, [1, 0, 0, 0, 3, 0.3, 0])
    assert robot.efforts[robot.joints.index("elbow")] == 70.0


@pytest.mark.parametrize(("control", "name"), [(1, "gaze"), (4, "servo"), (6, "other")])
def test_a_bad_control_is_refused_with_its_actuator(control, name):
    model = mujoco.MjModel.from_xml_string(MANY)
    data = mujoco.MjData(model)
    data.ctrl[control] = np.nan
    with pytest.raises(AdapterError, match=f"the control of actuator '{name}' is nan at t = 0 s; give a number"):
        MujocoAdapter(model, data).predict()


def test_gains_of_scene_actuators_are_set_behind_those_with_several_controls(tmp_path):
    file = tmp_path / "robot.xml"
    file.write_text(MANY)
    setup = RobotSetup(0.01, np.zeros(3), "implicitfast", actuators=(Actuator("elbow", 50.0, 5.0),))
    robot = SceneModel(file, ()).build(setup)
    own = robot.model.actuator_gainprm[:-1].copy()
    robot.retune(replace(setup, actuators=(Actuator("elbow", 70.0, 7.0),)))
    np.testing.assert_array_equal(robot.model.actuator_gainprm[:-1], own)
    assert robot.model.actuator_gainprm[-1, 0] == 70.0
    np.testing.assert_array_equal(robot.model.actuator_biasprm[-1, :3], [0, -70, -7])
