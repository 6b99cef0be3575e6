"""Floating bases and ball joints of MuJoCo: its own motion without contact, momentum and weight with it."""

import mujoco
import numpy as np
import pytest
import uipc
from ipc_articulation.adapters.mujoco import MujocoAdapter

from ipc_articulation import Engine, couple
from ipc_articulation.errors import ArticulationError

OPTION = '<option timestep="0.005" integrator="{}" gravity="0 0 {}"/>'
MODELS = {
    "legs on hinges": """
      <body name="trunk" pos="0 0 1"><freejoint name="root"/><geom type="box" size="0.2 0.1 0.05" pos="0.03 0 0"/>
        <body name="thigh" pos="0.2 0 0"><joint name="hip" axis="0 1 0" damping="0.1"/>
          <geom type="capsule" fromto="0 0 -0.05 0 0 -0.3" size="0.03"/>
          <body name="shin" pos="0 0 -0.35"><joint name="knee" axis="0 1 0" stiffness="5"/>
            <geom type="capsule" fromto="0 0 -0.05 0 0 -0.3" size="0.03"/></body></body>
        <body name="tail" pos="-0.25 0 0"><joint name="tail" type="slide" axis="1 0.5 0" stiffness="80"/>
          <geom size="0.04"/></body></body>""",
    "arm of balls": """
      <body name="upper" pos="0 0 1"><joint name="shoulder" type="ball" damping="0.2"/>
        <geom type="capsule" fromto="0 0 -0.05 0.02 0 -0.4" size="0.03"/>
        <body name="lower" pos="0 0 -0.5"><joint name="elbow" type="ball"/>
          <geom type="capsule" fromto="0 0 -0.05 0 0.05 -0.4" size="0.03"/></body></body>""",
    "balls on a floating base": """
      <body name="hub" pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.1 0.1"/>
        <body name="one" pos="0.15 0 0"><joint name="left" type="ball"/><geom size="0.05" pos="0.1 0 0"/></body>
        <body name="two" pos="-0.15 0 0"><joint type="slide"/><joint name="right" type="ball"/>
          <geom size="0.05" pos="-0.1 0 0.02"/></body></body>""",
    "a drone, and a body on a rope": """
      <body name="drone" pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.1 0.02"/>
        <site name="left" pos="0 0.1 0"/><site name="right" pos="0.02 -0.1 0"/></body>
      <body name="load" pos="0.5 0.1 0.6"><joint type="free" damping="0.1"/><geom size="0.05" pos="0 0 0.01"/>
        <site name="hook"/></body></worldbody>
      <actuator><motor site="left" gear="0 0 1 0 0 0.1"/><motor site="right" gear="0 0 1 0 0 -0.1"/></actuator>
      <tendon><spatial stiffness="20" damping="1"><site site="left"/><site site="hook"/></spatial></tendon>
      <worldbody>""",
}


