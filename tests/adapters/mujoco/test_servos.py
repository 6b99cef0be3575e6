"""A scene holds a robot where it starts, whatever servos its file has."""

from dataclasses import replace
from types import SimpleNamespace

import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco.scene_model import SceneModel

from ipc_articulation.coupling.robots import RobotSetup

ARM = """<mujoco><compiler autolimits="true"/><worldbody>
  <body name="arm"><joint name="turn" axis="0 0 1" damping="1"/>
    <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/><site name="tip"/></body>
  <body name="head" pos="0 0 1"><joint name="neck" type="ball" damping="1"/><geom size="0.1"/><site name="eye"/></body>
  <body name="left" pos="0 0 2"><joint name="left" type="slide" axis="0 1 0"/><geom size="0.02"/></body>
  <body name="right" pos="0 0 3"><joint name="right" type="slide" axis="0 -1 0"/><geom size="0.02"/></body>
  </worldbody>
  <tendon><fixed name="split"><joint joint="left" coef="0.5"/><joint joint="right" coef="0.5"/></fixed></tendon>
  <equality><joint joint1="left" joint2="right"/></equality>
  <actuator>{servo}</actuator><keyframe>{key}</keyframe></mujoco>"""
START = {"turn": 0.5, "left": 0.04, "right": 0.04}
TURN = {
    "position": '<position joint="turn" kp="50" kv="2" gear="3"/>',
    "spring of its own gain": '<general joint="turn" gainprm="5" biastype="affine" biasprm="2 -50 -2"/>',
    "time constant": '<position joint="turn" kp="50" kv="2" timeconst="0.5"/>',
    "delay": '<position joint="turn" kp="50" kv="2" delay="0.05" nsample="30"/>',
    "pid": '<pid joint="turn" kp="50" kv="2" gear="2"/>',
    "delayed pid": '<pid joint="turn" kp="50" kv="2" delay="0.05" nsample="30"/>',
    "slow pid": '<pid joint="turn" kp="50" kv="2" ki="5" slewmax="0.1"/>',
    "dcmotor": """<dcmotor joint="turn" input="pos vel" motorconst="0.1" resistance="1" inductance="0.001"
                  controller="50 1 2 0.1 0 0"/>""",
    "joint in parent": '<position jointinparent="turn" kp="50" kv="2"/>',
}
OTHER = {
    "integrated velocity": ('<intvelocity joint="turn" kp="50" kv="2"/>', "turn"),
    "gripper": (
        """<general tendon="split" forcerange="-100 100" ctrlrange="0 255" biastype="affine" gainprm="0.01568627451"
           biasprm="0 -100 -10"/>""",
        "left",
    ),
    "expmap": ('<orientation joint="neck" kp="20" kv="1"/>', "neck"),
    "quaternion": ('<orientation site="eye" refsite="tip" kp="20" kv="1" input="quat"/>', "neck"),
}
needs_4 = pytest.mark.skipif(not hasattr(mujoco.mjtTrn, "mjTRN_SO3"), reason="needs MuJoCo 4")
pytestmark = needs_4


def robot_of(tmp_path, servo, key="", **start):
    file = tmp_path / "arm.xml"
    file.write_text(ARM.format(servo=servo, key=key))
    setup = RobotSetup(0.002, np.zeros(3), "implicitfast", start={**START, **start})
    return SceneModel(file, ()).build(setup)


def run(robot, targets=None, steps=400):
    """MuJoCo's own steps, pushed a little, with the scene's commands; the positions before and after."""
    before = robot.data.qpos.copy()
    for _ in range(steps):
        robot.command(robot.start if targets is None else targets)
        mujoco.mj_step(robot.model, robot.data)
    return SimpleNamespace(before=before, after=robot.data.qpos.copy())


@pytest.mark.parametrize("servo", TURN.values(), ids=TURN)
def test_a_servo_of_a_joint_holds_and_follows_its_target(servo, tmp_path):
    robot = robot_of(tmp_path, servo)
    assert robot.actuated == ["turn"]
    own = run(robot)
    np.testing.assert_allclose(own.after, own.before, atol=1e-9)
    assert run(robot, np.array([0.55]), 3000).after[0] == pytest.approx(0.55, abs=2e-3)


@pytest.mark.parametrize(("servo", "joint"), OTHER.values(), ids=OTHER)
def test_other_servos_hold(servo, joint, tmp_path):
    robot = robot_of(tmp_path, servo)
    assert robot.actuated == []
    at = robot.model.joint(joint).qposadr[0]
    own = run(robot)
    np.testing.assert_allclose(own.after, own.before, atol=1e-9)
    robot.data.qpos[at : at + 4 if joint == "neck" else at + 1] += [0.1, 0.1, 0, 0] if joint == "neck" else 0.005
    mujoco.mj_normalizeQuat(robot.model, robot.data.qpos)
    np.testing.assert_allclose(run(robot, steps=4000).after, own.before, atol=1e-3)


