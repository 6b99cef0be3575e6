"""Where joints start that follow others: `<mimic>` in URDF files, equalities of joints in MJCF files."""

import numpy as np
import pytest

from ipc_articulation.errors import SceneFileError
from tests.simulation.scene_texts import simulation

LINK = """<link name="{name}"><inertial><origin xyz="{x} 0 0"/><mass value="1"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><origin xyz="{x} 0 0"/><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>"""
JOINT = """<joint name="{name}" type="revolute"><parent link="base"/><child link="{child}"/><origin xyz="{x} 0 0.3"/>
<axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="100" velocity="10"/>{mimic}</joint>"""
MIMIC = '<mimic joint="b_lead" multiplier="-2" offset="0.1"/>'
GRIPPER = "".join(
    (
        '<robot name="gripper">',
        *(LINK.format(name=name, x=x) for name, x in (("base", 0.0), ("left", 0.3), ("right", -0.3))),
        JOINT.format(name="b_lead", child="left", x=0.3, mimic=""),
        JOINT.format(name="follow", child="right", x=-0.3, mimic=MIMIC),
        "</robot>",
    )
)
CURVE = """<mujoco><worldbody><body name="base"><geom type="box" size="0.05 0.05 0.05"/>
<body pos="0.3 0 0.3"><joint name="b_lead" axis="0 1 0" ref="0.2"/>
<geom type="box" size="0.05 0.05 0.05" pos="0.3 0 0"/></body><body pos="-0.3 0 0.3">
<joint name="follow" axis="0 1 0" ref="0.5"/>
<geom type="box" size="0.05 0.05 0.05" pos="-0.3 0 0"/></body></body></worldbody>
<equality><joint joint1="follow" joint2="b_lead" polycoef="0.1 1 2 0 0"/></equality>
<compiler angle="radian"/></mujoco>"""


def made(folder, adapter, text=GRIPPER, steps=5, controller=None, **robot):
    model = folder / f"gripper.{'urdf' if text is GRIPPER else 'xml'}"
    model.write_text(text)
    robot = {"model": str(model), "base": "fixed"} | robot
    scene = {"adapter": adapter, "dt": 0.01, "steps": steps, "gravity": [0, 0, 0], "robot": robot}
    return simulation(folder, scene | ({} if controller is None else {"controller": controller}), steps)


@pytest.mark.parametrize("adapter", ["native", "mujoco"])
def test_a_follower_starts_where_its_leader_puts_it_and_moves_with_it(tmp_path, adapter):
    run = made(tmp_path, adapter, initial={"b_lead": 0.3}, initial_velocity={"b_lead": 0.4})
    start = run.measure(is_start=True)
    np.testing.assert_allclose(start["theta"], [0.3, 0.1 - 2 * 0.3], atol=1e-12)
    np.testing.assert_allclose(start["theta_dot"], [0.4, -0.8], atol=1e-12)
    for k in range(5):
        run.step(k)
    end = run.measure(is_start=False)
    np.testing.assert_allclose(end["theta"], [0.32, 0.1 - 2 * 0.32], atol=1e-4)
    np.testing.assert_allclose(end["theta_dot"], [0.4, -0.8], atol=5e-3)


@pytest.mark.parametrize("adapter", ["native", "mujoco"])
def test_a_follower_of_a_follower_starts_in_place_too(tmp_path, adapter):
    first = JOINT.format(name="a_last", child="top", x=0.0, mimic='<mimic joint="follow" multiplier="3" offset="0.2"/>')
    chain = GRIPPER.replace('"gripper">', '"gripper">' + LINK.format(name="top", x=0.0) + first)
    (tmp_path / "chain.urdf").write_text(chain)
    model = str(tmp_path / "chain.urdf")
    run = made(tmp_path, adapter, model=model, initial={"b_lead": 0.3}, initial_velocity={"b_lead": 0.4})
    start = run.measure(is_start=True)
    np.testing.assert_allclose(start["theta"], [0.2 - 3 * 0.5, 0.3, -0.5], atol=1e-12)
    np.testing.assert_allclose(start["theta_dot"], [-2.4, 0.4, -0.8], atol=1e-12)


@pytest.mark.parametrize("adapter", ["native", "mujoco"])
@pytest.mark.parametrize(("aims", "reached"), [({"b_lead": 0.3}, 0.3), ({"b_lead": 0.3, "follow": -1.1}, 0.54)])
def test_an_actuator_of_a_follower_does_not_hold_it_back_from_its_leader(tmp_path, adapter, aims, reached):
    """Where targets contradict each other, ½ k (θ - 0.3)² + ½ k (0.1 - 2 θ + 1.1)² is least."""
    actuators = [{"joints": ".*", "kp": 400, "kv": 60}]
    controller = {"type": "trajectory", "waypoints": [{"time": 0.1, "joints": aims}]}
    run = made(tmp_path, adapter, steps=100, controller=controller, actuators=actuators)
    for k in range(100):
        run.step(k)
    leader, follower = run.measure(is_start=False)["theta"]
    np.testing.assert_allclose([leader, follower], [reached, 0.1 - 2 * reached], atol=0.01)


def test_without_a_word_in_the_scene_native_followers_start_in_place(tmp_path):
    np.testing.assert_allclose(made(tmp_path, "native").measure(is_start=True)["theta"], [0.0, 0.1], atol=1e-12)


def test_an_equality_of_mujoco_counts_from_the_references_and_may_be_a_curve(tmp_path):
    run = made(tmp_path, "mujoco", CURVE, base=None, initial={"b_lead": 0.3}, initial_velocity={"b_lead": 2.0})
    start = run.measure(is_start=True)
    np.testing.assert_allclose(start["theta"], [0.3, 0.5 + 0.1 + 0.1 + 2 * 0.01], atol=1e-12)
    np.testing.assert_allclose(start["theta_dot"], [2.0, (1 + 4 * 0.1) * 2.0], atol=1e-12)


@pytest.mark.parametrize("adapter", ["native", "mujoco"])
def test_rounded_values_are_taken_and_made_exact(tmp_path, adapter):
    run = made(tmp_path, adapter, initial={"b_lead": 0.3, "follow": -0.5004})
    np.testing.assert_allclose(run.measure(is_start=True)["theta"], [0.3, -0.5], atol=1e-12)


@pytest.mark.parametrize("adapter", ["native", "mujoco"])
@pytest.mark.parametrize(
    ("robot", "message"),
    [
        (
            {"initial": {"b_lead": 0.3, "follow": 0.5}},
            "initial of joint 'follow' is 0.5, but it follows joint 'b_lead', which makes it -0.5; leave it out, or",
        ),
        ({"initial": {"follow": 0.5}}, "initial of joint 'follow' is 0.5, but .*'b_lead', which makes it 0.1"),
        (
            {"initial_velocity": {"b_lead": 1.0, "follow": 1.0}},
            "initial_velocity of joint 'follow' is 1, but it follows joint 'b_lead', which makes it -2; leave it out",
        ),
    ],
)
def test_contradictions_are_refused_with_their_line(tmp_path, adapter, robot, message):
    with pytest.raises(SceneFileError, match=message) as caught:
        made(tmp_path, adapter, **robot)
    lines = (tmp_path / "scene.yaml").read_text().splitlines()
    assert lines[caught.value.line - 1].strip().startswith("follow:")
