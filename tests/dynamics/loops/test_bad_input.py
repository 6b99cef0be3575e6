"""What robots with loops refuse, and in which words."""

import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation.dynamics import Mechanism, forward_dynamics, joints
from ipc_articulation.dynamics.loops import FourBar, Implicit, Static, gear, tello_hip
from ipc_articulation.dynamics.model import cluster_joints
from ipc_articulation.dynamics.model.cluster_joint import ClusterBody, ClusterJoint, hinged
from ipc_articulation.dynamics.model.cluster_joints import transmission
from ipc_articulation.dynamics.model.parts import Link
from ipc_articulation.errors import ModelError, StateError
from tests.dynamics.loops.robots import robot_of

Z = (0.0, 0.0, 1.0)
PARALLELOGRAM = FourBar((0.096, 0.031, 0.096), (0.031, 0.0))


def body(name="link", on=None):
    return hinged(Link(name, 1.0, inertia=np.eye(3)), Z, on=on)


def arm():
    """Hinges «a» to «d» in series, and a ball «ball»."""
    mechanism, parent = Mechanism("arm"), "world"
    for name in ("a", "b", "c", "d", "ball"):
        mechanism.add_link(name + "_link", 1.0, inertia=1.0)
        joint = joints.SphericalJoint() if name == "ball" else joints.RzJoint()
        mechanism.add_joint(name, joint, parent, name + "_link")
        parent = name + "_link"
    return mechanism.build()


def pair(kind=cluster_joints.RevolutePairWithRotor, links=2, rotors=2, ratios=(6.0, 6.0), belts=((2.0,), (2.0, 1.0))):
    return kind([body() for _ in range(links)], [body() for _ in range(rotors)], ratios, belts)


TRIPLE = cluster_joints.RevoluteTripleWithRotor


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: gear(0.0), "a gear ratio must be a finite number other than zero; it is 0"),
        (lambda: tello_hip(0.0), "a gear ratio must be a finite number other than zero; it is 0"),
        (
            lambda: cluster_joints.RevoluteWithRotor(body(), body("rotor"), np.nan),
            "a gear ratio must be a finite number other than zero; it is nan",
        ),
        (lambda: pair(ratios=(6.0, 0.0)), "a gear ratio must be a finite number other than zero; it is 0"),
        (lambda: pair(ratios=(6.0,)), "the cluster joint has 2 gear ratios, not 1"),
        (lambda: pair(links=3), "the cluster joint has 2 links, not 3"),
        (lambda: pair(TRIPLE, 3, 2), "the cluster joint has 3 gear ratios, not 2"),
        (
            lambda: pair(belts=((2.0, 1.0), (2.0,))),
            "rotor k of 2 has k belts; the belts are [[2.0, 1.0], [2.0]]",
        ),
        (lambda: transmission([1.0], []), "rotor k of 1 has k belts; the belts are []"),
        (
            lambda: transmission([1.0, 2.0], [[1.0], [1.0, 0.0]]),
            "belts' ratios must be finite numbers other than zero; they are [1.0, 0.0]",
        ),
        (
            lambda: ClusterJoint([body(), body("next")], Static(np.eye(3))),
            "ClusterJoint: the constraint is on 3 coordinates; the joints have 2",
        ),
        (
            lambda: ClusterJoint([], Static([[1.0]])),
            "ClusterJoint: the constraint is on 1 coordinates; the joints have 0",
        ),
        (
            lambda: cluster_joints.Generic([body("first", on=1), body("second")], gear(2.0)),
            "Generic: body 0, 'first', is before its parent, body 1; list that first",
        ),
        (
            lambda: cluster_joints.Revolute(ClusterBody(Link("ball", 1.0), joints.SphericalJoint())),
            "Revolute: the constraint is on 1 coordinates; the joints have 3",
        ),
        (
            lambda: pair().add_to(Mechanism("m"), "knee", ["world", "world"]),
            "knee: 3 bodies of the cluster have parents outside it; 2 outputs are given",
        ),
        (
            lambda: FourBar((1.0, 1.0, 1.0), (1.0, 0.0), independent=3),
            "independent coordinates must be different places from 0 to 2; they are [3]",
        ),
        (
            lambda: Implicit(lambda q: np.array([q[0]]), 3, [0]),
            "the loop's function gives 1 numbers; 3 coordinates, 1 of them independent, need 2",
        ),
        (
            lambda: arm().with_loops([(["a", "b", "c"], gear(2.0))]),
            "the loop of joints 'a', 'b', 'c': the constraint is on 2 coordinates; the joints have 3",
        ),
        (
            lambda: arm().with_loops([(["a", "b"], gear(2.0)), (["b", "c"], gear(2.0))]),
            "joint 'b' is in two loops; make them one constraint",
        ),
        (
            lambda: arm().with_loops([(["a", "a"], gear(2.0))]),
            "joint 'a' is in two loops; make them one constraint",
        ),
        (
            lambda: arm().with_loops([(["a", "e"], gear(2.0))]),
            "model 'arm' has no joint 'e'; valid: a, b, ball, c, d",
        ),
        (
            lambda: arm().with_loops([(["a", "ball"], Static(np.eye(4)))]),
            "the loop of joints 'a', 'ball': joint 'ball' has a quaternion; in loops joints turn about",
        ),
        (
            lambda: Static([[1.0, 1.0], [1.0, 1.0]]),
            "G of a loop must be a matrix whose columns are independent; it is ",
        ),
        (lambda: Static([[1.0], [2.0]], [[1.0, 2.0]]), "K of a loop must be of shape (1, 2) with K G = 0; it is "),
    ],
)
def test_wrong_models(make, message):
    with pytest.raises(ModelError) as error:
        make()
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda cluster: cluster.S(np.zeros(2)), "x has shape (2,); give (1,) or (..., 1)"),
        (lambda cluster: cluster.poses(np.zeros(0)), "x has shape (0,); give (1,) or (..., 1)"),
        (lambda cluster: cluster.vJ([0.0], np.zeros(2)), "velocity has shape (2,); give (1,) or (..., 1)"),
        (lambda cluster: cluster.cJ([np.nan], [0.0]), "x must be finite; it is [nan]"),
    ],
)
def test_wrong_states_of_a_cluster(call, message):
    with pytest.raises(StateError) as error:
        call(cluster_joints.RevoluteWithRotor(body(), body("rotor"), 6.0))
    assert str(error.value) == message


