"""Robots with loops from URDF files are those that are put together by hand."""

import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation.dynamics import forward_dynamics
from ipc_articulation.dynamics.algorithms import projection
from ipc_articulation.dynamics.joints import HelicalJoint, PrismaticJoint, RevoluteJoint
from ipc_articulation.dynamics.loops import FourBar, Implicit, Static
from ipc_articulation.dynamics.loops.explicit import Affine
from ipc_articulation.dynamics.reading import read_urdf
from ipc_articulation.dynamics.reading.loops import PointLoop, loops_of, read_robot
from ipc_articulation.errors import ModelError
from ipc_articulation.spatial import pose, rotation_from_quaternion
from tests.dynamics.reading.loop_documents import FOUR_BAR, coupling, hinge, link, loop, read, robot

pytest.importorskip("casadi")
EXACT = {"rtol": 0.0, "atol": 1e-10}


def modelled(robot):
    return robot.build()


def position_of(model, q):
    """The robot's position x at a closed spanning position q."""
    return model.position(q)


def row_space(K):
    """The projector on it."""
    return np.linalg.pinv(K) @ K


def assert_same(read, by_hand, rng, states=5):
    """G, g, K up to its row space, and the dynamics."""
    for _ in range(states):
        x = dyn.random_position(by_hand, rng)
        y_dot = rng.normal(size=by_hand.nv)
        q, v, G, g = by_hand.motion(x, y_dot)
        own = position_of(read, q)
        np.testing.assert_allclose(read.spanning(own), q, **EXACT)
        np.testing.assert_allclose(read.G(own), G, **EXACT)
        np.testing.assert_allclose(read.g(own, y_dot), g, **EXACT)
        np.testing.assert_allclose(row_space(read.K(q)), row_space(by_hand.K(q)), **EXACT)
        np.testing.assert_allclose(read.K(q) @ g, read.k(q, v), **EXACT)
        tau = rng.normal(size=by_hand.nv)
        np.testing.assert_allclose(
            forward_dynamics(read, own, y_dot, tau), projection.projected_dynamics(by_hand, x, y_dot, tau), rtol=1e-7
        )
        for function, arguments in ((dyn.mass_matrix, ()), (dyn.bias_forces, (y_dot,))):
            np.testing.assert_allclose(function(read, own, *arguments), function(by_hand, x, *arguments), **EXACT)


def random_pose(rng):
    return pose(rotation_from_quaternion(rng.normal(size=4)), 0.3 * rng.normal(size=3))


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def test_four_bar_is_the_one_by_hand(rng):
    robot = read(*FOUR_BAR)
    by_hand = FourBar((0.4, 0.25, 0.41), (0.07, 0.24))
    by_hand = robot.build().spanning_tree.with_loops([(("driver", "support", "output"), by_hand)])
    assert_same(modelled(robot), by_hand, rng)


PLANE = {"rpy": "0.4 -0.7 0.3"}  # of the linkage, so that no axis is left out by being constant
WATT = (  # crank and coupler, rocker, rod on the rocker's other arm, lever; closed at zero
    hinge("crank_hinge", "base", "crank", **PLANE),
    hinge("coupler_hinge", "crank", "coupler", "0 0.1 0"),
    hinge("rocker_hinge", "foot", "rocker", "0.28 -0.05 0"),
    hinge("rod_hinge", "rocker", "rod", "0.1 0.15 0"),
    hinge("lever_hinge", "foot", "lever", "0.65 -0.14 0"),
    link("foot"),
    f'<joint name="weld" type="fixed"><parent link="base"/><child link="foot"/><origin rpy="{PLANE["rpy"]}"/></joint>',
    loop("coupler", "0.3 0.05 0", "rocker", "0.02 0.2 0", "first"),
    loop("lever", "-0.02 0.22 0", "rod", "0.25 -0.02 0", "second"),
)


def turned(x, y, angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * x - s * y, s * x + c * y])


