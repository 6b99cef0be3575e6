"""Published robots, read as pinocchio reads them."""

import re
from importlib import metadata
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from ipc_articulation.dynamics.model.parts import WORLD
from ipc_articulation.dynamics.model.physical_inertia import physical_inertia
from ipc_articulation.dynamics.reading import read_urdf
from ipc_articulation.repairs import collected

ROBOTS = [
    "panda_description/urdf/panda.urdf",
    "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
    "talos_data/robots/talos_full_v2.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "anymal_b_simple_description/robots/anymal.urdf",
    "anymal_c_simple_description/urdf/anymal.urdf",
    "go2_description/urdf/go2.urdf",
    "allegro_hand_description/urdf/allegro_left_hand.urdf",
    "allegro_hand_description/urdf/allegro_right_hand.urdf",
    "kinova_description/robots/kinova.urdf",
]
REPAIRED = [  # of pybullet_data; all but the last two
    "TwoJointRobot_w_fixedJoints.urdf",
    "cartpole.urdf",
    "cube_no_rotation.urdf",
    "differential/diff_ring.urdf",
    "franka_panda/panda.urdf",
    "laikago/laikago_toes.urdf",
    "mini_cheetah/mini_cheetah.urdf",
    "quadruped/minitaur.urdf",
    "quadruped/minitaur_derpy.urdf",
    "quadruped/quadruped.urdf",
    "quadruped/spirit40newer.urdf",
    "r2d2.urdf",
    "racecar/racecar_differential.urdf",
    "xarm/xarm6_with_gripper.urdf",
    "pr2_gripper.urdf",
    "quadruped/vision60.urdf",
]
ROOTED_IN_THE_WORLD = ("ur5", "cube_no_rotation", "diff_ring", "xarm6")
UNPHYSICAL = re.compile(r"link '([^']*)': principal moments")
FOLDER = Path(__file__).parents[3] / "models" / "pybullet_data"


@pytest.fixture(scope="module", params=ROBOTS, ids=lambda path: Path(path).stem)
def robot(request):
    """Our mechanism and pinocchio's model; with a free base where the root can have one."""
    pin = pytest.importorskip("pinocchio")
    try:
        package = metadata.distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data")
    except metadata.PackageNotFoundError:
        pytest.skip("the robots come with example-robot-data")
    return read_twice(Path(str(package)) / "robots" / request.param, pin)


@pytest.fixture(scope="module", params=REPAIRED, ids=lambda path: Path(path).stem)
def repaired_robot(request):
    """As `robot`, of a file that pinocchio reads although something in it is wrong."""
    pin = pytest.importorskip("pinocchio")
    if not FOLDER.is_dir():
        pytest.skip("the robots come with tools/fetch_robots.py")
    return read_twice(FOLDER / request.param, pin)


def read_twice(file, pin):
    with pytest.MonkeyPatch.context() as patch, collected() as repairs:
        patch.setattr("ipc_articulation.repairs.LISTED", 1000)
        mechanism = read_urdf(file, floating_base=not file.stem.startswith(ROOTED_IN_THE_WORLD))
    mechanism.repaired = {name for text in repairs if UNPHYSICAL.search(text) for name in re.findall("'(.*?)'", text)}
    if file.stem.startswith(ROOTED_IN_THE_WORLD):
        return mechanism, pin.buildModelFromUrdf(file)
    return mechanism, pin.buildModelFromUrdf(file, pin.JointModelFreeFlyer())


def moving(mechanism, model):
    """Joints with one coordinate, and pinocchio's."""
    return [(joint, model.joints[model.getJointId(joint.name)]) for joint in mechanism.joints if joint.joint.ndof == 1]