def test_zero_is_no_position_of_the_tello():
    robot = robot_of("tello", 0).model
    joints = (
        "'left_gimbal_rotor1_joint', 'left_gimbal_rotor2_joint', 'left_gimbal_gimbal_joint', 'left_gimbal_thigh_joint'"
    )
    x = np.zeros(robot.nq)
    x[3] = 1.0
    with pytest.raises(StateError) as error:
        robot.spanning(x)
    want = f"the loop of joints {joints} is open: |φ| = 0.00371875; close it with Model.closed"
    assert str(error.value) == want
    with pytest.raises(StateError) as error:
        forward_dynamics(robot, x, np.zeros(robot.nv), np.zeros(robot.nv))
    assert str(error.value) == want
    robot.spanning(robot.closed(x))


def test_a_flat_parallelogram_is_singular():
    """φ = 0 there, but its driver does not determine the other two."""
    robot = arm().with_loops([(["a", "b", "c"], PARALLELOGRAM)])
    x = np.zeros(robot.nq)
    x[3 + 1] = 1.0
    assert not PARALLELOGRAM.phi(np.zeros(3)).any()
    for call in (
        lambda: robot.G(x),
        lambda: dyn.integrate(robot, x, np.ones(robot.nv), 0.1),
        lambda: forward_dynamics(robot, x, np.zeros(robot.nv), np.zeros(robot.nv)),
    ):
        with pytest.raises(StateError) as error:
            call()
        assert str(error.value) == (
            "the loop of joints 'a', 'b', 'c': the loop is singular here: its independent coordinates do not determine "
            "the others (condition number inf); choose others, or another position"
        )


def test_a_loop_that_cannot_be_closed():
    """The bars are too short to meet."""
    robot = arm().with_loops([(["a", "b", "c"], FourBar((0.1, 0.1, 0.1), (1.0, 0.0)))])
    x = np.array([0.4, 0.3, 0.2, 0.0, 1.0, 0.0, 0.0, 0.0])
    with pytest.raises(
        StateError, match=r"^the loop of joints 'a', 'b', 'c': the loop cannot be closed from here: \|φ\| "
    ):
        robot.closed(x)
    with pytest.raises(StateError) as error:
        dyn.random_position(robot, np.random.default_rng(0))
    assert str(error.value) == (
        "the loop of joints 'a', 'b', 'c': no position on the loop's manifold was found in 45 tries"
    )
