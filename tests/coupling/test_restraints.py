"""Limits, dry friction and equalities against contact: a heavy box, fingers, a four-bar; with MuJoCo and our own."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
import uipc
from ipc_articulation.adapters.mujoco import MujocoAdapter
from ipc_articulation.adapters.native import NativeAdapter

from ipc_articulation import Engine, couple
from ipc_articulation.coupling.adapter import CoupledBody
from ipc_articulation.dynamics import PD, Drive
from ipc_articulation.dynamics.joints import PrismaticJoint, RevoluteJoint
from ipc_articulation.dynamics.model import Box, Mechanism, Mimic, Shape
from ipc_articulation.errors import AdapterError
from tests.coupling.worlds import at, cube, make_scene, make_world

DT, G, LOAD = 0.01, 9.81, 20.0
Y = np.array([0.0, 1.0, 0.0])
ARM = """
<mujoco><compiler angle="radian"/><option timestep="0.01" integrator="implicitfast"/><worldbody>
  <body name="arm" pos="0 0 0.5"><joint name="hinge" axis="0 1 0" {joint}/>
    <geom type="box" size="0.25 0.05 0.02" pos="0.25 0 0" mass="1"/></body>
  <body name="box" pos="0.35 0 0.62"><freejoint/><geom type="box" size="0.08 0.08 0.08" mass="20"/></body>