def coupled(content, integrator="Euler", gravity=-9.81, seed=None, speeds=()):
    """A model with random velocities, or given ones: coupling, MuJoCo's model and state, libuipc's scene."""
    option = OPTION.format(integrator, gravity)
    model = mujoco.MjModel.from_xml_string(f"<mujoco>{option}<worldbody>{content}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    if seed is not None:
        data.qvel[:] = np.random.default_rng(seed).normal(size=model.nv)
        data.ctrl[:] = 8.0
    for dof, speed in speeds:
        data.qvel[dof] = speed
    config = uipc.Scene.default_config()
    config["dt"], config["gravity"] = model.opt.timestep, model.opt.gravity.reshape(3, 1).tolist()
    config["contact"]["d_hat"] = 0.001
    scene = uipc.Scene(config)
    coupling = couple(scene, MujocoAdapter(model, data))
    return coupling, model, data, scene


def started(scene, tmp_path):
    world = uipc.World(Engine("cpu", str(tmp_path)))
    world.init(scene)
    return world


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
@pytest.mark.parametrize("content", MODELS.values(), ids=MODELS)
def test_without_contact_the_motion_is_mujocos_own(content, integrator, tmp_path):
    coupling, model, data, scene = coupled(content, integrator, seed=1)
    own = mujoco.MjData(model)
    mujoco.mj_copyState(model, data, own, mujoco.mjtState.mjSTATE_INTEGRATION)
    world = started(scene, tmp_path)
    for _ in range(40):
        coupling.step(world)
        mujoco.mj_step(model, own)
    np.testing.assert_allclose(data.qpos, own.qpos, atol=1e-8)
    np.testing.assert_allclose(data.qvel, own.qvel, atol=1e-6)
    assert coupling.drift.max() < 1e-8


def test_a_second_of_flight_is_mujocos_own(tmp_path):
    """Newton goes on where its start is no solution: a step's error of 1e-8 would add up to 1e-5."""
    arm = """<body pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.1 0.05" mass="2"/>
      <body pos="0 0 0.1"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 0.3" size="0.02" mass="0.5"/>
        <body pos="0 0 0.35"><joint axis="1 0 0"/><geom type="capsule" fromto="0 0 0 0 0 0.3" size="0.02" mass="0.5"/>
        </body></body></body>"""
    coupling, model, data, scene = coupled(arm.replace('mass="', 'contype="0" conaffinity="0" mass="'), seed=1)
    own = mujoco.MjData(model)
    mujoco.mj_copyState(model, data, own, mujoco.mjtState.mjSTATE_INTEGRATION)
    world = started(scene, tmp_path)
    for _ in range(200):
        coupling.step(world)
        mujoco.mj_step(model, own)
    np.testing.assert_allclose(data.qpos, own.qpos, atol=1e-9)


def test_a_base_that_turns_by_half_a_turn_in_a_step_is_refused_by_name(tmp_path):
    top = """<body pos="0 0 1"><freejoint name="root"/><geom type="box" size="0.1 0.1 0.02"/>
      <body pos="0 0 0.1"><joint axis="0 0 1"/><geom size="0.02"/></body></body>"""
    coupling, _, data, scene = coupled(top, gravity=0, speeds=[(5, 700.0)])
    world = started(scene, tmp_path)
    before = data.qpos.copy()
    with pytest.raises(ArticulationError, match=r"joint 'root' \(free\): \|delta_theta_tilde\| is 3\.5 rad, must be"):
        coupling.step(world)
    np.testing.assert_array_equal(data.qpos, before)


def test_a_freedom_and_a_joint_of_one_name_are_told_apart():
    coupling, *_ = coupled(MODELS["legs on hinges"].replace('name="hip"', 'name="root/x"'))
    assert list(coupling.joint_names[:7:6]) == ["root/x (1)", "root/x (2)"]


def test_freedoms_have_names_and_positions():
    coupling, _, data, _ = coupled(MODELS["balls on a floating base"])
    axes = ["x", "y", "z", "rx", "ry", "rz"]
    names = [f"joint0/{axis}" for axis in axes] + [f"left/{axis}" for axis in axes[3:]] + ["joint2"]
    assert list(coupling.joint_names) == names + [f"right/{axis}" for axis in axes[3:]]
    half = np.sqrt(0.5)
    data.qpos[:7], data.qpos[7:11] = [1, 2, 3, half, 0, half, 0], [half, 0, 0, -half]
    quarter = np.pi / 2
    want = [1, 2, 3, 0, quarter, 0, 0, 0, -quarter, 0, 0, 0, 0]
    np.testing.assert_allclose(coupling.adapter.theta(), want, atol=1e-12)


def test_a_body_with_a_free_joint_alone_is_ipcs_and_one_that_carries_joints_is_not():
    content = MODELS["legs on hinges"] + '<body name="stone" pos="2 0 1"><freejoint/><geom size="0.1"/></body>'
    coupling, *_ = coupled(content)
    robot = coupling.adapter.describe()
    assert [body.name for body in robot.free] == ["stone"]
    assert [link.name for link in robot.links] == ["trunk", "thigh", "shin", "tail"]
    assert [joint.kind for joint in robot.joints] == ["free", "revolute", "revolute", "prismatic"]
    assert [joint.parent for joint in robot.joints] == [-1, 0, 1, 0]


def test_a_ball_gives_a_floating_robot_the_momentum_that_it_loses(tmp_path):
    """Linear momentum is that of M̂: the impulse on the root is what Newton's method balances."""
    ball = '<body name="ball" pos="-0.6 0.02 1.01"><freejoint/><geom size="0.08" mass="10"/></body>'
    first = 9  # of the ball's degrees of freedom
    coupling, _, data, scene = coupled(MODELS["legs on hinges"] + ball, gravity=0, speeds=[(first, 5.0)])
    world = started(scene, tmp_path)
    gained, lost = np.zeros(3), np.zeros(3)
    for _ in range(60):
        before = data.qvel[first : first + 3].copy()
        coupling.step(world)
        gained += coupling.contact_force[:3] * 0.005
        lost += 10.0 * (before - data.qvel[first : first + 3])
    assert lost[0] > 1.0
    np.testing.assert_allclose(gained, lost, atol=1e-9 * lost[0])


def test_a_floating_robot_on_the_ground_weighs_what_it_weighs(tmp_path):
    ground = '<geom type="plane" size="5 5 0.1"/>'
    stool = """<body name="seat" pos="0 0 0.33"><freejoint/><geom type="box" size="0.2 0.2 0.02" mass="3"/>{}</body>"""
    leg = """<body name="leg{0}" pos="{1} {2} -0.02"><joint axis="0 1 0" stiffness="2000" damping="20"/>
      <geom type="capsule" fromto="0 0 -0.03 0 0 -0.27" size="0.02" mass="0.5"/></body>"""
    places = [(x, y) for x in (-0.15, 0.15) for y in (-0.15, 0.15)]
    legs = "".join(leg.format(k, *place) for k, place in enumerate(places))
    coupling, model, _, scene = coupled(ground + stool.format(legs))
    world = started(scene, tmp_path)
    for _ in range(80):
        coupling.step(world)
        assert coupling.minimum_distance > 0.0
    weight = 9.81 * model.body_subtreemass[1]
    assert coupling.contact_force[2] == pytest.approx(weight, rel=0.01)
    np.testing.assert_allclose(coupling.contact_force[:2], 0.0, atol=0.01 * weight)