def watt(q):
    """φ of crank, coupler, rocker, rod and lever, in the linkage's plane."""
    first = turned(0.0, 0.1, q[0]) + turned(0.3, 0.05, q[0] + q[1]) - turned(0.02, 0.2, q[2]) - (0.28, -0.05)
    elbow = np.array([0.28, -0.05]) + turned(0.1, 0.15, q[2])
    return np.concatenate([first, elbow + turned(0.25, -0.02, q[2] + q[3]) - turned(-0.02, 0.22, q[4]) - (0.65, -0.14)])


WATT_JOINTS = ("crank_hinge", "coupler_hinge", "rocker_hinge", "rod_hinge", "lever_hinge")


def test_six_bar_in_any_plane_is_the_one_by_hand(rng):
    parts = [part.replace('name="crank_hinge"', 'name="crank_hinge" independent="true"') for part in WATT]
    for name in WATT_JOINTS[1:]:
        parts = [part.replace(f'name="{name}"', f'name="{name}" independent="false"') for part in parts]
    robot = read(*parts)
    by_hand = robot.build().spanning_tree.with_loops([(WATT_JOINTS, Implicit(watt, 5, [0]))])
    assert_same(modelled(robot), by_hand, rng)


def test_loops_that_share_a_joint_are_one_constraint_and_independent_joints_are_chosen():
    ((joints, constraint),) = read(*WATT).loops
    assert joints == WATT_JOINTS
    assert (constraint.size, constraint.ndof) == (5, 1)
    K = constraint.K(constraint.closed(np.zeros(5)))
    chosen = np.flatnonzero(np.abs(constraint.G(np.zeros(5))[:, 0] - 1.0) < 1e-12)
    best = min(np.linalg.cond(np.delete(K, i, axis=1)) for i in range(5))
    assert np.linalg.cond(np.delete(K, chosen[0], axis=1)) <= 3.0 * best


DRIVES = (
    '<transmission name="t"><joint name="{}"/><actuator name="m"/></transmission>',
    '<ros2_control name="r" type="system"><joint name="{}"><command_interface name="effort"/></joint></ros2_control>',
)


@pytest.mark.parametrize("drive", DRIVES)
@pytest.mark.parametrize("joint", WATT_JOINTS)
def test_a_joint_that_the_file_drives_is_the_independent_one(joint, drive):
    """Of Watt's linkage every joint can be it."""
    assert read(*WATT, drive.format(joint)).build().dof_names == (joint,)


CHAIN = (
    hinge("j1", "base", "a"),
    hinge("r1", "base", "rotor1", more='independent="false"'),
    hinge("j2", "a", "b", "1 0 0", "0 1 0"),
    hinge("r2", "base", "rotor2", "0 0 0.1", more='independent="false"'),
    coupling("a", "rotor1", 6.0, "gear1"),
    coupling("b", "rotor2", -3.0, "belt"),
)


def test_rotor_chain_is_the_one_by_hand(rng):
    robot = read(*CHAIN)
    G = [[1.0, 0.0], [6.0, 0.0], [0.0, 1.0], [-3.0, -3.0]]
    by_hand = robot.build().spanning_tree.with_loops([(("j1", "r1", "j2", "r2"), Static(G))])
    assert isinstance(robot.loops[0][1], Static)
    assert_same(modelled(robot), by_hand, rng)


def mimic(leader, multiplier, offset):
    return {"inside": f'<mimic joint="{leader}" multiplier="{multiplier}" offset="{offset}"/>'}


FINGERS = (
    hinge("thumb", "base", "a"),
    hinge("index", "base", "b", **mimic("thumb", 2.0, 0.3)),
    hinge("middle", "b", "c", **mimic("index", -1.5, 0.1)),
    hinge("wrist", "base", "d"),
)


def test_mimics_of_one_leader_are_one_constraint_with_offsets(rng):
    robot = read(*FINGERS)
    ((joints, constraint),) = robot.loops
    assert joints == ("thumb", "index", "middle")
    np.testing.assert_allclose(constraint.matrix, [[1.0], [2.0], [-3.0]], atol=1e-15)
    np.testing.assert_allclose(constraint.offset, [0.0, 0.3, -0.35], atol=1e-15)
    assert all(joint.mimic is None for joint in robot.joints)
    by_hand = robot.build().spanning_tree.with_loops([(joints, Affine([[1.0], [2.0], [-3.0]], [0.0, 0.3, -0.35]))])
    assert_same(modelled(robot), by_hand, rng)


