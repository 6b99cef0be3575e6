"""What every joint must obey, whatever it is."""

import numpy as np
import pytest

from ipc_articulation import spatial
from ipc_articulation.dynamics import joints
from tests.dynamics.random_trees import KINDS, random_joint

H = 1e-5


@pytest.fixture(params=KINDS)
def joint(request):
    """A joint at a random position and velocity of its own."""
    rng = np.random.default_rng(KINDS.index(request.param))
    made = random_joint(request.param, rng)
    made.gvel = rng.normal(size=made.ndof)
    made.gpos = made.integrate(made.neutral(), rng.normal(size=made.ndof))
    return made


def rate_of(f, joint):
    """Of f(q) along the joint's velocity, by central differences."""
    ahead, behind = (joint.integrate(joint.gpos, joint.gvel, dt) for dt in (H, -H))
    return (f(ahead) - f(behind)) / (2.0 * H)


def vee(A):
    """The twist [ω; v] of a matrix [ω~ v; 0 0]."""
    return np.array([A[2, 1], A[0, 2], A[1, 0], *A[:3, 3]])


def close(got, want, atol=1e-14):
    np.testing.assert_allclose(got, want, atol=atol, rtol=0.0)


def test_counts(joint):
    assert joint.gpos.shape == (joint.nq,)
    assert joint.subspace(joint.gpos).shape == (6, joint.ndof)
    assert np.linalg.matrix_rank(joint.jacobian) == joint.ndof


def test_frames_coincide_at_neutral(joint):
    close(joint.pose_at(joint.neutral()), np.eye(4), 0.0)


@pytest.mark.parametrize("kind", KINDS)
def test_new_joints_are_at_rest_at_neutral(kind):
    joint = random_joint(kind, np.random.default_rng(0))
    np.testing.assert_array_equal(joint.gpos, joint.neutral())
    assert not joint.gvel.any()


def test_subspace_is_the_relative_twist(joint):
    """T^ = H⁻¹ dH/dt = (X ν)^."""
    twist = vee(spatial.inverse(joint.pose) @ rate_of(joint.pose_at, joint))
    close(joint.subspace(joint.gpos) @ joint.gvel, twist, 1e-8)


def test_rate_of_the_subspace(joint):
    close(joint.subspace_rate(joint.gpos, joint.gvel), rate_of(joint.subspace, joint), 1e-8)


def test_bias_is_the_acceleration_at_constant_velocity(joint):
    close(joint.bias(joint.gpos, joint.gvel), rate_of(joint.subspace, joint) @ joint.gvel, 1e-8)


def test_difference_undoes_integrate(joint):
    v = joint.gvel
    close(joint.difference(joint.gpos, joint.integrate(joint.gpos, v, 0.5)), 0.5 * v)


def test_integrate_goes_on_where_it_stopped(joint):
    half = joint.integrate(joint.gpos, joint.gvel, 0.5)
    close(joint.integrate(half, joint.gvel, 0.5), joint.integrate(joint.gpos, joint.gvel))


def test_rate_is_that_of_integrate(joint):
    close(joint.rate(joint.gpos, joint.gvel), rate_of(np.copy, joint), 1e-8)


def test_properties_are_those_at_its_own_state(joint):
    q, v = joint.gpos, joint.gvel
    close(joint.pose, joint.pose_at(q), 0.0)
    close(joint.jacobian, joint.subspace(q), 0.0)
    close(joint.djacobian, joint.subspace_rate(q, v), 0.0)
    close(joint.twist, joint.subspace(q) @ v, 0.0)


def test_inverse_pose_and_its_twist(joint):
    """The parent in the child: H⁻¹, and its twist in the parent's axes."""
    close(joint.ipose @ joint.pose, np.eye(4))
    twist = vee(joint.pose @ rate_of(lambda q: spatial.inverse(joint.pose_at(q)), joint))
    close(joint.itwist, twist, 1e-8)


def test_joints_say_where_they_stand():
    assert repr(joints.RzJoint(0.5, 2.0)) == "RzJoint(gpos=[0.5], gvel=[2.0])"