</worldbody></mujoco>
"""


def mujoco_arm(joint: str) -> MujocoAdapter:
    model = mujoco.MjModel.from_xml_string(ARM.format(joint=joint))
    return MujocoAdapter(model, mujoco.MjData(model))


def native_arm(**joint) -> NativeAdapter:
    mechanism = Mechanism("arm", gravity=(0.0, 0.0, -G))
    link = mechanism.add_link("arm", 1.0, (0.25, 0.0, 0.0), inertia=(1e-3, 0.02, 0.02))
    link.collision = (Shape(Box((0.5, 0.1, 0.04)), at(0.25, 0.0, 0.0)),)
    mechanism.add_joint("hinge", RevoluteJoint(Y), "world", "arm", origin=at(0, 0, 0.5), **joint)
    model = mechanism.build()
    box = CoupledBody("box", at(0.35, 0.0, 0.62), cube(0.08), LOAD, np.zeros(3), 0.08 * np.eye(3), 1.0)
    return NativeAdapter(model, DT, free=[box])


def loaded(adapter, folder, steps=100, **options):
    """A run with the box on the arm: the coupling, angles and contact forces after each step."""
    scene = make_scene(DT, (0.0, 0.0, -G))
    coupling = couple(scene, adapter, **options)
    world = make_world(scene, folder)
    angles, forces = [], []
    for _ in range(steps):
        coupling.step(world)
        angles.append(float(adapter.theta()[0]))
        forces.append(float(coupling.contact_force[0]))
    return coupling, np.array(angles), np.array(forces)


def weight_of_the_box(angles) -> float:
    return LOAD * G * 0.35


def pinocchio_arm(dynamics: str = "", kind: str = "continuous", limit: str = ""):
    pin = pytest.importorskip("pinocchio")
    coal = pytest.importorskip("coal")
    from ipc_articulation.adapters.pinocchio import PinocchioAdapter

    text = f"""<robot name="arm"><link name="base"/><link name="arm"><inertial><origin xyz="0.25 0 0"/><mass value="1"/>
      <inertia ixx="0.001" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="hinge" type="{kind}"><origin xyz="0 0 0.5"/><parent link="base"/><child link="arm"/>
      <axis xyz="0 1 0"/>{limit}<dynamics damping="0" {dynamics}/></joint></robot>"""
    model = pin.buildModelFromXML(text)
    surfaces = pin.GeometryModel()
    place = pin.SE3(np.eye(3), np.array([0.25, 0.0, 0.0]))
    surfaces.addGeometryObject(pin.GeometryObject("arm", 1, model.getFrameId("hinge"), place, coal.Box(0.5, 0.1, 0.04)))
    box = CoupledBody("box", at(0.35, 0.0, 0.62), cube(0.08), LOAD, np.zeros(3), 0.08 * np.eye(3), 1.0)
    return PinocchioAdapter(model, DT, collision_model=surfaces, free=[box])


def dart_arm(friction: float = 0.0, upper: float = np.inf):
    dartpy = pytest.importorskip("dartpy")
    from ipc_articulation.adapters.dart import DartAdapter

    from tests.adapters.shared.dart_side import isometry

    world, skeleton = dartpy.simulation.World(), dartpy.dynamics.Skeleton("arm")
    world.setTimeStep(DT)
    world.setGravity((0.0, 0.0, -G))
    joint, link = skeleton.createRevoluteJointAndBodyNodePair()
    joint.setName("hinge")
    joint.setAxis(Y)
    joint.setTransformFromParentBodyNode(isometry(at(0, 0, 0.5)))
    link.setInertia(dartpy.dynamics.Inertia(1.0, np.array([0.25, 0.0, 0.0]), np.diag([1e-3, 0.02, 0.02])))
    shape = link.createShapeNode(dartpy.dynamics.BoxShape(np.array([0.5, 0.1, 0.04])))
    shape.setRelativeTransform(isometry(at(0.25, 0, 0)))
    shape.createCollisionAspect()
    joint.setPositionUpperLimit(0, upper)
    joint.setLimitEnforcement(np.isfinite(upper))
    joint.setCoulombFriction(0, friction)
    world.addSkeleton(skeleton)
    box = CoupledBody("box", at(0.35, 0.0, 0.62), cube(0.08), LOAD, np.zeros(3), 0.08 * np.eye(3), 1.0)
    return DartAdapter(world, free=[box])


LIMITED = {
    "dart": lambda: dart_arm(upper=0.0),
    "pinocchio": lambda: pinocchio_arm("", "revolute", '<limit lower="-1.5" upper="0" effort="9" velocity="9"/>'),
    "mujoco": lambda: mujoco_arm('range="-1.5 0" limited="true"'),
    "native": lambda: native_arm(lower=-1.5, upper=0.0),
}
STUCK = {
    "dart": lambda load: dart_arm(friction=load),
    "pinocchio": lambda load: pinocchio_arm(f'friction="{load}"'),
    "mujoco": lambda load: mujoco_arm(f'frictionloss="{load}"'),
    "native": lambda load: native_arm(friction=load),
}


@pytest.mark.parametrize("make", LIMITED.values(), ids=LIMITED)
def test_twenty_kilograms_do_not_push_an_arm_of_one_past_its_limit(make, tmp_path):
    _, angles, forces = loaded(make(), tmp_path, restraints="exact")
    assert angles.max() < 1e-5  # 1 mrad was asked for; 0.55 rad where only M̂ resists
    assert forces[-1] == pytest.approx(weight_of_the_box(angles), rel=0.02)


def test_contact_adds_nothing_to_the_softness_of_mujocos_own_limits(tmp_path):
    _, angles, _ = loaded(LIMITED["mujoco"](), tmp_path)
    alone = LIMITED["mujoco"]()
    alone.data.qpos[1:4] = 5.0, 5.0, 5.0
    own = []
    for _ in angles:
        mujoco.mj_step(alone.model, alone.data)
        own.append(alone.data.qpos[0])
    assert max(own) > 1e-3
    np.testing.assert_allclose(angles, own, rtol=0.0, atol=2e-5)


@pytest.mark.parametrize("make", [LIMITED["dart"], lambda: dart_arm(friction=400.0)], ids=["limit", "friction"])
def test_limits_and_friction_in_darts_own_step_hold_against_contact(make, tmp_path):
    _, angles, forces = loaded(make(), tmp_path)
    assert abs(angles[-1] - angles[-20]) < 1e-5
    assert np.abs(angles).max() < 1e-4  # 0.1 rad and more where only M̂ resists
    assert forces[-1] == pytest.approx(weight_of_the_box(angles), rel=0.02)


def test_as_the_engine_has_them_limits_give_way_to_contact(tmp_path):
    _, angles, _ = loaded(LIMITED["mujoco"](), tmp_path, steps=60, restraints="engine")
    assert angles.max() > 0.1


@pytest.mark.parametrize("make", STUCK.values(), ids=STUCK)
def test_dry_friction_holds_a_joint_up_to_its_bound(make, tmp_path):
    """The box and the arm load the hinge by 71 N·m, when they rest."""
    _, held, forces = loaded(make(400.0), tmp_path, restraints="exact")
    assert abs(held[-1] - held[-20]) < 0.2 * 1e-6  # creep, in 0.2 s
    assert forces[-1] == pytest.approx(weight_of_the_box(held), rel=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(("share", "slips"), [(0.998, True), (1.002, False)])
def test_friction_holds_against_contact_exactly_to_its_bound(share, slips, tmp_path):
    """The box comes to rest on an arm that friction holds; then friction becomes just too small, or just not."""
    adapter = mujoco_arm('frictionloss="1000"')
    steps = run(adapter, tmp_path, 250, restraints="exact")
    loads = [float(next(steps).contact_force[0]) for _ in range(200)]
    assert abs(loads[-1] - loads[-2]) < 1e-4 * loads[-1]
    load = loads[-1] + G * 0.25 * np.cos(adapter.data.qpos[0])
    adapter.model.dof_frictionloss[0] = share * load
    before = adapter.data.qpos[0]
    for _ in steps:
        pass
    assert (adapter.data.qpos[0] - before > 1e-5) == slips


def fingers(multiplier: float = 1.0) -> NativeAdapter:
    """Two light fingers on slides; the right one follows the left one; a box is pushed against the right one."""
    mechanism = Mechanism("gripper", gravity=(0.0, 0.0, 0.0))
    for name in ("left", "right"):
        link = mechanism.add_link(name, 0.05, (0.0, 0.0, 0.0), inertia=1e-5 * np.ones(3))
        link.collision = (Shape(Box((0.02, 0.04, 0.1)), np.eye(4)),)
    mechanism.add_joint("left", PrismaticJoint((-1.0, 0, 0)), "world", "left", origin=at(-0.1, 0, 0), damping=1.0)
    mechanism.add_joint(
        "right",
        PrismaticJoint((1.0, 0, 0)),
        "world",
        "right",
        origin=at(0.1, 0, 0),
        mimic=Mimic("left", multiplier, 0.0),
    )
    box = CoupledBody("box", at(0.2, 0, 0), cube(0.05), 5.0, np.zeros(3), 0.01 * np.eye(3), 0.0)
    rate = np.zeros((4, 4))
    rate[0, 3] = -2.0
    return NativeAdapter(mechanism.build(), DT, free=[replace(box, velocity=rate)])


def test_fingers_that_mimic_each_other_do_not_part(tmp_path):
    adapter = fingers()
    scene = make_scene(DT)
    coupling = couple(scene, adapter)
    world = make_world(scene, tmp_path)
    parted, pushed = 0.0, 0.0
    for _ in range(40):
        coupling.step(world)
        parted, pushed = max(parted, abs(adapter.q[1] - adapter.q[0])), max(pushed, abs(coupling.contact_force).max())
    assert pushed > 10.0
    assert abs(adapter.q[0]) > 0.01  # the left one follows what pushes the right one
    assert parted < 1e-6


@pytest.mark.parametrize(("effort", "low", "high"), [(np.inf, 100.0, 1e4), (30.0, 29.0, 30.001)])
def test_a_motor_resists_a_blow_with_its_effort_and_no_more(effort, low, high, tmp_path):
    """A stiff motor holds the arm on which the box falls; what it gives is the contact less weight and inertia."""
    adapter = native_arm(effort=effort)
    adapter.drive = Drive(pd=PD.to(adapter.model, [0.0], kp=1e5, kd=1e3))
    scene = make_scene(DT, (0.0, 0.0, -G))
    coupling = couple(scene, adapter)
    world = make_world(scene, tmp_path)
    largest = 0.0
    for _ in range(25):
        before = adapter.v.copy()
        coupling.step(world)
        inertial = 0.0825 * (adapter.v - before)[0] / DT  # of the arm about the hinge
        weight = G * 0.25 * np.cos(adapter.q[0])
        largest = max(largest, float(coupling.contact_force[0]) + weight - inertial)
    assert low < largest < high


FOUR_BAR = """
<mujoco><option timestep="0.005" gravity="0 0 -9.81"/><worldbody>
  <body name="crank" pos="0 0 1"><joint name="crank" axis="0 1 0"/>
    <geom type="capsule" size="0.02" fromto="0 0 0 0.3 0 0" mass="1"/>
    <body name="rod" pos="0.3 0 0"><joint name="rod" axis="0 1 0"/>
      <geom type="capsule" size="0.02" fromto="0 0 0 0.5 0 0" mass="1" contype="0" conaffinity="0"/></body></body>
  <body name="rocker" pos="0.8 0 0.6"><joint name="rocker" axis="0 1 0"/>
    <geom type="capsule" size="0.02" fromto="0 0 0 0 0 0.4" mass="1"/></body>
  {more}