def test_a_ball_joint_is_held_where_it_is(tmp_path):
    for servo, joint in (OTHER["expmap"], OTHER["quaternion"]):
        file = tmp_path / "arm.xml"
        file.write_text(ARM.format(servo=servo, key="").replace('name="head" pos="0 0 1"', 'name="head" euler="9 8 7"'))
        robot = SceneModel(file, ()).build(RobotSetup(0.002, np.zeros(3), "implicitfast", start={"turn": -0.4}))
        own = run(robot)
        np.testing.assert_allclose(own.after, own.before, atol=1e-6), joint


KEY = '<key qpos="0.5 1 0 0 0 0.04 0.04" ctrl="{}"/>'


def test_controls_of_a_keyframe_at_the_start_count_for_what_no_target_drives(tmp_path):
    motor = '<motor name="m" joint="left"/><position joint="turn" kp="50" kv="2"/>'
    robot = robot_of(tmp_path, motor + OTHER["gripper"][0], KEY.format("7 0.1 100"))
    robot.command(robot.start)
    np.testing.assert_array_equal(robot.data.ctrl, [7, 0.5, 100])
    other = robot_of(tmp_path, motor + OTHER["gripper"][0], KEY.format("7 0.1 100"), turn=0.4)
    np.testing.assert_allclose(other.data.ctrl, [0, 0.4, 255], atol=1e-6)


def test_what_cannot_hold_is_named(tmp_path):
    grip = OTHER["gripper"][0].replace("<general", '<general name="grip"')
    said = r"actuator 'grip' does not hold where .*: its control would be 286.875, .* range is 0 to 255; give"
    with pytest.warns(UserWarning, match=said):
        robot_of(tmp_path, grip, left=0.045, right=0.045)
    muscle = '<muscle name="calf" tendon="split" lengthrange="-1 1"/>'
    with pytest.warns(UserWarning, match="actuator 'calf' does not hold where .*: no control is known at which it"):
        robot_of(tmp_path, muscle)
    gain = 'gaintype="affine" gainprm="20 0.1 0" biastype="affine" biasprm="0 -30 -3"'
    with pytest.warns(UserWarning, match="actuator 'curved' does not hold where .*: no control is known at which it"):
        robot_of(tmp_path, f'<general name="curved" joint="turn" {gain}/>')
    besides = '<general name="lifts" joint="turn" gainprm="30" biastype="affine" biasprm="5 -30 -3"/>'
    with pytest.warns(UserWarning, match="actuator 'lifts' does not hold where .*: it has the force 5 besides; give"):
        robot_of(tmp_path, besides)
    limited = '<intvelocity name="slow" joint="turn" kp="50" kv="2" actrange="-0.1 0.1"/>'
    with pytest.warns(UserWarning, match=r"'slow' does not .*: its activation would be 0.5, .* range is -0.1 to 0.1"):
        robot_of(tmp_path, limited)


def test_disabled_actuators_hold_nothing(tmp_path):
    robot = robot_of(tmp_path, TURN["position"].replace("/>", ' group="3"/>'))
    robot.model.opt.disableactuator = 8
    assert type(robot)(robot.model, robot.data).actuated == []


DAMPED = """<mujoco><worldbody><body name="arm"><joint name="turn" axis="0 0 1"/><geom size="0.1" pos="0.3 0 0"/>
    <body name="hand" pos="0.5 0 0"><joint name="grip" axis="0 0 1"/><geom size="0.05" pos="0.1 0 0"/></body></body>
  </worldbody><actuator>
  <position joint="turn" kp="50" dampratio="1"/><position joint="turn" kp="50" kv="3"/>
  <pid joint="grip" kp="5" dampratio="0.5"/></actuator></mujoco>"""


def test_a_drawn_armature_damps_servos_with_a_damping_ratio_as_one_in_the_file(tmp_path):
    """Of the other servo the gains stay, as do those that were set by hand."""
    file = tmp_path / "arm.xml"
    file.write_text(DAMPED)
    setup = RobotSetup(0.002, np.zeros(3), "implicitfast", armature={"turn": 0.1})
    given = SceneModel(file, ()).build(replace(setup, armature={"turn": 2.0, "grip": 0.5})).model.actuator_biasprm
    drawn = SceneModel(file, ()).build(setup)
    drawn.model.actuator_biasprm[1, 2] = -4.0
    drawn.retune(replace(setup, armature={"turn": 2.0, "grip": 0.5}))
    np.testing.assert_allclose(drawn.model.actuator_biasprm[::2, 2], given[::2, 2], rtol=1e-9)
    assert drawn.model.actuator_biasprm[1, 2] == -4.0
    before = SceneModel(file, ()).build(replace(setup, armature={"turn": 0.1, "grip": 0.0})).model.actuator_biasprm
    drawn.retune(replace(setup, armature={"turn": 0.1, "grip": 0.0}))
    np.testing.assert_allclose(drawn.model.actuator_biasprm[::2, 2], before[::2, 2], rtol=1e-9)
