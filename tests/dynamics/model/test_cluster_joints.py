"""S, v_J and c_J of cluster joints: their definitions, and against kinematics of the spanning tree."""

import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation import spatial
from ipc_articulation.dynamics import Mechanism, frame_poses, frame_velocities, joints
from ipc_articulation.dynamics.algorithms.multipliers import constrained_dynamics
from ipc_articulation.dynamics.algorithms.projection import projected_dynamics
from ipc_articulation.dynamics.joints import FloatingJoint
from ipc_articulation.dynamics.loops import Implicit
from ipc_articulation.dynamics.loops.motion import over, times
from ipc_articulation.dynamics.model import Link, cluster_joints
from ipc_articulation.dynamics.model.cluster_joint import ClusterBody, hinged
from ipc_articulation.errors import ModelError
from tests.dynamics.by_hand import assert_near
from tests.dynamics.loops import by_clusters, symbolic
from tests.dynamics.loops.by_clusters import assert_each
from tests.dynamics.loops.random_clusters import KINDS, Z, random_body, random_link, random_origin
from tests.dynamics.loops.robots import robot_of, stacked, states


def clusters_and_states(kind):
    """A cluster joint of a kind with 20 positions and velocities, 10 times."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        if kind == "Free":
            q = FloatingJoint().integrate([0, 0, 0, 1, 0, 0, 0], rng.normal(size=(20, 6)))
            yield cluster_joints.Free(random_link(rng, "base")), q, rng.normal(size=(20, 6))
        else:
            robot = robot_of(f"chain of {kind}", 6 * seed)  # of length 1
            some = stacked(states(robot))
            yield robot.placed[0].cluster, some.x, some.y_dot


EVERY = ["Free", *KINDS]


@pytest.mark.parametrize("kind", KINDS)
def test_definitions_with_whole_matrices(kind):
    """S = X_intra S_span G, v_J = X_intra S_span q̇, c_J = X°_intra S_span q̇ + X_intra S_span g."""
    for cluster, x, y_dot in clusters_and_states(kind):
        constraint, N = cluster.constraint, len(cluster.bodies)
        q, G, g = (np.array(part) for part in zip(*map(constraint.motion, x, y_dot), strict=True))
        X, ring = np.zeros((2, 20, 6 * N, 6 * N))
        S_span = np.zeros((20, 6 * N, N))
        H, v = cluster.poses(x), cluster.vJ(x, y_dot).reshape(20, N, 6)
        for i, body in enumerate(cluster.bodies):
            S_span[:, 6 * i : 6 * i + 6, i : i + 1] = body.joint.subspace(q[:, i : i + 1])
            j = i
            while j is not None:
                block = spatial.adjoint(spatial.inverse(H[:, i]) @ H[:, j])
                at = slice(None), slice(6 * i, 6 * i + 6), slice(6 * j, 6 * j + 6)
                X[at] = block
                ring[at] = -spatial.cross(v[:, i] - times(block, v[:, j])) @ block
                j = cluster.bodies[j].on
        S, spanned = X @ S_span @ G, times(S_span, times(G, y_dot))
        assert_each(cluster.S(x), S, 1e-12)
        assert_each(cluster.vJ(x, y_dot), times(X, spanned), 1e-12)
        assert_each(
            cluster.cJ(x, y_dot), times(ring, spanned) + times(X, times(S_span, g)), 1e-12, fastest(G, y_dot) ** 2
        )


@pytest.mark.parametrize("kind", EVERY)
def test_velocity_is_S_times_the_independent_ones(kind):
    for cluster, x, y_dot in clusters_and_states(kind):
        S = cluster.S(x)
        assert_each(cluster.vJ(x, y_dot), times(S, y_dot), 1e-12)
        assert S.shape == (20, 6 * len(cluster.bodies), cluster.nv)
        assert_each(cluster.S(x[0])[None], S[:1], 0.0)


@pytest.mark.parametrize("kind", EVERY)
def test_bias_is_the_rate_of_S(kind):
    """c_J = dS/dt ẏ, by differences: nothing but S goes into them."""
    for cluster, x, y_dot in clusters_and_states(kind):
        step, tolerance = 0.02 / np.maximum(1.0, np.abs(y_dot).max(axis=1, keepdims=True)), 2e-12
        if isinstance(cluster.constraint, Implicit):  # derivatives grow with every order near singular positions
            step, tolerance = 0.3 * step / np.maximum(1.0, steepness(cluster, x)) ** 2, 2e-11

        def velocity(h):
            return times(cluster.S(by_clusters.moved(cluster, x, y_dot, h)), y_dot)  # noqa: B023

        assert_each(cluster.cJ(x, y_dot), by_clusters.slope(velocity, step), tolerance)


@pytest.mark.parametrize("kind", KINDS)
def test_bias_is_the_rate_of_the_velocity_by_casadi(kind):
    """c_J = d(S ẏ)/dt = d/dt v_J(q, q̇) along q̇ = G ẏ, q̈ = g, differentiated exactly."""
    for cluster, x, y_dot in clusters_and_states(kind):
        q, G, g = (np.array(part) for part in zip(*map(cluster.constraint.motion, x, y_dot), strict=True))
        want = symbolic.twist_rate(cluster)(q.T, times(G, y_dot).T, g.T).full().T
        assert_each(cluster.cJ(x, y_dot), want, 1e-12, fastest(G, y_dot) ** 2)


def fastest(G, y_dot):
    """Largest q̇ of each state."""
    return np.abs(times(G, y_dot)).max(axis=1)


def steepness(cluster, x):
    """How much faster than the independent coordinates of a linkage others are."""
    constraint = cluster.constraint
    return np.abs(over(constraint.G, x) / constraint._scale).max(axis=(1, 2))[:, None]


def test_the_free_joints_subspace_is_the_identity_for_body_twists():
    """S [0 R; R 0] = 1: generalized_rbda's ẏ is the body's twist, ours (ṗ, ω) in the world's axes."""
    for cluster, x, _ in clusters_and_states("Free"):
        R, zero = cluster.poses(x)[:, 0, :3, :3], np.zeros((20, 3, 3))
        assert_near(cluster.S(x) @ np.block([[zero, R], [R, zero]]), np.broadcast_to(np.eye(6), (20, 6, 6)), 1e-14)


