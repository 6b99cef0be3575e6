"""Derivatives of dynamics on the loops' manifold, against differences of the dynamics and closed forms."""

import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation import spatial
from ipc_articulation.dynamics import (
    Mechanism,
    forward_dynamics,
    forward_dynamics_derivatives,
    inverse_dynamics_derivatives,
    joints,
)
from ipc_articulation.dynamics.loops import CoordinateFunctions, FourBar, gear
from ipc_articulation.errors import StateError
from tests.derivatives import central_difference
from tests.dynamics.by_hand import assert_near
from tests.dynamics.loops.robots import State, robot_of
from tests.dynamics.loops.waves import Wave
from tests.dynamics.random_trees import random_mechanism

TOLERANCE = 2e-5  # generalized_rbda's


def assert_derivatives(robot, state):
    """Both kinds, with a wrench on every body."""
    x, y_dot, y_ddot, tau, wrenches = state
    inverse = inverse_dynamics_derivatives(robot, x, y_dot, y_ddot, wrenches)
    forward = forward_dynamics_derivatives(robot, x, y_dot, tau, wrenches)
    for got, dynamics, last in (
        (inverse, dyn.inverse_dynamics, y_ddot),
        (forward, forward_dynamics, tau),
    ):
        expected = by_differences(robot, dynamics, x, y_dot, last, wrenches)
        for ours, theirs in zip(got, expected, strict=True):
            assert_near(ours, theirs, TOLERANCE)


def by_differences(robot, dynamics, x, y_dot, last, wrenches):
    """Derivatives of dynamics(x, ẏ, ÿ or τ) by displacements along ẏ that keep the loops closed, and by the rest."""
    zero = np.zeros(robot.nv)
    return (
        central_difference(lambda d: dynamics(robot, dyn.integrate(robot, x, d), y_dot, last, wrenches), zero),
        central_difference(lambda d: dynamics(robot, x, y_dot + d, last, wrenches), zero),
        central_difference(lambda d: dynamics(robot, x, y_dot, last + d, wrenches), zero),
    )


@pytest.mark.slow
def test_random_robots(robots):
    for robot, some in robots:
        for state in some:
            assert_derivatives(robot.model, state)


@pytest.mark.parametrize("kind", ["chain of mixed", "six-bar arm"])
def test_a_few_random_robots(kind):
    for seed in range(3):
        robot = robot_of(kind, seed)
        for state in random_states(robot.model, 3):
            assert_derivatives(robot.model, state)


def random_states(robot, count):
    rng = np.random.default_rng(0)
    for _ in range(count):
        numbers = rng.normal(size=(3, robot.nv))
        yield State(dyn.random_position(robot, rng), *numbers, rng.normal(size=(len(robot.spanning_tree.bodies), 6)))


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
def test_joints_of_every_kind_beside_a_loop(floating):
    """Balls, planes and free bodies are in no loop; what has one degree of freedom moves with two coordinates."""
    mechanism = random_mechanism(1, floating)
    names = [placed.name for placed in mechanism.joints if placed.joint.ndof == 1]
    waves = CoordinateFunctions([Wave(0.3 * k) for k in range(len(names))], [k % 2 for k in range(len(names))])
    robot = mechanism.build().with_loops([(names, waves)])
    for state in random_states(robot, 5):
        assert_derivatives(robot, state)


def test_without_loops_they_are_those_of_the_tree():
    model = random_mechanism(2, True).build()
    robot = model.with_loops([])
    for x, y_dot, y_ddot, tau, wrenches in random_states(robot, 5):
        inverse = dyn.inverse_dynamics_derivatives(model, x, y_dot, y_ddot, wrenches)
        forward = dyn.forward_dynamics_derivatives(model, x, y_dot, tau, wrenches)
        for got, want in (
            (inverse_dynamics_derivatives(robot, x, y_dot, y_ddot, wrenches), inverse),
            (forward_dynamics_derivatives(robot, x, y_dot, tau, wrenches), forward),
        ):
            for ours, theirs in zip(got, want, strict=True):
                assert_near(ours, theirs, 1e-9)


