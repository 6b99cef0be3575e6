"""Read-outs that can be reckoned by hand: a tray that carries a box, an arm that pushes one, things that fly."""

import re

import mujoco
import numpy as np
import pytest
import uipc
from ipc_articulation.adapters.mujoco import MujocoAdapter
from ipc_articulation.adapters.native import NativeAdapter

from ipc_articulation import Engine, couple, step
from ipc_articulation.coupling.readouts.engine_results import results_of
from ipc_articulation.errors import EngineError, SceneError, UnsupportedError
from tests.adapters.native.linkages import press, press_model
from tests.adapters.native.mechanisms import block, ram
from tests.coupling.readouts.chains import coupled
from tests.coupling.robots import by_mujoco, by_native
from tests.coupling.worlds import Turntable, make_scene, make_world

G = 9.81

TRAY = """<mujoco><option timestep="0.01" integrator="implicitfast"/><worldbody>
  <body name="pole" pos="0.1 0 0.5"><joint name="turn" axis="0 0 1" damping="5"/>
    <geom type="box" size="0.02 0.02 0.1" mass="3"/>
    <body name="tray" pos="0 0 0.1"><joint name="tilt" axis="0 1 0" damping="5"/>
      <geom type="box" size="0.2 0.1 0.01" pos="0.3 0 0" mass="1"/></body></body>
  <body name="box" pos="0.45 0.05 0.6611"><freejoint/><geom type="box" size="0.05 0.05 0.05" mass="2"/></body>
  </worldbody><actuator><position joint="turn" kp="500"/><position joint="tilt" kp="50000" kv="500"/></actuator>
  </mujoco>"""

PUSHER = """<mujoco><option timestep="0.01" integrator="implicitfast"/><worldbody>
  <geom name="floor" type="plane" size="5 5 1" friction="0.5"/>
  <body name="hand" pos="0 0 0.1"><joint name="slide" type="slide" axis="1 0 0"/>
    <geom type="box" size="0.05 0.05 0.05" mass="1" friction="0"/></body>
  <body name="crate" pos="0.1615 0 0.1015"><freejoint/>
    <geom type="box" size="0.11 0.1 0.1" mass="4" friction="0"/></body>
  </worldbody><actuator><velocity joint="slide" kv="5000"/></actuator></mujoco>"""


RESISTANCE = 0.5 * 4.0 * G  # of the floor [N]
SPEED = 0.2 - RESISTANCE / 5000.0  # the actuator pushes with kv (0.2 - speed)


def of_text(text, folder, **scene):
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    coupling, world = coupled(MujocoAdapter(model, data), folder, **scene)
    return coupling, world, data


@pytest.fixture(scope="module")
def tray(tmp_path_factory):
    """The tray carries the box at rest."""
    coupling, world, _ = of_text(TRAY, tmp_path_factory.mktemp("tray"), d_hat=1e-3)
    for _ in range(150):
        coupling.step(world)
    return coupling, world, coupling.read_out(world)


def test_the_tray_bears_the_box(tray):
    coupling, _, out = tray
    assert out.touching == {"tray": ("box",)}
    np.testing.assert_allclose(out.link_wrenches()[:, 3:], [[0, 0, 0], [0, 0, -2 * G]], atol=1e-3)
    box = coupling.body_poses[2, :3, 3]
    for about, point in (("world", np.zeros(3)), ("origin", [0.1, 0, 0.6]), ("centre", [0.4, 0, 0.6])):
        expected = np.cross(box - point, [0, 0, -2 * G])
        np.testing.assert_allclose(out.link_wrenches(about)[1, :3], expected, atol=2e-2)


