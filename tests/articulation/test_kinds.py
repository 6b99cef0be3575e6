"""One joint: δθ and its derivatives against a second implementation, at hard states."""

import re

import numpy as np
import pytest

from ipc_articulation.articulation import kinds, prismatic, revolute, vectors
from ipc_articulation.articulation.joints import Joints
from ipc_articulation.articulation.kinds import KINDS, PRISMATIC, REVOLUTE
from ipc_articulation.errors import ArticulationError
from tests.articulation import reference
from tests.derivatives import central_difference, complex_step, relative_error

STATES = 1000


def states_of(kind, seed):
    """A joint, and 1,000 pairs (q, q_ref): A off rotation by up to 20 %, δθ up to ±3 rad about the axis."""
    rng = np.random.default_rng(seed)
    joints = reference.random_joints(rng, [(0, 1)], [kind])
    q = reference.random_states(rng, STATES, 2)
    left = joints.local[0, 0, :, :3]
    axis = np.cross(*left[::-1]) if kind == REVOLUTE else left[1]
    axis = axis / np.linalg.norm(axis)
    q_ref = reference.turn(axis, q, 1, rng.uniform(-3, 3, size=STATES))
    q = reference.turn(axis, q, 1, rng.uniform(-0.5, 0.5, size=STATES))
    return joints, q, q_ref + 0.02 * rng.normal(size=q.shape)


@pytest.fixture(params=[REVOLUTE, PRISMATIC], ids=["revolute", "prismatic"])
def kind(request):
    return request.param


def delta_theta(joints, q, q_ref):
    """δθ of a joint, (f,), from one state to another."""
    kind, local = joints.kind[0], joints.local[0]
    reference, delta = np.zeros(kinds.REFERENCE), np.empty(KINDS[kind].freedoms)
    kinds.set_reference(kind, local, *q_ref, reference)
    kinds.delta_theta(kind, local, *q, reference, delta)
    return delta


def derivatives(joints, q, weight=1.0, project=False):
    J, H, reference = np.empty((1, 24)), np.empty((24, 24)), np.zeros(kinds.REFERENCE)
    kinds.derivatives(joints.kind[0], joints.local[0], *q, reference, np.array([weight]), project, J, H)
    return J[0], H


def test_delta_theta_is_the_formula(kind):
    joints, q, q_ref = states_of(kind, seed=1)
    got = [delta_theta(joints, now, then)[0] for now, then in zip(q, q_ref, strict=True)]
    np.testing.assert_allclose(got, reference.delta_theta(joints, q, q_ref)[:, 0], atol=1e-14)
    if kind == REVOLUTE:
        assert np.min(got) < -2.5
        assert np.max(got) > 2.5


def test_gradient_is_the_complex_step_derivative(kind):
    joints, q, q_ref = states_of(kind, seed=2)
    want = gradient_by_complex_step(joints, q.reshape(STATES, 24), q_ref)
    for now, g in zip(q, want, strict=True):
        assert relative_error(derivatives(joints, now)[0], g) < 1e-12


def test_hessian_is_the_derivative_of_the_gradient(kind):
    joints, q, q_ref = states_of(kind, seed=3)
    want = central_difference(lambda x: gradient_by_complex_step(joints, x, q_ref), q.reshape(STATES, 24), step=1e-5)
    for now, H in zip(q, want, strict=True):
        assert relative_error(derivatives(joints, now)[1], H) < 1e-6


@pytest.mark.parametrize("weight", [2.5, -0.7])
def test_projected_hessian_is_the_nearest_positive_semidefinite_one(kind, weight):
    """In the space of the world vectors, by the eigenvalue solver that the closed form replaces."""
    joints, q, _ = states_of(kind, seed=4)
    write = {REVOLUTE: revolute, PRISMATIC: prismatic}[kind].derivatives_in_F
    exact, projected, g = np.empty((12, 12)), np.empty((12, 12)), np.empty(12)
    for now in q[:200]:
        F = vectors.pairs(joints.local[0], *now)
        write(F, weight, False, g, exact)
        write(F, weight, True, g, projected)
        values, basis = np.linalg.eigh(exact)
        want = (basis * np.maximum(values, 0.0)) @ basis.T
        assert relative_error(projected, want) < 1e-12


@pytest.mark.parametrize("weight", [2.5, -0.7])
def test_projected_hessian_in_q_has_no_negative_eigenvalue(kind, weight):
    joints, q, _ = states_of(kind, seed=5)
    for now in q:
        values = np.linalg.eigvalsh(derivatives(joints, now, weight, True)[1])
        assert values[0] > -1e-12 * values[-1]


def test_revolute_passes_half_pi_and_comes_near_pi():
    """A rigid turn by α gives δθ = α, also where arctan would fold it back."""
    rng = np.random.default_rng(6)
    joints = reference.random_joints(rng, [(0, 1)], [REVOLUTE])
    angles = np.concatenate([np.linspace(-3.14, 3.14, 63), [np.pi - 1e-9, 1e-9 - np.pi]])
    q_ref = reference.random_states(rng, len(angles), 2, stretch=0.0)
    q = reference.turn(np.cross(*joints.local[0, 1, ::-1, :3]), q_ref, 1, angles)
    for now, then, angle in zip(q, q_ref, angles, strict=True):
        assert delta_theta(joints, now, then) == pytest.approx(angle, abs=1e-12)


def test_an_unknown_kind_is_refused_by_name():
    joints = reference.random_joints(np.random.default_rng(7), [(0, 1), (1, 2)], [REVOLUTE, PRISMATIC])
    message = "joint 1: kind 7 is unknown; kinds of joints: 0 (revolute), 1 (prismatic), 2 (fixed), 3 (spherical)"
    with pytest.raises(ArticulationError, match=re.escape(message)):
        Joints(np.array([REVOLUTE, 7]), joints.bodies, joints.local)
    message = "joint 'ankle': kind 'saddle' is unknown; kinds of joints: revolute, prismatic, fixed, spherical"
    with pytest.raises(ArticulationError, match=re.escape(message)):
        kinds.kind_named("saddle", "joint 'ankle'")


def test_compiled_code_takes_no_unknown_kind_for_another():
    local, q, small, large = np.zeros((2, 2, 4)), np.zeros(12), np.zeros(2), np.zeros((12, 2, 4, 3))
    for call in (
        lambda: kinds.set_reference(7, local, q, q, small),
        lambda: kinds.delta_theta(7, local, q, q, small, small),
        lambda: kinds.derivatives(7, local, q, q, small, small, True, np.zeros((1, 24)), np.zeros((24, 24))),
        lambda: kinds.residual(REVOLUTE, large[0, 0], large[0, 0], q),
        lambda: kinds.residual_slopes(REVOLUTE, large[0, 0], large[0, 0], large),
    ):
        with pytest.raises(ValueError, match="unknown kind of joint"):
            call()


def gradient_by_complex_step(joints, x, q_ref):
    return complex_step(lambda y: reference.delta_theta(joints, y.reshape(*y.shape[:-1], 2, 12), q_ref)[..., 0], x)