</worldbody>
<equality><connect name="pin" body1="rod" body2="rocker" anchor="0.5 0 0"/></equality></mujoco>
"""


def four_bar(more: str = "") -> MujocoAdapter:
    model = mujoco.MjModel.from_xml_string(FOUR_BAR.format(more=more))
    data = mujoco.MjData(model)
    data.qvel[:3] = 1.0, -1.0, 0.0
    return MujocoAdapter(model, data)


def run(adapter, folder, steps, **options):
    scene = make_scene(adapter.dt, (0.0, 0.0, -G))
    coupling = couple(scene, adapter, **options)
    world = make_world(scene, folder)
    for _ in range(steps):
        coupling.step(world)
        yield coupling


def gap(adapter) -> float:
    """Distance of the two anchors of the pin [m]."""
    data = adapter.data
    rod, rocker = data.body("rod"), data.body("rocker")
    tip = rod.xpos + rod.xmat.reshape(3, 3) @ (0.5, 0.0, 0.0)
    return float(np.linalg.norm(tip - rocker.xpos - rocker.xmat.reshape(3, 3) @ (0.0, 0.0, 0.4)))


@pytest.mark.slow
def test_a_four_bar_by_connect_moves_as_with_mujoco_alone(tmp_path):
    adapter, alone = four_bar(), four_bar()
    for _ in run(adapter, tmp_path, 200):
        mujoco.mj_step(alone.model, alone.data)
        np.testing.assert_allclose(adapter.data.qpos, alone.data.qpos, rtol=0.0, atol=1e-6)


@pytest.mark.parametrize("restraints", ["step", "exact", "engine"])
def test_a_blow_does_not_open_a_four_bar(restraints, tmp_path):
    """MuJoCo's own softness leaves a gap of 1 mm, and M̂ without the equality would leave one of 8 mm under the blow."""
    ball = '<body name="ball" pos="0.2 0 1.11"><freejoint/><geom type="sphere" size="0.08" mass="5"/></body>'
    adapter = four_bar(ball)
    adapter.data.qvel[5] = -3.0
    steps = run(adapter, tmp_path, 4, restraints=restraints)
    gaps, forces = zip(*((gap(adapter), abs(coupling.contact_force[0])) for coupling in steps), strict=True)
    assert max(forces) > 50.0
    assert max(gaps) < 2e-3