def test_joints_carry_what_hangs_on_them(tray):
    """At rest a joint transmits the weights behind it: tray and box at its hinge, the pole's as well below."""
    coupling, _, out = tray
    box, tray_centre = coupling.body_poses[2, :3, 3], np.array([0.4, 0, 0.6])
    np.testing.assert_allclose(out.joint_wrenches[:, 3:], [[0, 0, 6 * G], [0, 0, 3 * G]], rtol=1e-4, atol=1e-2)
    at_hinge = [np.cross(r - [0.1, 0, 0.6], [0, 0, m * G]) for r, m in ((tray_centre, 1), (box, 2))]
    np.testing.assert_allclose(out.joint_wrenches[1, :3], np.sum(at_hinge, axis=0), rtol=1e-3, atol=2e-2)
    np.testing.assert_allclose(out.joint_wrenches[0, :3], np.sum(at_hinge, axis=0), rtol=1e-3, atol=2e-2)  # pole above
    np.testing.assert_allclose(out.joint_anchors, [[0.1, 0, 0.5], [0.1, 0, 0.6]], atol=1e-3)


def test_contacts_have_names_links_and_gaps(tray):
    coupling, _, out = tray
    contacts = out.contacts
    assert len(contacts) == len(contacts.bodies) == len(contacts.gaps) > 3
    assert set(contacts.bodies) == {("tray", "box")}
    assert contacts.links.tolist() == [[1, -1]] * len(contacts)
    assert 0.0 < contacts.gaps.min() < contacts.gaps.max() < 2e-3
    np.testing.assert_allclose(contacts.forces.sum(axis=0), [0, 0, -2 * G], atol=1e-3)
    assert (contacts.normals[:, 2] < 0.0).all()  # from the box to the tray
    np.testing.assert_allclose(contacts.normal_work, 0.0, atol=1e-4)
    assert len(coupling.link_names) == 2


def test_an_attached_part_is_read_out_apart_from_contact(tmp_path):
    """The box is glued to the tray, far from it: no contact, but its weight is on the joints."""
    coupling, world, _ = of_text(TRAY.replace("0.6611", "0.7"), tmp_path, d_hat=1e-3)
    coupling.attach("box", "tray")
    for _ in range(150):
        coupling.step(world)
    out = coupling.read_out(world)
    assert len(out.contacts) == 0
    size = np.abs(coupling.contact_force).max()
    assert size > 5.0
    np.testing.assert_allclose(out.contact_force, coupling.contact_force, atol=1e-6 * size)
    box = coupling.body_poses[2, :3, 3]
    expected = [*np.cross(box - [0.1, 0, 0.6], [0, 0, -2 * G]), 0, 0, -2 * G]
    np.testing.assert_allclose(out.attachment_wrenches()[1], expected, atol=2e-2)
    np.testing.assert_allclose(out.joint_wrenches[:, 5], [6 * G, 3 * G], rtol=1e-4)


def test_each_robot_of_a_scene_has_its_own_links(tmp_path):
    """Two arms hit a crate each."""
    scene, hits = make_scene(d_hat=2e-3), set()
    first, second = (couple(scene, make(name, y)) for make, name, y in ((by_mujoco, "a ", 0.0), (by_native, "b ", 0.7)))
    world = make_world(scene, tmp_path)
    for _ in range(30):
        step(world, [first, second])
        for coupling, name in ((first, "a "), (second, "b ")):
            out, size = coupling.read_out(world), np.abs(coupling.contact_force).max()
            np.testing.assert_allclose(out.contact_force, coupling.contact_force, atol=1e-6 * size + 1e-6)
            hits |= {(name, link, *others) for link, others in out.touching.items()}
    assert hits == {("a ", "a hand", "a crate"), ("b ", "b hand", "b crate")}
    assert (first.read_out(world).free_bodies.names, second.read_out(world).links.names[0]) == (("a crate",), "b arm")


@pytest.fixture(scope="module")
def pushed(tmp_path_factory):
    """The hand pushes the crate over the floor."""
    coupling, world, data = of_text(PUSHER, tmp_path_factory.mktemp("pushed"), d_hat=2e-3)
    data.ctrl[:] = 0.2
    for _ in range(60):
        coupling.step(world)
    return coupling, world, coupling.read_out(world)


