"""A robot whose file closes its own loops, as a scene has it."""

from pathlib import Path

import numpy as np
import pytest
from ipc_articulation.adapters.native import NativeAdapter, Pin
from ipc_articulation.adapters.native.scene_model import SceneModel

from ipc_articulation.coupling.robots import Actuator, RobotSetup
from ipc_articulation.dynamics.loops import FourBar
from tests.dynamics.reading.loop_documents import coupling, loop

PRESS = Path(__file__).parents[3] / "scenes" / "four_bar_press.urdf"
START = {"crank_joint": 1.7, "rocker_joint": 1.6, "coupler_joint": -1.65}
LOOP = (("crank_joint", "rocker_joint", "coupler_joint"), FourBar((0.3, 0.35, 0.25), (0.32, 0.05)))
PIN = Pin("pin", "coupler", "rocker", (0.35, 0, 0), (0.25, 0, 0))
ROTOR = """<link name="rotor"><inertial><mass value="0.1"/>
  <inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="rotor_joint" type="continuous" independent="false"><parent link="base"/><child link="rotor"/>
  <axis xyz="0 1 0"/></joint>"""


def setup(start=START, **keys) -> RobotSetup:
    return RobotSetup(0.01, np.array([0.0, 0.0, -9.81]), "implicit", start=start, **keys)


def adapter_of(tmp_path, *more: str, flags: bool = True, **keys) -> NativeAdapter:
    """The press, with elements in its file."""
    text = PRESS.read_text()
    for name in ("rocker_joint", "coupler_joint") if flags else ():
        text = text.replace(f'<joint name="{name}"', f'<joint name="{name}" independent="false"')
    file = tmp_path / "press.urdf"
    file.write_text(text.replace("</robot>", "\n".join(["", *more, "</robot>"])))
    actuators = (Actuator("crank_joint", 300.0, 30.0),)
    return SceneModel(file, []).build(setup(actuators=actuators, **keys)).adapter


def test_a_loop_of_the_file_is_the_one_of_the_scene(tmp_path):
    """The pin, with its axis, comes with it; so does the motion."""
    want = adapter_of(tmp_path, flags=False, loops=(LOOP,), pins=(PIN,))
    got = adapter_of(tmp_path, loop("coupler", "0.35 0 0", "rocker", "0.25 0 0"))
    [ours], [theirs] = (
        [joint for joint in adapter.describe().passive_joints if joint.name in ("pin", "closing 1")]
        for adapter in (got, want)
    )
    assert (ours.parent, ours.child) == (theirs.parent, theirs.child)
    np.testing.assert_allclose(ours.anchor, theirs.anchor, atol=1e-9)
    np.testing.assert_allclose(abs(ours.axis @ theirs.axis), 1.0, atol=1e-12)
    for _ in range(5):
        steps = [adapter.predict() for adapter in (got, want)]
        np.testing.assert_allclose(steps[0].mass, steps[1].mass, rtol=1e-8)
        np.testing.assert_allclose(steps[0].delta_theta_tilde, steps[1].delta_theta_tilde, rtol=1e-7)
        for adapter, step in zip((got, want), steps, strict=True):
            adapter.commit(step.delta_theta_tilde, np.zeros((0, 4, 4)), np.zeros((0, 4, 4)))


def test_a_geared_rotor_of_the_file_counts_and_is_not_in_the_scene(tmp_path):
    closing = loop("coupler", "0.35 0 0", "rocker", "0.25 0 0")
    plain = adapter_of(tmp_path, closing)
    geared = adapter_of(tmp_path, closing, ROTOR, coupling("crank", "rotor", -9.33))
    assert [link.name for link in geared.describe().links] == ["crank", "rocker", "coupler"]
    assert geared.predict().mass[0, 0] == pytest.approx(plain.predict().mass[0, 0] + 9.33**2 * 1e-4)


def test_a_loop_that_ends_on_what_stands_still(tmp_path):
    """The rocker's pivot is the loop's, and the rocker hangs on the coupler."""
    text = PRESS.read_text().replace(
        '<parent link="base"/><child link="rocker"/><origin xyz="0.32 0 0.05" rpy="1.5707963267948966 0 0"/>',
        '<parent link="coupler"/><child link="rocker"/><origin xyz="0.35 0 0"/>',
    )
    closing = loop("rocker", "-0.25 0 0", "base", "0.32 0 0.05")
    file = tmp_path / "press.urdf"
    file.write_text(text.replace("</robot>", closing + "</robot>"))
    start = {"crank_joint": 1.7, "coupler_joint": -1.65, "rocker_joint": -1.6}
    mechanism = SceneModel(file, []).build(setup(start)).adapter.describe()
    [pin] = [joint for joint in mechanism.passive_joints if joint.name == "closing 1"]
    assert (pin.parent, mechanism.links[pin.child].name) == (-1, "rocker")
    np.testing.assert_allclose(pin.anchor, [0.32, 0.0, 0.05], atol=1e-6)
    np.testing.assert_allclose(np.abs(pin.axis), [0.0, 1.0, 0.0], atol=1e-12)


