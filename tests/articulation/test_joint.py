"""One joint: δθ and its derivatives against a second implementation, at hard states."""

import numpy as np
import pytest

from ipc_articulation.articulation import joint, prismatic, revolute
from ipc_articulation.articulation.joints import PRISMATIC, REVOLUTE
from tests.articulation import reference
from tests.derivatives import central_difference, complex_step, relative_error

STATES = 1000


def states_of(kind, seed):
    """A joint, and 1,000 pairs (q, q_ref): A off rotation by up to 20 %, δθ up to ±3 rad about the axis."""
    rng = np.random.default_rng(seed)
    joints = reference.random_joints(rng, [(0, 1)], [kind])
    q = reference.random_states(rng, STATES, 2)
    axis = np.cross(*joints.left[0, ::-1]) if kind == REVOLUTE else joints.left[0, 1]
    axis = axis / np.linalg.norm(axis)
    q_ref = reference.turn(axis, q, 1, rng.uniform(-3, 3, size=STATES))
    q = reference.turn(axis, q, 1, rng.uniform(-0.5, 0.5, size=STATES))
    return joints, q, q_ref + 0.02 * rng.normal(size=q.shape)


@pytest.fixture(params=[REVOLUTE, PRISMATIC], ids=["revolute", "prismatic"])
def kind(request):
    return request.param


def world(joints, q):
    return [joint.world_vectors(joints.local[0], *bodies) for bodies in q]


def derivatives(kind, local, F, weight=1.0, project=False):
    g, H = np.empty(24), np.empty((24, 24))
    joint.derivatives(kind, local, F, weight, project, g, H)
    return g, H


def test_delta_theta_is_the_formula(kind):
    joints, q, q_ref = states_of(kind, seed=1)
    coordinates = [[joint.coordinate(kind, F) for F in world(joints, each)] for each in (q, q_ref)]
    got = [joint.delta_theta(kind, now, then) for now, then in zip(*coordinates, strict=True)]
    np.testing.assert_allclose(got, reference.delta_theta(joints, q, q_ref)[:, 0], atol=1e-14)
    if kind == REVOLUTE:
        assert np.min(got) < -2.5
        assert np.max(got) > 2.5


def test_gradient_is_the_complex_step_derivative(kind):
    joints, q, q_ref = states_of(kind, seed=2)
    want = gradient_by_complex_step(joints, q.reshape(STATES, 24), q_ref)
    for F, g in zip(world(joints, q), want, strict=True):
        assert relative_error(derivatives(kind, joints.local[0], F)[0], g) < 1e-12


def test_hessian_is_the_derivative_of_the_gradient(kind):
    joints, q, q_ref = states_of(kind, seed=3)
    want = central_difference(lambda x: gradient_by_complex_step(joints, x, q_ref), q.reshape(STATES, 24), step=1e-5)
    for F, H in zip(world(joints, q), want, strict=True):
        assert relative_error(derivatives(kind, joints.local[0], F)[1], H) < 1e-6


@pytest.mark.parametrize("weight", [2.5, -0.7])
def test_projected_hessian_is_the_nearest_positive_semidefinite_one(kind, weight):
    """In the space of the world vectors, by the eigenvalue solver that the closed form replaces."""
    joints, q, _ = states_of(kind, seed=4)
    write = revolute.derivatives if kind == REVOLUTE else prismatic.derivatives
    exact, projected, g = np.empty((12, 12)), np.empty((12, 12)), np.empty(12)
    for F in world(joints, q)[:200]:
        write(F, weight, False, g, exact)
        write(F, weight, True, g, projected)
        values, vectors = np.linalg.eigh(exact)
        want = (vectors * np.maximum(values, 0.0)) @ vectors.T
        assert relative_error(projected, want) < 1e-12


@pytest.mark.parametrize("weight", [2.5, -0.7])
def test_projected_hessian_in_q_has_no_negative_eigenvalue(kind, weight):
    joints, q, _ = states_of(kind, seed=5)
    for F in world(joints, q):
        values = np.linalg.eigvalsh(derivatives(kind, joints.local[0], F, weight, True)[1])
        assert values[0] > -1e-12 * values[-1]


def test_revolute_passes_half_pi_and_comes_near_pi():
    """A rigid turn by α gives δθ = α, also where arctan would fold it back."""
    rng = np.random.default_rng(6)
    joints = reference.random_joints(rng, [(0, 1)], [REVOLUTE])
    angles = np.concatenate([np.linspace(-3.14, 3.14, 63), [np.pi - 1e-9, 1e-9 - np.pi]])
    q_ref = reference.random_states(rng, len(angles), 2, stretch=0.0)
    q = reference.turn(np.cross(*joints.right[0, ::-1]), q_ref, 1, angles)
    for now, then, angle in zip(world(joints, q), world(joints, q_ref), angles, strict=True):
        got = joint.delta_theta(REVOLUTE, joint.coordinate(REVOLUTE, now), joint.coordinate(REVOLUTE, then))
        assert got == pytest.approx(angle, abs=1e-12)


def gradient_by_complex_step(joints, x, q_ref):
    return complex_step(lambda y: reference.delta_theta(joints, y.reshape(*y.shape[:-1], 2, 12), q_ref)[..., 0], x)