def test_work_of_a_push(pushed):
    """Friction takes μ m g v dt, and the hand, which has none, gives as much."""
    _, _, out = pushed
    given, lost = RESISTANCE * SPEED * 0.01, out.contacts.friction_work
    assert (lost.sum(axis=1) <= 0.0).all()
    assert lost.sum() == pytest.approx(-given, rel=1e-3)
    hand = out.contacts.links == 0
    assert out.contacts.normal_work[hand].sum() == pytest.approx(-given, rel=1e-3)
    assert out.contacts.normal_work[hand[:, ::-1]].sum() == pytest.approx(given, rel=1e-3)
    np.testing.assert_allclose(out.link_wrenches()[0, 3:], [-RESISTANCE, 0.0, 0.0], rtol=1e-3, atol=0.02)


def test_momentum_and_energy_of_a_push(pushed):
    coupling, _, out = pushed
    assert (out.links.names, out.free_bodies.names) == (("hand",), ("crate",))
    hand, crate = coupling.body_poses[:, :3, 3]
    for motion, mass, place in ((out.links, 1.0, hand), (out.free_bodies, 4.0, crate)):
        p = np.array([mass * SPEED, 0.0, 0.0])
        np.testing.assert_allclose(motion.momentum[0], [*np.cross(place, p), *p], rtol=1e-3, atol=1e-3)
        np.testing.assert_allclose(motion.kinetic_energy, [0.5 * mass * SPEED**2], rtol=1e-3)


FLYING = """<mujoco><option timestep="0.002" gravity="0 0 0"/><worldbody>
  <body name="hub"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="3"/>
    <body name="arm" pos="0.1 0 0"><joint name="hinge" axis="0 0 1"/>
      <geom type="capsule" fromto="0.05 0 0 0.4 0 0" size="0.03" mass="1"/></body></body>
  <body name="ball" pos="0.45 0.2 0"><freejoint/><geom size="0.05" mass="0.5"/></body></worldbody></mujoco>"""


def test_a_hit_passes_momentum_on(tmp_path):
    """The ball gains what contact gives it in each step; robot and ball together keep their momentum."""
    coupling, world, data = of_text(FLYING, tmp_path)
    data.qvel[:7] = 0.1, 0.2, -0.3, 0.2, -0.1, 0.5, 3.0
    before, sums, hits = None, [], 0
    for _ in range(60):
        coupling.step(world)
        out = coupling.read_out(world)
        ball = out.free_bodies.momentum[0]
        sums.append(ball + out.links.momentum.sum(axis=0))
        if before is not None and len(out.contacts):
            given = -0.002 * out.link_wrenches("world").sum(axis=0)
            np.testing.assert_allclose((ball - before)[3:], given[3:], atol=1e-6)
            np.testing.assert_allclose((ball - before)[:3], given[:3], atol=2e-3 * np.abs(given).max() + 1e-6)
            hits += np.abs(given).max() > 0.1
        before = ball
    assert hits > 0
    assert np.ptp(sums, axis=0).max() < 0.02 * np.abs(sums[0]).max()


def test_joint_wrenches_of_a_swinging_arm_are_mujocos(tmp_path):
    """Without contact: cfrc_int, what each body's parent exerts on it, about the centre of the tree's mass."""
    text = """<mujoco><option timestep="0.0005"/><worldbody>
      <body name="upper" pos="0 0 1"><joint axis="0 1 0" damping="0.3"/>
        <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03" mass="1"/>
        <body name="lower" pos="0.4 0 0"><joint axis="0.6 0 0.8"/>
          <geom type="capsule" fromto="0 0 0 0.3 0.1 0" size="0.03" mass="0.7"/></body></body></worldbody></mujoco>"""
    coupling, world, data = of_text(text, tmp_path)
    data.qvel[:] = 4.0, -3.0
    for _ in range(100):
        coupling.step(world)
    ours, model = coupling.read_out(world), coupling.adapter.model
    mujoco.mj_forward(model, data)
    mujoco.mj_rnePostConstraint(model, data)
    theirs, centre = data.cfrc_int[1:], data.subtree_com[1]
    moments = theirs[:, :3] + np.cross(centre - ours.joint_anchors, theirs[:, 3:])
    size = np.abs(theirs).max()
    np.testing.assert_allclose(ours.joint_wrenches, np.hstack([moments, theirs[:, 3:]]), atol=5e-3 * size)