@pytest.mark.parametrize(("place", "speed", "d_hat"), [(0.28, 4.0, 2e-3), (0.2, 2.0, 1e-2), (0.1, 4.0, 1e-2)])
def test_line_searches_see_the_decrease_of_what_a_stiff_equality_leaves(place, speed, d_hat, tmp_path):
    """Sums over the entries of M̂ + S JᵀJ hide it in their rounding: each of these runs had searches without result."""
    box = f'<body pos="{place} 0 {1.11 + d_hat}"><freejoint/><geom type="box" size="0.08 0.08 0.08" mass="10"/></body>'
    adapter = four_bar(box)
    adapter.data.qvel[:6] = 0.0, 0.0, 0.0, 0.0, 0.0, -speed
    scene = make_scene(adapter.dt, (0.0, 0.0, -G), d_hat)
    coupling = couple(scene, adapter)
    engine = Engine("cpu", tmp_path)
    world = uipc.World(engine)
    world.init(scene)
    for _ in range(60):
        coupling.step(world)
        assert not engine.statistics.newton.exhausted_searches


TILTED = """
<mujoco><compiler angle="radian"/><option timestep="0.01" integrator="implicitfast"/><worldbody>
  <body name="arm" pos="0 0 0.5"><joint name="hinge" axis="0 1 0" {joint}/>
    <geom type="box" size="0.2 0.03 0.03" pos="0.25 0 0" mass="1"/></body>
  <body name="box" pos="0.3047 0 0.5615" quat="0.992198 0 0.124675 0"><freejoint/>
    <geom type="box" size="0.1 0.1 0.1" mass="20"/></body>
</worldbody>{more}</mujoco>
"""
PULLED = {
    "limit": ('range="-1 0" limited="true"', ""),
    "weld": ("", '<equality><weld body1="arm"/></equality>'),
    "joint": ("", '<equality><joint joint1="hinge"/></equality>'),
}


@pytest.mark.parametrize(("joint", "more"), PULLED.values(), ids=PULLED)
def test_a_joint_that_is_pulled_back_does_not_jam_against_a_heavy_box(joint, more, tmp_path):
    model = mujoco.MjModel.from_xml_string(TILTED.format(joint=joint, more=more))
    adapter = MujocoAdapter(model, mujoco.MjData(model))
    adapter.data.qpos[0] = 0.25
    scene = make_scene(DT, (0.0, 0.0, -G), d_hat=1e-3)
    coupling = couple(scene, adapter)
    engine = Engine("cpu", tmp_path)
    world = uipc.World(engine)
    world.init(scene)
    for _ in range(20):
        coupling.step(world)
        assert engine.statistics.newton.iterations < 100
    assert abs(coupling.contact_force[0]) < 1e3


def test_no_such_place_for_restraints():
    with pytest.raises(AdapterError, match="restraints is 'soft', must be"):
        couple(make_scene(), four_bar(), restraints="soft")