def same_inertias(mechanism, model, atol):
    """Compare inertias link by link, or body by body; of links whose moments were repaired masses and centres."""
    import pinocchio as pin

    bodies = [pin.Inertia.Zero() for _ in range(model.njoints)]
    changed = set()
    for link in mechanism.links:
        inertia = pin.Inertia(link.mass, np.array(link.centre), np.array(link.inertia))
        frame = model.frames[model.getFrameId(link.name, pin.BODY)]
        bodies[frame.parentJoint] += frame.placement.act(inertia)
        above = model.frames[frame.parentFrame]
        if link.name in mechanism.repaired:
            changed.add(frame.parentJoint)
        elif above.type == pin.FIXED_JOINT and above.name != "universe":
            np.testing.assert_allclose(inertia.matrix(), above.inertia.matrix(), atol=atol)
    for index, (ours, theirs) in enumerate(zip(bodies, model.inertias, strict=True)):
        rows = slice(3 if index in changed else 6)
        np.testing.assert_allclose(ours.matrix()[rows], theirs.matrix()[rows], atol=atol)


def same_poses(mechanism, model):
    """Compare the poses of all links at random positions of the joints, hence placements and axes."""
    import pinocchio as pin

    rng = np.random.default_rng(1)
    angles = {joint.name: rng.uniform(-1, 1, joint.joint.ndof) for joint, _ in moving(mechanism, model)}
    q = pin.neutral(model)
    for joint, theirs in moving(mechanism, model):
        angle = angles[joint.name][0]
        q[theirs.idx_q : theirs.idx_q + theirs.nq] = [angle] if theirs.nq == 1 else [np.cos(angle), np.sin(angle)]
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    above = {joint.child: joint for joint in mechanism.joints}

    def pose(link):
        if link == WORLD:
            return np.eye(4)
        joint = above[link]
        return pose(joint.parent) @ joint.origin @ joint.joint.pose_at(angles.get(joint.name, joint.joint.neutral()))

    for link in mechanism.links:
        theirs = data.oMf[model.getFrameId(link.name, pin.BODY)].homogeneous
        np.testing.assert_allclose(pose(link.name), theirs, atol=1e-12, err_msg=link.name)


def test_inertia_of_every_link(robot):
    same_inertias(*robot, atol=1e-12)


def test_inertia_of_every_link_of_repaired_files(repaired_robot):
    same_inertias(*repaired_robot, atol=2e-9)  # 1e-9 kg in place of no mass


def test_repaired_moments_are_the_nearest(repaired_robot):
    mechanism, model = repaired_robot
    for joint in mechanism.joints:
        link = next(link for link in mechanism.links if link.name == joint.child)
        welded = any(other.parent == link.name and not other.joint.ndof for other in mechanism.joints)
        if link.name in mechanism.repaired and joint.joint.ndof and not welded:
            theirs = model.inertias[model.getJointId(joint.name)].inertia
            np.testing.assert_allclose(link.inertia, physical_inertia(theirs), rtol=1e-9, atol=1e-15)


def test_pose_of_every_link(robot):
    same_poses(*robot)


def test_pose_of_every_link_of_repaired_files(repaired_robot):
    same_poses(*repaired_robot)


def test_limits_and_losses_of_every_joint(robot):
    mechanism, model = robot
    for joint, theirs in moving(mechanism, model):
        v, q = theirs.idx_v, theirs.idx_q
        ours = joint.effort, joint.velocity, joint.damping, joint.friction
        assert ours == (model.effortLimit[v], model.velocityLimit[v], model.damping[v], model.friction[v]), joint.name
        if theirs.nq == 1:
            assert (joint.lower, joint.upper) == (model.lowerPositionLimit[q], model.upperPositionLimit[q]), joint.name
        else:
            assert (joint.lower, joint.upper) == (-np.inf, np.inf), joint.name


def test_order_is_that_of_the_file(robot):
    mechanism, _ = robot
    robot_element = ElementTree.parse(mechanism.file).getroot()
    links, joints = ([part.get("name") for part in robot_element.findall(tag)] for tag in ("link", "joint"))
    assert [link.name for link in mechanism.links] == [name for name in links if name != WORLD]
    assert [joint.name for joint in mechanism.joints if joint.name != "root_joint"] == joints


def test_meshes_are_there(robot):
    mechanism, _ = robot
    shapes = [shape.geometry for link in mechanism.links for shape in (*link.visual, *link.collision)]
    meshes = [shape for shape in shapes if hasattr(shape, "path")]
    assert meshes
    assert all(mesh.path.is_file() for mesh in meshes)
