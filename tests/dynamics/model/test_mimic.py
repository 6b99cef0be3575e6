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
