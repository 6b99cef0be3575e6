"""Σ Jᵀ w of the contact forces is the generalised force that the multibody engine gets, for every kind of joint."""

import mujoco
import numpy as np
import pytest
import uipc
from ipc_articulation.adapters.mujoco import MujocoAdapter
from ipc_articulation.adapters.native import NativeAdapter
from uipc import geometry
from uipc.constitution import AffineBodyConstitution

from ipc_articulation import spatial
from ipc_articulation.articulation.kinds import KINDS
from ipc_articulation.coupling.adapter import CoupledBody
from ipc_articulation.dynamics.integrators import PD, Drive
from ipc_articulation.dynamics.joints import RevoluteJoint
from ipc_articulation.dynamics.loops import gear
from ipc_articulation.dynamics.model import Box, Mechanism, Shape
from tests.adapters.mujoco.driven import driven_panda
from tests.adapters.native.linkages import press, press_model
from tests.adapters.native.mechanisms import block, ram
from tests.coupling.readouts.chains import TIGHT, Chain, coupled
from tests.coupling.robots import by_mujoco
from tests.coupling.test_restraint_rows import ROPE, TWO_JOINTS, adapter_of, ball_arm
from tests.coupling.test_restraints import mujoco_arm
from tests.coupling.worlds import at, cube

MOVING = [entry.name for entry in KINDS.values() if entry.freedoms]
TOLERANCE = 1e-6


def compare(coupling, world) -> float:
    """Check the last step, if there was contact. Returns: the size of the force."""
    size = np.abs(coupling.contact_force).max(initial=0.0)
    if size > 0.1:
        ours = coupling.read_out(world).contact_force
        np.testing.assert_allclose(ours, coupling.contact_force, rtol=0.0, atol=TOLERANCE * size)
    return size


@pytest.mark.parametrize("kind", MOVING)
def test_every_kind_of_joint(kind, tmp_path):
    chain = Chain(kind)
    coupling, world = coupled(chain, tmp_path, velocity_tol=TIGHT)
    sizes = []
    for _ in range(12):
        coupling.step(world)
        sizes.append(compare(coupling, world))
        chain.follow(coupling)
    assert np.median(sizes) > 10.0


def test_links_that_are_the_second_body_of_a_contact(tmp_path):
    """The obstacles are in the scene before the robot; friction acts at other points of them than of the links."""
    chain = Chain("revolute", obstacles=False)

    def before(scene):
        scene.contact_tabular().default_model(0.4, 1e9)
        for body in chain.obstacles:
            box = geometry.trimesh(body.mesh.vertices, body.mesh.faces)
            geometry.label_surface(box)
            AffineBodyConstitution().apply_to(box, 1e8, 1000.0)
            uipc.view(box.transforms())[0] = body.pose
            uipc.view(box.instances().find("is_fixed"))[0] = 1
            scene.objects().create(body.name).geometries().create(box)

    coupling, world = coupled(chain, tmp_path, before, velocity_tol=TIGHT)
    sizes = []
    for _ in range(12):
        coupling.step(world)
        sizes.append(compare(coupling, world))
        contacts = coupling.read_out(world).contacts
        chain.follow(coupling)
    assert np.median(sizes) > 10.0
    assert (contacts.links[:, 1] >= 0).all()
    assert (contacts.links[:, 0] == -1).all()
    assert np.abs(contacts.friction_forces).max() > 1.0


def test_a_panda_against_a_wall(tmp_path):
    """With the default tolerances Newton's method leaves up to 3e-6 in the hit itself."""
    model, data = driven_panda("implicitfast", 0.01, wall=True)
    coupling, world = coupled(MujocoAdapter(model, data), tmp_path, velocity_tol=TIGHT)
    data.ctrl[0] = 0.8
    sizes = []
    for _ in range(30):
        coupling.step(world)
        sizes.append(compare(coupling, world))
    assert max(sizes) > 500.0  # it hits the wall
    assert sizes[-1] > 50.0  # and presses on it


def test_a_robot_of_our_own_dynamics_pushes_a_block(tmp_path):
    model = ram().build()
    pushing = NativeAdapter(model, 0.01, static=[block("wall", 0.21)])
    pushing.drive = Drive(pd=PD.to(model, 0.3, 2000.0, 100.0))
    coupling, world = coupled(pushing, tmp_path)
    for _ in range(40):
        coupling.step(world)
        size = compare(coupling, world)
    assert size > 100.0


