"""A joint that moves no inertia is named; numpy raised its own error."""

import re

import numpy as np
import pytest
from ipc_articulation.adapters.native import NativeAdapter

from ipc_articulation import couple
from ipc_articulation import dynamics as dyn
from ipc_articulation.dynamics import Mimic, joints
from ipc_articulation.dynamics.algorithms.multipliers import constrained_dynamics
from ipc_articulation.dynamics.algorithms.operational_space import inverse_operational_space_inertia
from ipc_articulation.dynamics.algorithms.projection import projected_dynamics
from ipc_articulation.dynamics.loops import gear
from ipc_articulation.errors import ModelError
from tests.coupling.worlds import make_scene

MESSAGE = re.escape("model 'wheel': joint 'spin' moves no inertia in this position, so its acceleration is not ")


def wheel(**properties):
    """A point mass on an arm, and on it a wheel without inertia that turns about its centre of mass."""
    mechanism = dyn.Mechanism("wheel", gravity=np.zeros(3))
    mechanism.add_link("arm", 1.0, (0.3, 0.0, 0.0))
    mechanism.add_link("wheel", 1.0)
    mechanism.add_joint("shoulder", joints.RzJoint(), "world", "arm")
    mechanism.add_joint("spin", joints.RzJoint(), "arm", "wheel", **properties)
    return mechanism


@pytest.mark.parametrize(
    "step",
    [
        lambda model: dyn.implicit(model, np.zeros(2), np.zeros(2), 0.01),
        lambda model: dyn.Skeleton(model).accelerations,
        lambda model: dyn.forward_dynamics(model, np.zeros(2), np.zeros(2), np.zeros(2)),
        lambda model: dyn.forward_dynamics(model, np.zeros(2), np.zeros(2), np.zeros(2), np.zeros((2, 6))),
        lambda model: dyn.forward_dynamics(model, np.zeros((3, 2)), np.ones(2), np.ones(2)),
        lambda model: dyn.forward_dynamics_derivatives(model, np.zeros(2), np.zeros(2), np.zeros(2)),
        lambda model: dyn.inverse_mass_matrix(model, np.ones(2)),
        lambda model: dyn.semi_implicit_euler(model, np.zeros(2), np.zeros(2), 0.01),
        lambda model: NativeAdapter(model, 0.01).predict(),
        lambda model: couple(make_scene(), NativeAdapter(model, 0.01)),
    ],
)
def test_a_joint_that_moves_no_inertia_is_named(step):
    with pytest.raises(ModelError, match=MESSAGE):
        step(wheel().build())
    step(wheel(rotor_inertia=1e-3).build())


def test_a_small_inertia_far_from_the_base_is_no_rounding_error():
    mechanism = wheel()
    mechanism.links[1].inertia = np.eye(3) * 1e-9
    a = dyn.forward_dynamics(mechanism.build(), np.zeros(2), np.zeros(2), np.array([0.0, 1e-9]))
    np.testing.assert_allclose(a[1] + a[0], 1.0, rtol=1e-3)


def test_the_joint_is_named_among_followers():
    mechanism = wheel()
    mechanism.add_link("pointer", 1.0, (0.1, 0.0, 0.0))
    mimic = Mimic("shoulder", 2.0)
    mechanism.add_joint("indicator", joints.RzJoint(), "world", "pointer", mimic=mimic)
    with pytest.raises(ModelError, match=MESSAGE):
        dyn.implicit(mechanism.build(), np.zeros(3), np.zeros(3), 0.01)


def test_damping_determines_the_motion_of_a_joint_without_inertia():
    step = dyn.implicit(wheel(damping=0.5).build(), np.zeros(2), np.ones(2), 0.01)
    np.testing.assert_allclose(step.v, [1.0, 0.0], atol=1e-12)


LOOPED = [
    dyn.forward_dynamics,
    constrained_dynamics,
    projected_dynamics,
    lambda robot, q, v, tau: inverse_operational_space_inertia(robot, q, [("c", np.zeros(3))]),
    lambda robot, q, v, tau: dyn.inverse_mass_matrix(robot, q),
    lambda robot, q, v, tau: dyn.forward_dynamics_derivatives(robot, q, v, tau),
    lambda robot, q, v, tau: dyn.implicit(robot, q, v, 0.01),
]


def in_series(joint, geared):
    """Three links on joints that move them in the same way, beside two geared rotors; only the last link has mass."""
    mechanism = dyn.Mechanism("series")
    for name, parent in {"a": "world", "b": "a", "c": "b"}.items():
        mechanism.add_link(name, *([1.3, (0.1, 0.2, -0.3), (0.2, 0.3, 0.4)] if name == "c" else []))
        mechanism.add_joint(f"to {name}", joint, parent, name)
    for name in ("rotor", "other rotor") if geared else ():
        mechanism.add_link(name, 0.1, (0.1, 0.0, 0.0), 0.01)
        mechanism.add_joint(name, joints.RzJoint(), "world", name)
    if geared:
        mechanism.add_loop(("rotor", "other rotor"), gear(3.0))
    return mechanism.build()


@pytest.mark.parametrize("geared", [False, True])
@pytest.mark.parametrize("joint", [joints.RevoluteJoint((1, 2, 3)), joints.FloatingJoint(), joints.SphericalJoint()])
def test_joints_in_series_that_move_the_same_are_named_at_any_state(joint, geared):
    """Of the 1e-16 that is left of their inertia, half of the states had accelerations."""
    robot, rng = in_series(joint, geared), np.random.default_rng(2)
    for _ in range(10):
        q = dyn.integrate(robot, robot.neutral, rng.normal(size=robot.nv))
        v, tau = rng.normal(size=(2, robot.nv))
        for use in LOOPED:
            with pytest.raises(ModelError, match=r"model 'series': joint 'to .*' moves no inertia in this position"):
                use(robot, q, v, tau)


@pytest.mark.parametrize("seed", range(4))
def test_a_loop_may_determine_what_the_tree_alone_does_not(seed):
    """Two joints about one oblique axis, geared; multipliers were up to twice as large for an inertia of 1e-16."""
    mechanism = dyn.Mechanism("geared", gravity=np.zeros(3))
    for name, parent in {"a": "world", "b": "a"}.items():
        mechanism.add_link(name, *([1.0, (0.3, 0.2, 0.1), 0.1] if name == "b" else []))
        mechanism.add_joint(name, joints.RevoluteJoint((1, 2, 3)), parent, name)
    mechanism.add_loop(("a", "b"), gear(6.0))
    robot, state = mechanism.build(), np.random.default_rng(seed).normal(size=(3, 1))
    expected = projected_dynamics(robot, *state)
    np.testing.assert_allclose(constrained_dynamics(robot, *state).y_ddot, expected, rtol=1e-12)
    np.testing.assert_allclose(dyn.forward_dynamics(robot, *state), expected, rtol=1e-12)