@pytest.mark.parametrize(
    ("kind", "order"),
    [
        ("RevolutePair", {"link1": None, "link2": 0}),
        ("RevoluteWithRotor", {"link": None, "rotor": None}),
        ("RevolutePairWithRotor", {"link0": None, "rotor0": None, "rotor1": None, "link1": 0}),
        (
            "RevoluteTripleWithRotor",
            {"link0": None, "link1": 0, "link2": 1, "rotor0": None, "rotor1": None, "rotor2": None},
        ),
        ("TelloHip", {"rotor0": None, "rotor1": None, "link0": None, "link1": 2}),
        ("TelloKneeAnkle", {"rotor0": None, "rotor1": None, "link0": None, "link1": 2}),
        ("FourBar", {"driver": None, "support": None, "output": 0}),
    ],
)
def test_spanning_order_and_what_bodies_hang_on(kind, order):
    cluster = KINDS[kind][0](np.random.default_rng(0))
    assert {body.link.name: body.on for body in cluster.bodies} == order
    assert [body.link.name for body in cluster.bodies] == list(order)


def bodies(count):
    return [random_body(np.random.default_rng(k), f"body{k}") for k in range(count)]


def test_belts_of_real_robots():
    """MIT humanoid's knee and ankle, N = 6, belts {2}, {2, 1}; TeleopArm's hip, N = 6, {1}, {1, 1}, {-1, 1, -1}."""
    pair = cluster_joints.RevolutePairWithRotor(bodies(2), bodies(2), [6.0, 6.0], [[2.0], [2.0, 1.0]]).constraint
    assert_near(pair.G(np.zeros(2)), np.array([[1.0, 0.0], [12.0, 0.0], [12.0, 12.0], [0.0, 1.0]]), 1e-15)
    assert_near(pair.K(np.zeros(4)), np.array([[12.0, -1.0, 0.0, 0.0], [12.0, 0.0, -1.0, 12.0]]), 1e-15)
    belts = [[1.0], [1.0, 1.0], [-1.0, 1.0, -1.0]]
    triple = cluster_joints.RevoluteTripleWithRotor(bodies(3), bodies(3), [6.0, 6.0, 6.0], belts).constraint
    DB = 6.0 * np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [-1.0, -1.0, 1.0]])
    assert_near(triple.G(np.zeros(3)), np.vstack([np.eye(3), DB]), 1e-15)
    assert_near(triple.K(np.zeros(6)), np.hstack([-DB, np.eye(3)]), 1e-15)


def test_a_gear_turns_its_rotor_by_the_ratio():
    gear = cluster_joints.RevoluteWithRotor(*bodies(2), -9.33).constraint
    assert_near(gear.G(np.zeros(1)), np.array([[1.0], [-9.33]]), 1e-15)
    assert_near(gear.K(np.zeros(2)), np.array([[-9.33, -1.0]]), 1e-15)


def test_subspace_of_a_pair_with_rotors_block_by_block():
    """Link 1 [S1, 0], rotor 1 [N1 b11 Sr1, 0], rotor 2 [N2 b21 Sr2, N2 b21 b22 Sr2], link 2 [X21 S1, S2]."""
    links, rotors, x = bodies(2), bodies(2), np.array([0.3, -0.8])
    cluster = cluster_joints.RevolutePairWithRotor(links, rotors, [-3.0, 5.0], [[0.5], [2.0, -1.5]])
    (S1, S2), (r1, r2) = ([body.joint.subspace(0.0)[:, 0] for body in part] for part in (links, rotors))
    X21 = spatial.adjoint(spatial.inverse(links[1].origin @ links[1].joint.pose_at(x[1])))
    zero = np.zeros(6)
    columns = [S1, -1.5 * r1, 10.0 * r2, X21 @ S1], [zero, zero, -15.0 * r2, S2]
    assert_near(cluster.S(x), np.array([np.concatenate(column) for column in columns]).T, 1e-13)