def test_a_linkage_presses_with_a_bar_that_its_loop_moves(tmp_path):
    """The coupler of the four-bar linkage touches the block; only the crank is in M̂."""
    coupling, world = coupled(press(press_model()), tmp_path)
    for _ in range(60):
        coupling.step(world)
        size = compare(coupling, world)
    assert size > 10.0
    jacobian = coupling.read_out(world).jacobian
    assert np.abs(jacobian[[link != "crank" for link in coupling.link_names]]).max() > 0.1


def test_a_flap_that_a_gear_ties_to_another_one(tmp_path):
    """Only the first flap is in M̂; the second one turns twice as fast, and presses on a block."""
    mechanism = Mechanism("flaps", gravity=(0.0, 0.0, 0.0))
    for name, x in (("one", 0.0), ("two", 0.6)):
        shape = Shape(Box((0.2, 0.02, 0.02)), spatial.pose(p=(0.11, 0.0, 0.0)))
        mechanism.add_link(name, 0.5, (0.1, 0.0, 0.0), 1e-2).collision = (shape,)
        place = spatial.pose(p=(x, 0.0, 0.0))
        mechanism.add_joint(f"{name} joint", RevoluteJoint([0.0, 0.0, 1.0]), "world", name, origin=place)
    model = mechanism.build().with_loops([(["one joint", "two joint"], gear(2.0))])
    wall = CoupledBody("wall", at(0.75, 0.08, 0.0), cube(0.04), friction=0.4)
    adapter = NativeAdapter(model, 0.01, static=[wall])
    adapter.drive = Drive(tau=np.array([1.0, 0.0]))
    coupling, world = coupled(adapter, tmp_path)
    assert (len(coupling.robot.joints), len(coupling.robot.tied_joints)) == (1, 1)
    for _ in range(60):
        coupling.step(world)
        size = compare(coupling, world)
    out = coupling.read_out(world)
    assert (set(out.touching), out.joint_wrenches.shape) == ({"two"}, (2, 6))
    assert size > 0.5


def test_an_arm_at_its_limit_carries_a_box(tmp_path):
    """The limit holds in the step, as a bounded spring of K."""
    coupling, world = coupled(mujoco_arm('limited="true" range="-1 0"'), tmp_path)
    for _ in range(60):
        coupling.step(world)
        size = compare(coupling, world)
    assert size > 50.0


def test_a_hand_that_holds_its_own_arm(tmp_path):
    """A part may be a link of the robot itself; its joint is told from the robot's own."""
    coupling, world = coupled(by_mujoco(), tmp_path)
    coupling.step(world)
    coupling.attach(*coupling.link_names[::-1])
    coupling.adapter.data.ctrl[:] = 0.3
    for _ in range(20):
        coupling.step(world)
        size = compare(coupling, world)
    assert size > 0.1
    wrenches = coupling.read_out(world).attachment_wrenches("world")
    assert np.abs(wrenches).max() > 0.1
    np.testing.assert_allclose(wrenches.sum(axis=0), 0.0, atol=1e-6 * np.abs(wrenches).max())


def test_a_floating_robot_that_turns_while_it_hits_the_ground(tmp_path):
    """Base and ball joints turn by 0.1 rad in a step: δφ is not the integral of ω any more."""
    model = mujoco.MjModel.from_xml_string("""<mujoco><option timestep="0.01"/><worldbody>
      <geom type="plane" size="5 5 1"/>
      <body name="hub" pos="0 0 0.13"><freejoint/><geom type="box" size="0.1 0.1 0.1"/>
        <body name="hand" pos="0.15 0 0"><joint type="ball"/>
          <geom type="box" size="0.05 0.05 0.1" pos="0.1 0 0"/></body></body></worldbody></mujoco>""")
    data = mujoco.MjData(model)
    data.qvel[2:] = -1.0, 8.0, 6.0, 4.0, -9.0, 6.0, 5.0
    coupling, world = coupled(MujocoAdapter(model, data), tmp_path)
    sizes = []
    for _ in range(30):
        coupling.step(world)
        sizes.append(compare(coupling, world))
    assert max(sizes) > 500.0


@pytest.mark.parametrize("make", [ball_arm, lambda: adapter_of(ROPE), lambda: adapter_of(TWO_JOINTS, 0.3)])
def test_limits_of_ball_joints_and_tendons_carry_a_box(make, tmp_path):
    """Limits of rows act on several freedoms at once."""
    coupling, world = coupled(make(), tmp_path)
    sizes = []
    for _ in range(40):
        coupling.step(world)
        sizes.append(compare(coupling, world))
    assert max(sizes) > 50.0
