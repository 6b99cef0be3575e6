import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import MujocoAdapter

from ipc_articulation import couple
from ipc_articulation.coupling.adapter import CoupledBody, CoupledJoint
from ipc_articulation.coupling.bodies import heaviest_body, place_body
from ipc_articulation.coupling.stiffness import AXIS_LENGTH, Stiffness, choose_stiffness, inertia_scale
from tests.coupling.worlds import Turntable, at, cube, make_scene, make_world


def joint(kind):
    return CoupledJoint("j", kind, -1, 0, np.zeros(3), np.array([0.0, 0.0, 1.0]))


def test_scale_is_the_largest_inertia_and_masses_count_by_the_square_of_the_size():
    mass = np.array([[2.0, 1.0], [1.0, 5.0]])
    assert inertia_scale(mass, [joint("revolute"), joint("revolute")], 0.5) == 5.0
    assert inertia_scale(mass, [joint("revolute"), joint("prismatic")], 0.5) == 2.0
    assert inertia_scale(np.zeros((0, 0)), [], 0.5) == 0.0


def test_strain_and_joint_turn_are_the_wanted_share_of_joint_motion():
    """Force balances of the module's docstring, taken from the energies themselves."""
    scale, dt, ratio, motion = 3.0, 0.01, 1e3, 1e-2
    torque = scale * motion
    volume, masses, h = 2e-3, 7.0, 1e-7
    stiffness = Stiffness(scale, dt, ratio)
    kappa, gamma = stiffness.link_kappa(volume), stiffness.joint_strength(masses)

    def shape(strain):
        A = (1.0 + strain) * np.diag([1.0, 0.0, 0.0]) + np.diag([0.0, 1.0, 1.0])
        return dt**2 * volume * kappa * np.sum((A @ A.T - np.eye(3)) ** 2)

    def penalty(angle):
        gap = 0.5 * AXIS_LENGTH * np.sin(angle)
        return 0.5 * gamma * masses * 2.0 * gap**2

    for energy in (shape, penalty):
        error = motion / ratio
        assert (energy(error + h) - energy(error - h)) / (2 * h) == pytest.approx(torque, rel=1e-3)


def test_stiffness_of_a_mechanism():
    table = Turntable()
    assert choose_stiffness(table.describe(), np.array([[2.0]]), 0.01) == Stiffness(2.0, 0.01, 1e3)


def test_a_heavy_load_makes_links_and_joints_as_stiff_as_it_needs_and_no_stiffer_than_rounding_allows():
    """c Λ = max(c M̂, c m s²/10) ≤ 10⁹ M̂, by the strength of a joint between bodies of 1 kg together: 2 c Λ / L²."""

    def hardness(scale, load):
        return Stiffness(scale, 0.01, 1e3, load).joint_strength(1.0) * AXIS_LENGTH**2 / 2.0

    assert hardness(2.0, 0.0) == hardness(2.0, 20.0) == pytest.approx(2e3)
    assert hardness(2.0, 40.0) == pytest.approx(4e3)
    assert hardness(1e-6, 40.0) == pytest.approx(1e3)


def body(name, mass, **others):
    return CoupledBody(name, at(0.0, 0.0, 1.0 + len(name)), cube(0.1), mass, np.zeros(3), 0.01 * np.eye(3), **others)


def test_the_heaviest_body_is_sought_among_free_bodies_and_those_of_the_scene():
    scene, table = make_scene(), Turntable(free=(body("light", 2.0), body("driven", 50.0, driven=True)))
    assert heaviest_body(scene, table.describe()) == 2.0
    for name, mass, role in (("free", 7.0, "free"), ("wall", 90.0, "fixed")):
        place_body(scene, body(name, mass), (), role, 1e8)
    assert heaviest_body(scene, table.describe()) == pytest.approx(7.0)


LIGHT = """
<mujoco><compiler angle="radian"/><option timestep="0.01" integrator="implicitfast"/><worldbody>
  <body name="arm" pos="0 0 0.5"><joint name="hinge" axis="0 1 0" range="-1.5 0" limited="true"/>
    <geom type="box" size="0.05 0.05 0.01" pos="0.06 0 0" mass="0.02"/>
    <body name="tip" pos="0.12 0 0"><joint name="tip" axis="0 1 0" range="-1.5 0" limited="true"/>
      <geom type="box" size="0.05 0.05 0.01" pos="0.06 0 0" mass="0.001"/></body></body>
  <body name="box" pos="{x} 0.01 0.591"><freejoint/><geom type="box" size="0.08 0.08 0.08" mass="10"/></body>
</worldbody></mujoco>
"""


def errors(coupling):
    """Of the joints: distances of the anchors that both links carry [m], angles between the axes [rad]."""
    robot, parted, turned = coupling.robot, 0.0, 0.0
    start = [np.eye(4), *(link.pose for link in robot.links)]
    now = [np.eye(4), *coupling.body_poses[: len(robot.links)]]
    for joint in robot.joints:
        moves = [now[k + 1] @ np.linalg.inv(start[k + 1]) for k in (joint.parent, joint.child)]
        anchors = [(T @ np.append(joint.anchor, 1.0))[:3] for T in moves]
        axes = [T[:3, :3] @ joint.axis for T in moves]
        parted = max(parted, float(np.linalg.norm(anchors[1] - anchors[0])))
        turned = max(turned, float(np.linalg.norm(np.cross(*axes))))
    return parted, turned


@pytest.mark.parametrize("x", [0.05, 0.12])
@pytest.mark.parametrize(("speed", "parted", "turned"), [(0.0, 1e-5, 1e-5), (2.0, 2e-4, 2e-4)])
def test_joints_of_links_of_some_grams_hold_under_ten_kilograms(x, speed, parted, turned, tmp_path):
    """As stiff as M̂ alone needs, they part by 1.7 mm under the weight, by 12 mm in the hit."""
    model = mujoco.MjModel.from_xml_string(LIGHT.format(x=x))
    adapter = MujocoAdapter(model, mujoco.MjData(model))
    adapter.data.qvel[4] = -speed
    scene = make_scene(0.01, (0.0, 0.0, -9.81), d_hat=1e-3)
    coupling = couple(scene, adapter)
    world = make_world(scene, tmp_path)
    for _ in range(40):
        coupling.step(world)
        assert np.less(errors(coupling), (parted, turned)).all()
    assert abs(coupling.contact_force).max() > 1.0  # the box lies on the links