def geared_arm(rotor_as_body):
    """A geared hinge and a link on it; the rotor a body that turns on the ground, or an inertia of the joint."""
    J, N = 0.003, -7.0
    mechanism = Mechanism("arm", gravity=(1.0, -9.0, 2.0))
    for name, parent in (("upper", "world"), ("lower", "upper")):
        reflected = J * N**2 if name == "upper" and not rotor_as_body else 0.0
        joint = joints.RevoluteJoint((0.3, 0.2, 1.0))
        mechanism.add_link(name, 1.0, (0.2, 0.1, 0.0), 0.02)
        mechanism.add_joint(name, joint, parent, name, origin=spatial.pose(p=(0.4, 0.0, 0.1)), rotor_inertia=reflected)
    if not rotor_as_body:
        return mechanism.build()
    mechanism.add_link("rotor", 0.5, inertia=np.diag([J, J, J]))
    mechanism.add_joint("rotor", joints.RevoluteJoint((1.0, -1.0, 0.5)), "world", "rotor")
    return mechanism.build().with_loops([(("upper", "rotor"), gear(N))])


def test_a_rotor_on_the_ground_is_its_reflected_inertia():
    robot, tree = geared_arm(True), geared_arm(False)
    for x, y_dot, y_ddot, tau, wrenches in random_states(robot, 10):
        wrenches[-1] = 0.0  # the rotor has none
        inverse = dyn.inverse_dynamics_derivatives(tree, x, y_dot, y_ddot, wrenches[:-1])
        forward = dyn.forward_dynamics_derivatives(tree, x, y_dot, tau, wrenches[:-1])
        got = inverse_dynamics_derivatives(robot, x, y_dot, y_ddot, wrenches)
        for ours, theirs in zip(got, inverse, strict=True):
            assert_near(ours, theirs, 1e-13)
        for ours, theirs in zip(forward_dynamics_derivatives(robot, x, y_dot, tau, wrenches), forward, strict=True):
            assert_near(ours, theirs, 1e-12)


def test_inverse_and_forward_dynamics_undo_each_other():
    """∂τ/∂ÿ ∂ÿ/∂τ = 1, and moving the state with the forces that keep ÿ changes nothing."""
    robot = robot_of("tello", 0).model
    for x, y_dot, y_ddot, _, wrenches in random_states(robot, 3):
        tau = dyn.inverse_dynamics(robot, x, y_dot, y_ddot, wrenches)
        inverse = inverse_dynamics_derivatives(robot, x, y_dot, y_ddot, wrenches)
        forward = forward_dynamics_derivatives(robot, x, y_dot, tau, wrenches)
        assert_near(inverse.a @ forward.tau, np.eye(robot.nv), 1e-9)
        assert_near(forward.tau @ inverse.q, -forward.q, 1e-9)
        assert_near(forward.tau @ inverse.v, -forward.v, 1e-9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({0: [0.1]}, "q has shape (1,), but model 'linkage' (nq = 3, nv = 1) needs (3) or"),
        ({1: [0.1, 0.2]}, "v has shape (2,), but model 'linkage' (nq = 3, nv = 1) needs (1) or"),
        ({2: [np.nan]}, "a[0] ('driver') is nan; it must be finite"),
        ({3: np.zeros((2, 6))}, "wrenches has shape (2, 6), but model 'linkage' (nq = 3, nv = 1) needs (3, 6) or"),
        ({0: [1.2, 1.1, 2.0]}, "the loop of joints 'driver', 'support', 'output' is open: |φ| = "),
    ],
)
def test_states_that_do_not_fit(change, message):
    robot = linkage()
    state = [robot.closed([1.2, 1.1, -1.0]), [0.5], [0.1], np.zeros((3, 6))]
    for place, value in change.items():
        state[place] = value
    with pytest.raises(StateError) as error:
        inverse_dynamics_derivatives(robot, *state)
    assert str(error.value).startswith(message)
    with pytest.raises(StateError) as error:
        forward_dynamics_derivatives(robot, *state)
    assert str(error.value).startswith(message.replace("a[0]", "tau[0]"))


def linkage():
    """A four-bar linkage, its driver independent."""
    mechanism = Mechanism("linkage")
    places = {"driver": ("world", (0, 0, 0)), "support": ("world", (0.26, 0.05, 0)), "output": ("driver", (0.3, 0, 0))}
    for name, (parent, place) in places.items():
        mechanism.add_link(name, 1.0, (0.14, 0, 0), (0.001, 0.01, 0.01))
        mechanism.add_joint(name, joints.RzJoint(), parent, name, origin=spatial.pose(p=place))
    return mechanism.build().with_loops([(tuple(places), FourBar((0.3, 0.25, 0.28), (0.26, 0.05)))])
