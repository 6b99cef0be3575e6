"""Joints that follow others."""

import time

import numpy as np
import pytest

from ipc_articulation.dynamics import Mechanism, Mimic, joints
from ipc_articulation.errors import ModelError
from tests.dynamics.model.chains import chain, hinges


def test_followers_are_resolved_to_the_joint_that_leads():
    mechanism = hinges(4)
    mechanism.joints[1].mimic = Mimic("to_d", 2.0, 0.5)
    mechanism.joints[2].mimic = Mimic("to_b", -3.0, 0.1)
    followers = mechanism.build().followers
    assert followers.dofs.tolist() == [1, 2]
    assert followers.leader_dofs.tolist() == [3, 3]
    np.testing.assert_allclose(followers.multiplier, [2.0, -6.0])
    np.testing.assert_allclose(followers.offset, [0.5, -3.0 * 0.5 + 0.1])
    np.testing.assert_allclose(followers.G, [[1, 0], [0, 2], [0, -6], [0, 1]])


def test_a_model_without_mimics_has_no_followers():
    followers = hinges(2).build().followers
    assert len(followers) == 0
    np.testing.assert_array_equal(followers.G, np.eye(2))


def test_what_resists_a_follower_resists_its_leader():
    mechanism = hinges(2)
    lead, follow = mechanism.joints
    lead.damping, lead.friction, lead.lower, lead.upper = 0.5, 0.25, -1.0, 1.0
    follow.damping, follow.friction, follow.lower, follow.upper = 0.1, 3.0, -1.0, 2.0
    follow.mimic = Mimic("to_a", -2.0, 0.5)
    c = mechanism.build().coordinates
    np.testing.assert_allclose(c.damping, [0.5 + 4.0 * 0.1, 0.0])
    np.testing.assert_allclose(c.friction, [0.25 + 2.0 * 3.0, 0.0])
    np.testing.assert_allclose([c.lower, c.upper], [[-0.75, -np.inf], [0.75, np.inf]])


@pytest.mark.parametrize(("upper", "multiplier"), [(3.0, 1.0), (1.0, -1.0)])  # the second leaves 0 alone, as PR2's file
def test_limits_of_a_follower_that_its_leader_cannot_keep_are_named(upper, multiplier):
    mechanism = hinges(2)
    mechanism.joints[0].lower, mechanism.joints[0].upper = 0.0, 1.0
    mechanism.joints[1].lower, mechanism.joints[1].upper = upper - 1.0, upper
    mechanism.joints[1].mimic = Mimic("to_a", multiplier)
    with pytest.warns(UserWarning, match="joint 'to_b' has limits that 'to_a', which it mimics, cannot keep"):
        c = mechanism.build().coordinates
    assert (c.lower[0], c.upper[0]) == (0.0, 1.0)


def test_bad_mimics_are_refused():
    mechanism = hinges(2)
    mechanism.joints[1].mimic = Mimic("to_x")
    with pytest.raises(
        ModelError, match="joint 'to_b' mimics 'to_x'; both must be joints with one degree of freedom; did"
    ):
        mechanism.build()
    mechanism.joints[0].mimic, mechanism.joints[1].mimic = Mimic("to_b"), Mimic("to_a")
    with pytest.raises(ModelError, match="joint 'to_a' mimics itself, through to_a, to_b"):
        mechanism.build()
    mechanism = chain(joints.RzJoint(), joints.SphericalJoint())
    mechanism.joints[1].mimic = Mimic("to_a")
    with pytest.raises(ModelError, match="joint 'to_b' mimics 'to_a'; both must be joints with one degree of freedom"):
        mechanism.build()


@pytest.mark.slow
def test_a_long_chain_of_mimics_is_built_in_linear_time():
    """Each joint follows the next one; 2,000 of them took 36 s when each was followed to the end of the chain."""
    count = 2000
    mechanism = Mechanism("chain")
    for k in range(count):
        mechanism.add_link(f"link{k}", 1.0, (0.1, 0.0, 0.0), 1.0)
        mimic = Mimic(f"joint{k + 1}", -1.0, 1.0) if k < count - 1 else None
        mechanism.add_joint(f"joint{k}", joints.RzJoint(), "world", f"link{k}", mimic=mimic)
    start = time.process_time()
    followers = mechanism.build().followers
    assert time.process_time() - start < 12.0
    assert set(followers.leader_dofs.tolist()) == {count - 1}
    np.testing.assert_array_equal(followers.dofs, np.arange(count - 1))
    np.testing.assert_array_equal(followers.multiplier[-3:], [-1.0, 1.0, -1.0])
    np.testing.assert_array_equal(followers.offset[-3:], [1.0, 0.0, 1.0])