def test_joints_that_mimic_others_beside_a_loop_are_coupled(tmp_path):
    follower = ROTOR.replace('independent="false"', "").replace(
        "</joint>", '<mimic joint="crank_joint" multiplier="-10"/></joint>'
    )
    closing = loop("coupler", "0.35 0 0", "rocker", "0.25 0 0")
    geared = adapter_of(tmp_path, closing, follower)
    plain = adapter_of(tmp_path, closing)
    assert geared.predict().mass[0, 0] == pytest.approx(plain.predict().mass[0, 0] + 100.0 * 1e-4)


CONNECTED = """
<mujoco>
  <worldbody>
    <body name="crank"><joint name="crank_joint" axis="0 1 0"/><geom type="box" size="0.15 0.02 0.02" pos="0.15 0 0"/>
      <body name="bar" pos="0.3 0 0" euler="0 -90 0">
        <joint name="bar_joint" axis="0 1 0"/><geom type="box" size="0.25 0.02 0.02" pos="0.25 0 0"/>
      </body>
    </body>
    <body name="rocker" pos="0 0 0.5">
      <joint name="rocker_joint" axis="0 1 0"/><geom type="box" size="0.15 0.02 0.02" pos="0.15 0 0"/>
    </body>
  </worldbody>
  <contact><exclude body1="bar" body2="rocker"/></contact>
  <equality><connect body1="bar" body2="rocker" anchor="0.5 0 0"/></equality>
</mujoco>
"""


def test_a_connect_of_mjcf_is_a_loop_with_a_hinge_where_the_bodies_meet(tmp_path):
    """The bars make a parallelogram, so that the rocker turns like the crank."""
    file = tmp_path / "bars.xml"
    file.write_text(CONNECTED.replace("<mujoco>", '<mujoco><compiler angle="degree"/>'))
    adapter = SceneModel(file, []).build(setup(start={}, actuators=(Actuator("crank_joint", 30.0, 3.0),))).adapter
    robot = adapter.describe()
    assert len(robot.joints) == 1
    [pin] = [joint for joint in robot.passive_joints if joint.name == "closing 1"]
    np.testing.assert_allclose(pin.anchor, [0.3, 0.0, 0.5], atol=1e-9)
    np.testing.assert_allclose(np.abs(pin.axis), [0.0, 1.0, 0.0], atol=1e-9)
    for _ in range(5):
        step = adapter.predict()
        adapter.commit(step.delta_theta_tilde, np.zeros((0, 4, 4)), np.zeros((0, 4, 4)))
    crank, bar, rocker = adapter.model.spanning(adapter.q)
    assert abs(crank) > 1e-4
    np.testing.assert_allclose((bar, rocker), (-crank, crank), atol=1e-6)


PINNED = """
<mujoco>
  <worldbody>
    <body name="crank"><joint axis="0 1 0"/><geom type="box" size="0.15 0.02 0.02" pos="0.15 0 0"/>
      <body name="bar" pos="0.3 0 0">
        <joint axis="0 1 0"/><geom type="box" size="0.02 0.02 0.25" pos="0 0 0.25"/>
        <body name="rocker" pos="0 0 0.5">
          <joint axis="0 1 0"/><geom type="box" size="0.15 0.02 0.02" pos="-0.15 0 0"/><site name="tip" pos="-0.3 0 0"/>
        </body>
      </body>
    </body>
    <site name="post" pos="0 0 0.5"/>
  </worldbody>
  <equality>EQUALITY</equality>
</mujoco>
"""


@pytest.mark.parametrize(
    "equality",
    [
        '<connect body1="rocker" anchor="-0.3 0 0"/>',
        '<connect body1="rocker" body2="world" anchor="-0.3 0 0"/>',
        '<connect site1="post" site2="tip"/>',
    ],
)
def test_a_connect_to_the_world_itself_is_a_hinge_there(tmp_path, equality):
    file = tmp_path / "bars.xml"
    file.write_text(PINNED.replace("EQUALITY", equality))
    robot = SceneModel(file, []).build(setup(start={})).adapter.describe()
    [pin] = [joint for joint in robot.passive_joints if joint.name == "closing 1"]
    assert (len(robot.joints), pin.parent, robot.links[pin.child].name) == (1, -1, "rocker")
    np.testing.assert_allclose(pin.anchor, [0.0, 0.0, 0.5], atol=1e-9)
    np.testing.assert_allclose(np.abs(pin.axis), [0.0, 1.0, 0.0], atol=1e-9)