def test_what_is_read_remains_and_what_is_not_goes(tray, tmp_path):
    coupling, world, _ = of_text(TRAY, tmp_path, d_hat=1e-3)
    coupling.step(world)
    read, unread = coupling.read_out(world), coupling.read_out(world)
    count = len(read.contacts)
    coupling.step(world)
    assert len(read.contacts) == count
    with pytest.raises(EngineError, match="contacts, collisions and minimum_distance of step 1 can be measured only"):
        _ = unread.contacts


def test_before_the_first_step_and_after_restore_there_is_nothing_to_read(tmp_path):
    adapter = NativeAdapter(ram().build(), 0.01, static=[block("wall", 0.21)])
    coupling, world = coupled(adapter, tmp_path)
    names = ", ".join(coupling.joint_names)
    message = (
        f"read_out: the coupling of joints {names} has taken no step since it was made, restored or put into another"
    )
    with pytest.raises(EngineError, match=re.escape(message)):
        coupling.read_out(world)
    state = coupling.state()
    coupling.step(world)
    assert coupling.read_out(world).contact_force.shape == (1,)
    coupling.restore(state)
    with pytest.raises(EngineError, match=re.escape(message)):
        coupling.read_out(world)
    coupling.step(world)
    coupling.set_state(world, theta_dot=[0.0])
    with pytest.raises(EngineError, match=re.escape(message)):
        coupling.read_out(world)


def test_a_step_that_is_not_committed_cannot_be_read(tmp_path):
    coupling, world = coupled(Turntable(), tmp_path)
    coupling.step(world)
    world.advance()
    world.retrieve()
    with pytest.raises(EngineError, match="the coupling of joints hinge has a step that was not committed"):
        coupling.read_out(world)


def test_other_worlds_and_points_are_refused(tray, tmp_path):
    coupling, _, out = tray
    other = make_world(make_scene(), tmp_path)
    with pytest.raises(SceneError, match="the world was initialised with another scene"):
        coupling.read_out(other)
    with pytest.raises(EngineError, match=r"a NoneType, must be a uipc\.World"):
        coupling.read_out(None)
    with pytest.raises(EngineError, match="link_wrenches: about is 'tip', must be one of 'origin', 'centre', 'world'"):
        out.link_wrenches("tip")


def test_engines_without_contact_forces_are_named(tmp_path):
    for engine, name in ((Engine("none", tmp_path), "'none'"), (uipc.Engine("none", str(tmp_path)), "libuipc's own")):
        world = uipc.World(engine)
        world.init(make_scene())
        message = f"contact forces can be read out with Engine('cpu') only; the engine of this world is {name}"
        with pytest.raises(EngineError, match=re.escape(message)):
            results_of(world)()
    with pytest.raises(EngineError, match=r"this world has taken no step since world\.init"):
        results_of(make_world(make_scene(), tmp_path))()


def test_a_coupling_of_free_bodies_alone_has_no_links(tmp_path):
    coupling, world, _ = of_text(
        """<mujoco><worldbody><body name="stone" pos="0 0 1"><freejoint/><geom size="0.1" mass="2"/></body>
        </worldbody></mujoco>""",
        tmp_path,
    )
    coupling.step(world)
    out = coupling.read_out(world)
    dt = coupling.adapter.dt
    np.testing.assert_allclose(out.free_bodies.momentum, [[0, 0, 0, 0, 0, -2 * G * dt]], atol=1e-9)
    assert (len(out.contacts), out.touching) == (0, {})
    shapes = out.link_wrenches().shape, out.jacobian.shape, out.joint_wrenches.shape, out.contact_force.shape
    assert shapes == ((0, 6), (0, 6, 0), (0, 6), (0,))


def test_joint_wrenches_of_loops_are_refused(tmp_path):
    coupling, world = coupled(press(press_model()), tmp_path)
    coupling.step(world)
    with pytest.raises(UnsupportedError, match="joint wrenches: joint 'rocker joint' is part of a loop"):
        _ = coupling.read_out(world).joint_wrenches