def test_a_free_body_has_no_constraint():
    for cluster, x, y_dot in clusters_and_states("Free"):
        constraint = cluster.constraint
        assert constraint.phi(x[0]).shape == constraint.k(x[0], y_dot[0]).shape == (0,)
        assert constraint.K(x[0]).shape == (0, 6)
        assert_near(constraint.G(x[0]), np.eye(6), 0.0)
        assert not constraint.g(x[0], y_dot[0]).any()


def test_the_bars_of_a_four_bar_linkage_meet():
    """In space, not only in φ: the ends of output and support, with the driver's end between."""
    for cluster, x, _ in clusters_and_states("FourBar"):
        driver, support, output = np.moveaxis(cluster.poses(x), 1, 0)
        l1, l2, l3 = cluster.lengths
        assert_near((output @ [l2, 0.0, 0.0, 1.0])[:, :3], (support @ [l3, 0.0, 0.0, 1.0])[:, :3], 1e-11)
        assert_near(output[:, :3, 3], (driver @ [l1, 0.0, 0.0, 1.0])[:, :3], 1e-14)


def test_a_cluster_joins_a_mechanism():
    """Links and joints by name, each where it hangs; one loop, or none for a free body."""
    mechanism = Mechanism("legs")
    rng = np.random.default_rng(0)
    assert cluster_joints.Free(random_link(rng, "trunk")).add_to(mechanism, "base") == []
    cluster = KINDS["RevolutePairWithRotor"][0](rng)
    for side in ("left", "right"):
        [(names, constraint)] = cluster.add_to(mechanism, side, ["base_trunk", "world", "base_trunk"])
        assert names == [f"{side}_{body}_joint" for body in ("link0", "rotor0", "rotor1", "link1")]
        assert constraint is cluster.constraint
    hung = {joint.child: joint.parent for joint in mechanism.joints}
    assert hung["left_link0"] == hung["left_rotor1"] == "base_trunk"
    assert (hung["left_rotor0"], hung["right_link1"]) == ("world", "right_link0")
    assert [link.name for link in mechanism.links] == list(hung)


@pytest.mark.slow
def test_bodies_are_where_the_tree_has_them(robots):
    """Poses and velocities by clusters are those of the spanning tree."""
    for robot, some in robots:
        tree, names = robot.model.spanning_tree, [link.name for link in robot.mechanism.links]
        x, y_dot, y_ddot, *_ = stacked(some)
        q, v, *_ = (np.array(part) for part in zip(*map(robot.model.motion, x, y_dot), strict=True))
        H, V = frame_poses(tree, q, names), frame_velocities(tree, q, v, names)
        poses, motions = by_clusters.poses(robot, x), by_clusters.motions(robot, x, y_dot, y_ddot)
        for i, name in enumerate(names):
            assert_each(H[:, i], poses[name], 1e-10)
            turn = spatial.adjoint(spatial.pose(poses[name][:, :3, :3]))
            assert_each(V[:, i], times(turn, motions[name][1]), 1e-10)


def screwed(whole: bool) -> dyn.Model:
    """A crank, a nut that slides and turns, as one cylindrical joint or as two joints, and a lever that a screw moves.

    The nut's turn is nonlinear in the crank's, and its slide and the lever's angle follow both.
    """
    rng = np.random.default_rng(5)
    crank, nut, lever = (hinged(random_link(rng, name), Z, random_origin(rng)) for name in ("crank", "nut", "lever"))
    middle = [ClusterBody(nut.link, joints.CylindricalJoint(Z), nut.origin)]
    if not whole:
        middle = [ClusterBody(Link("turned"), joints.RevoluteJoint(Z), nut.origin)]
        middle.append(ClusterBody(nut.link, joints.PrismaticJoint(Z), np.eye(4), 1))
    phi = Implicit(lambda q: [q[1] - np.sin(q[0]), q[2] - 0.1 * q[1] * q[0], q[3] - q[2] - 0.3 * q[0]], 4, [0])
    mechanism = dyn.Mechanism("screwed")
    cluster_joints.Generic([crank, *middle, lever], phi).add_to(mechanism, "x", "world")
    return mechanism.build()


def test_a_joint_of_several_freedoms_in_a_loop_is_a_chain_of_single_ones():
    one, two = screwed(True), screwed(False)
    x, (v,), (tau,) = one.closed([0.4, 0.0, 0.0, 0.0]), *np.random.default_rng(6).normal(size=(2, 1, 1))
    assert one.q_names == ("x_crank_joint", "x_nut_joint[0]", "x_nut_joint[1]", "x_lever_joint")
    for use in dyn.forward_dynamics, projected_dynamics, lambda *state: constrained_dynamics(*state).q_ddot:
        np.testing.assert_allclose(use(one, x, v, tau), use(two, x, v, tau), rtol=1e-10)
    np.testing.assert_allclose(dyn.implicit(one, x, v, 0.01).q, dyn.implicit(two, x, v, 0.01).q, rtol=1e-10)
    with pytest.raises(
        ModelError, match="joint 'x_nut_joint' is in the loop of joints 'x_crank_joint', 'x_nut_joint', "
    ):
        one.dofs("x_nut_joint")