def test_mimics_move_as_the_mechanism_with_mimics_does(rng):
    tree, model = read_urdf(robot(*FINGERS)).build(), modelled(read(*FINGERS))
    np.testing.assert_allclose(model.G(np.zeros(model.nq)), tree.followers.G, atol=1e-15)
    q = model.spanning(rng.normal(size=model.nq))
    followers = tree.followers
    expected = followers.multiplier * q[followers.leader_positions] + followers.offset
    np.testing.assert_allclose(q[followers.positions], expected, atol=1e-15)


def test_a_constant_offset_moves_the_manifold_and_nothing_else(rng):
    offset = np.array([0.0, 0.3, -0.35])
    plain, moved = Static([[1.0], [2.0], [-3.0]]), Affine([[1.0], [2.0], [-3.0]], offset)
    y, y_dot = rng.normal(size=1), rng.normal(size=1)
    q = moved.spanning(y)
    np.testing.assert_allclose(q, plain.spanning(y) + offset, atol=1e-15)
    np.testing.assert_allclose(moved.independent(q), y, atol=1e-15)
    np.testing.assert_allclose(moved.phi(q), 0.0, atol=1e-15)
    assert np.linalg.norm(moved.phi(plain.spanning(y))) > 0.1
    np.testing.assert_array_equal(moved.K(q), plain.K(q))
    np.testing.assert_array_equal(moved.G(y), plain.G(y))
    assert not moved.g(y, y_dot).any()
    assert not moved.k(q, y_dot).any()


@pytest.mark.parametrize("offset", [[0.0], [0.0, np.nan]])
def test_a_wrong_offset_is_refused(offset):
    with pytest.raises(ModelError, match=r"^the offset of a loop must be 2 finite numbers; it is \[0\.0.*\]$"):
        Affine([[1.0], [2.0]], offset)


def test_mimics_within_a_loop_join_its_constraint(rng):
    follower = hinge("tip", "bar2", "tip_link", "0.1 0 0", **mimic("output", -0.5, 0.2))
    four_bar = [part.replace('independent="false"', "").replace('independent="true"', "") for part in FOUR_BAR]
    ((joints, constraint),) = read(*four_bar, follower).loops
    assert set(joints) == {"driver", "output", "support", "tip"}
    assert (constraint.size, constraint.ndof) == (4, 1)
    q = dict(zip(joints, constraint.random(rng), strict=True))
    assert q["tip"] == pytest.approx(0.2 - 0.5 * q["output"], abs=1e-12)


def points(robot, q, *places):
    """Where points of links are in the world, one a row."""
    model = robot.build().spanning_tree
    poses = dyn.frame_poses(model, q)
    return np.array([(poses[model.frame(name)] @ [*at, 1.0])[:3] for name, at in places])


SPATIAL = (  # six hinges of any axes between base and end: three conditions leave three freedoms
    hinge("s1", "base", "p1", "0.1 0 0.2", "0 0 1"),
    hinge("s2", "p1", "p2", "0.3 0.1 0", "0 1 0.3"),
    hinge("s3", "p2", "p3", "0.3 0 0.1", "1 0 0.2"),
    hinge("s4", "base", "p4", "0.2 0.3 0.1", "0.3 1 0", rpy="0.2 0.4 0"),
    hinge("s5", "p4", "p5", "0.25 -0.1 0.1", "0 0.2 1", kind="prismatic"),
    hinge("s6", "p5", "p6", "0.2 0 0.1", "1 1 0"),
    loop("p3", "0.2 0 0", "p6", "0.1 0 0.05"),
)


def test_points_of_a_spatial_loop_coincide(rng):
    robot = read(*SPATIAL)
    model = modelled(robot)
    assert (model.nq, model.nv) == (6, 3)
    for _ in range(3):
        q = model.spanning(dyn.random_position(model, rng))
        first, second = points(robot, q, ("p3", (0.2, 0.0, 0.0)), ("p6", (0.1, 0.0, 0.05)))
        np.testing.assert_allclose(first, second, atol=1e-10)


