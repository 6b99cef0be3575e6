"""A joint that moves no inertia is named; numpy raised its own error."""

import re

import numpy as np
import pytest
from ipc_articulation.adapters.native import NativeAdapter

from ipc_articulation import couple
from ipc_articulation import dynamics as dyn
from ipc_articulation.dynamics import Mimic, joints
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