def test_points_of_a_mechanism_by_hand_coincide(rng):
    """Helical and sliding joints, frames that are nowhere special, and the independent joints that are asked for."""
    mechanism = dyn.Mechanism("m")
    joints = [HelicalJoint((1, 0, 1), 0.1), PrismaticJoint((0, 1, 1)), RevoluteJoint((1, 2, 0))]
    joints += [HelicalJoint((0, 1, 0.2), -0.2), RevoluteJoint((0, 0, 1))]
    for k, (joint, parent) in enumerate(zip(joints, ["world", "l0", "l1", "world", "l3"], strict=True)):
        mechanism.add_link(f"l{k}", 1.0, inertia=0.1)
        frames = {"origin": random_pose(rng), "child_origin": random_pose(rng)}
        mechanism.add_joint(f"q{k}", joint, parent, f"l{k}", **frames)
    q = rng.uniform(-1.0, 1.0, 5)
    model = mechanism.build()
    first, second = dyn.frame_poses(model, q)[[model.frame("l2"), model.frame("l4")]]
    anchor = np.array([0.2, 0.1, -0.1, 1.0])
    matching = (np.linalg.inv(second) @ first @ anchor)[:3]
    closing = PointLoop(mechanism, ("l2", anchor[:3]), ("l4", matching))
    flags = {"q0": False, "q1": False, "q3": False}
    ((_, constraint),) = loops_of(mechanism, [closing], flags, dict(zip(closing.joints, q, strict=True)))
    np.testing.assert_allclose(constraint.phi(q), 0.0, atol=1e-14)
    np.testing.assert_allclose(constraint.G(q)[[2, 4]], np.eye(2), atol=1e-15)
    q = constraint.closed(q + 0.05 * rng.normal(size=5))
    first, second = dyn.frame_poses(model, q)[[model.frame("l2"), model.frame("l4")]]
    np.testing.assert_allclose((first @ anchor)[:3], (second @ [*matching, 1.0])[:3], atol=1e-11)


def test_loop_above_which_the_robot_moves_freely(rng):
    robot = read(*FOUR_BAR, floating_base=True)
    model = modelled(robot)
    assert (model.nq, model.nv) == (10, 7)
    ends = [("bar2", (0.25, 0.0, 0.0)), ("bar3", (0.41, 0.0, 0.0))]
    first, second = points(robot, model.spanning(dyn.random_position(model, rng)), *ends)
    np.testing.assert_allclose(first, second, atol=1e-10)


def test_slightly_crooked_axes_are_those_of_a_planar_loop():
    crooked = [part.replace('rpy="0 0 0"', 'rpy="0 3.7e-6 0"') for part in FOUR_BAR]
    ((_, constraint),) = read(*crooked).loops
    assert (constraint.size, constraint.ndof) == (3, 1)


def test_two_points_on_an_axis_close_a_spatial_loop_with_a_hinge():
    loops = loop("p3", "0.2 0 0", "p6", "0.1 0 0.05", "here"), loop("p3", "0.2 0 0.1", "p6", "0.1 0 0.15", "there")
    more = hinge("s7", "p6", "p7", "0.1 0 0", "0 1 0.5")
    loops = [part.replace("p6", "p7") for part in loops]
    ((_, constraint),) = read(*SPATIAL[:-1], more, *loops).loops
    assert (constraint.size, constraint.ndof) == (7, 2)


def test_a_tree_has_no_loops():
    robot = read(FINGERS[0], FINGERS[3])
    assert robot.loops == []
    assert [joint.name for joint in robot.joints] == ["root_joint", "thumb", "wrist"]


def test_files_are_read_like_texts(tmp_path):
    file = tmp_path / "four_bar.urdf"
    file.write_text(robot(*FOUR_BAR))
    from_file = read_robot(file)
    assert from_file.file == file
    assert [names for names, _ in from_file.loops] == [("driver", "output", "support")]


@pytest.mark.parametrize("part", [FOUR_BAR[3], CHAIN[4]])
def test_read_urdf_warns_of_loops(part):
    tree = [*FOUR_BAR[:3], *CHAIN[:4], part]
    with pytest.warns(UserWarning, match=r"^<text>:10: <(loop|coupling)> is not read: the mechanism stays a tree$"):
        read_urdf(robot(*tree))
