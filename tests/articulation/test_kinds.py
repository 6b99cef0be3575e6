"""One joint: δθ and its derivatives against a second implementation, at hard states."""

import re

import numpy as np
import pytest

from ipc_articulation.articulation import kinds, prismatic, rotation_vector, vectors
from ipc_articulation.articulation.joints import Joints
from ipc_articulation.articulation.kinds import FREE, KINDS, PRISMATIC, REVOLUTE, SPHERICAL
from ipc_articulation.errors import ArticulationError
from tests.articulation import reference
from tests.derivatives import central_difference, complex_step, relative_error

STATES = 1000
MOVING = [kind for kind, entry in KINDS.items() if entry.freedoms]


def states_of(kind, seed):
    """A joint, and 1,000 pairs (q, q_ref): A off rotation by up to 20 %, δθ up to ±3 rad about the axis."""
    rng = np.random.default_rng(seed)
    joints = reference.random_joints(rng, [(0, 1)], [kind])
    q = reference.random_states(rng, STATES, 2)
    axis = reference.axis_of(joints, 0)
    q_ref = reference.turn(axis, q, 1, rng.uniform(-3, 3, size=STATES))
    q = reference.turn(axis, q, 1, rng.uniform(-0.5, 0.5, size=STATES))
    return joints, q, q_ref + 0.02 * rng.normal(size=q.shape)


@pytest.fixture(params=MOVING, ids=[KINDS[kind].name for kind in MOVING])
def kind(request):
    return request.param


def delta_theta(joints, q, q_ref):
    """δθ of a joint, (f,), from one state to another."""
    kind, local = joints.kind[0], joints.local[0]
    delta = np.empty(KINDS[kind].freedoms)
    kinds.delta_theta(kind, local, *q, reference_of(joints, q_ref), delta)
    return delta


def reference_of(joints, q_ref):
    """What δθ must know of a reference pose."""
    numbers = np.zeros(kinds.REFERENCE)
    kinds.set_reference(joints.kind[0], joints.local[0], *q_ref, numbers)
    return numbers


def weights(kind, factor=1.0):
    """Factors of the second derivatives of δθ, one for each freedom, of both signs."""
    return factor * np.array([1.0, -0.6, 0.8, 0.5, -1.1, 0.7])[: KINDS[kind].freedoms]


def derivatives(joints, q, q_ref, factor=1.0, project=False):
    """∂δθ (f, 24), and the weighted sum of the second derivatives (24, 24)."""
    kind = joints.kind[0]
    J, H = np.empty((KINDS[kind].freedoms, 24)), np.empty((24, 24))
    given = reference_of(joints, q_ref), weights(kind, factor)
    kinds.derivatives(kind, joints.local[0], *q, *given, project, J, H)
    return J, H


def test_delta_theta_is_the_formula(kind):
    joints, q, q_ref = states_of(kind, seed=1)
    got = [delta_theta(joints, now, then) for now, then in zip(q, q_ref, strict=True)]
    np.testing.assert_allclose(got, reference.delta_theta(joints, q, q_ref), atol=1e-13)
    if "rad" in KINDS[kind].units:
        angle = np.array(got)[:, KINDS[kind].units.index("rad") :]
        assert np.linalg.norm(angle[:, :3], axis=1).max() > 2.5


def test_gradient_is_the_complex_step_derivative(kind):
    joints, q, q_ref = states_of(kind, seed=2)
    want = gradient_by_complex_step(joints, q.reshape(STATES, 24), q_ref)
    for now, then, g in zip(q, q_ref, want, strict=True):
        assert relative_error(derivatives(joints, now, then)[0], g) < 1e-11


def test_hessian_is_the_derivative_of_the_gradient(kind):
    joints, q, q_ref = states_of(kind, seed=3)

    def slope(x):
        return np.einsum("f,...fx->...x", weights(kind), gradient_by_complex_step(joints, x, q_ref))

    want = central_difference(slope, q.reshape(STATES, 24), step=1e-5)
    for now, then, H in zip(q, q_ref, want, strict=True):
        assert relative_error(derivatives(joints, now, then)[1], H) < 1e-6


@pytest.mark.parametrize("weight", [2.5, -0.7])
def test_projected_hessian_of_prismatic_joints_is_the_nearest_positive_semidefinite_one(weight):
    """In the space of the world vectors, by the eigenvalue solver that the closed form replaces."""
    joints, q, _ = states_of(PRISMATIC, seed=4)
    exact, projected, g = np.empty((12, 12)), np.empty((12, 12)), np.empty(12)
    for now in q[:200]:
        F = vectors.pairs(joints.local[0], *now)
        prismatic.derivatives_in_F(F, weight, False, g, exact)
        prismatic.derivatives_in_F(F, weight, True, g, projected)
        assert relative_error(projected, nearest(exact)) < 1e-12


@pytest.mark.parametrize("weight", [2.5, -0.7])
def test_projected_hessian_of_revolute_joints_is_the_nearest_positive_semidefinite_one(weight):
    """In q as well, as the local vectors of a body are orthonormal."""
    joints, q, q_ref = states_of(REVOLUTE, seed=4)
    for now, then in zip(q[:200], q_ref[:200], strict=True):
        exact, projected = (derivatives(joints, now, then, weight, project)[1] for project in (False, True))
        assert relative_error(projected, nearest(exact)) < 1e-12


def nearest(H):
    """The nearest positive semidefinite matrix."""
    values, basis = np.linalg.eigh(H)
    return (basis * np.maximum(values, 0.0)) @ basis.T


@pytest.mark.parametrize("factor", [2.5, -0.7])
def test_projected_hessian_is_semidefinite_and_nowhere_below_the_exact_one(kind, factor):
    joints, q, q_ref = states_of(kind, seed=5)
    for now, then in zip(q, q_ref, strict=True):
        (_, exact), (_, projected) = (derivatives(joints, now, then, factor, project) for project in (False, True))
        values = np.linalg.eigvalsh(projected)
        assert values[0] > -1e-12 * values[-1]
        assert np.linalg.eigvalsh(projected - exact)[0] > -1e-12 * values[-1]


def test_revolute_passes_half_pi_and_comes_near_pi():
    """A rigid turn by α gives δθ = α, also where arctan would fold it back."""
    rng = np.random.default_rng(6)
    joints = reference.random_joints(rng, [(0, 1)], [REVOLUTE])
    angles = np.concatenate([np.linspace(-3.14, 3.14, 63), [np.pi - 1e-9, 1e-9 - np.pi]])
    q_ref = reference.random_states(rng, len(angles), 2, stretch=0.0)
    q = reference.turn(reference.axis_of(joints, 0), q_ref, 1, angles)
    for now, then, angle in zip(q, q_ref, angles, strict=True):
        assert delta_theta(joints, now, then) == pytest.approx(angle, abs=1e-12)


@pytest.mark.parametrize("kind", [SPHERICAL, FREE], ids=["spherical", "free"])
def test_a_rigid_turn_is_its_rotation_vector_in_the_axes_of_the_right_body(kind):
    """Up to 3.1 rad, near zero, and with derivatives that are those of the formula."""
    rng = np.random.default_rng(8)
    joints = reference.random_joints(rng, [(0, 1)], [kind])
    lengths = np.concatenate([np.linspace(0.0, 3.1, 63), [1e-9, 1e-5, 0.0999, 0.1001, 3.1415]])
    q_ref = reference.random_states(rng, len(lengths), 2, stretch=0.0)
    q_ref[:, 1, 3:] = reference.random_rotation(rng, len(lengths)).reshape(-1, 9)
    for then, length in zip(q_ref, lengths, strict=True):
        axis = reference.random_rotation(rng)[0]
        now = reference.turn(axis, then[None], 1, np.array([length]))[0]
        np.testing.assert_allclose(delta_theta(joints, now, then)[-3:], length * axis, atol=1e-11)


@pytest.mark.slow
def test_derivatives_of_the_rotation_vector_are_good_near_half_a_turn_and_near_zero():
    rng = np.random.default_rng(9)
    joints = reference.random_joints(rng, [(0, 1)], [SPHERICAL])
    lengths = np.concatenate([np.full(500, 3.1), rng.uniform(1e-4, 0.2, size=500)])
    q_ref = reference.random_states(rng, STATES, 2, stretch=0.0)
    turns = zip(reference.random_rotation(rng, STATES)[:, 0], q_ref, lengths, strict=True)
    q = np.array([reference.turn(axis, then[None], 1, angle[None])[0] for axis, then, angle in turns])
    first = gradient_by_complex_step(joints, q.reshape(STATES, 24), q_ref)

    def slope(x):
        return np.einsum("f,...fx->...x", weights(SPHERICAL), gradient_by_complex_step(joints, x, q_ref))

    second = central_difference(slope, q.reshape(STATES, 24), step=1e-6)
    for now, then, J, H in zip(q, q_ref, first, second, strict=True):
        got = derivatives(joints, now, then)
        assert relative_error(got[0], J) < 1e-9
        assert relative_error(got[1], H) < 1e-6


def test_series_and_closed_form_of_the_rotation_vector_meet():
    for c in (0.2, 0.995):
        below, above = ([s, 0.0, 0.0, c] for s in (0.1 * c * (1 - 1e-9), 0.1 * c * (1 + 1e-9)))
        pair = [rotation_vector.factors(np.array(y)) for y in (below, above)]
        np.testing.assert_allclose(*pair, rtol=1e-8)


def test_an_unknown_kind_is_refused_by_name():
    joints = reference.random_joints(np.random.default_rng(7), [(0, 1), (1, 2)], [REVOLUTE, PRISMATIC])
    message = "joint 1: kind 17 is unknown; kinds of joints: 0 (revolute), 1 (prismatic), 2 (fixed), 3 (spherical), 4 ("
    with pytest.raises(ArticulationError, match=re.escape(message)):
        Joints(np.array([REVOLUTE, 17]), joints.bodies, joints.local)
    message = "joint 'ankle': kind 'saddle' is unknown; kinds of joints: revolute, prismatic, fixed, spherical, free, "
    with pytest.raises(ArticulationError, match=re.escape(message)):
        kinds.kind_named("saddle", "joint 'ankle'")


def test_compiled_code_takes_no_unknown_kind_for_another():
    local, q, small, large = np.zeros((2, 4, 4)), np.zeros(12), np.zeros(12), np.zeros((15, 2, 5, 3))
    for call in (
        lambda: kinds.set_reference(17, local, q, q, small),
        lambda: kinds.delta_theta(17, local, q, q, small, small),
        lambda: kinds.derivatives(17, local, q, q, small, small, True, np.zeros((1, 24)), np.zeros((24, 24))),
        lambda: kinds.residual(REVOLUTE, large[0, 0], large[0, 0], q),
        lambda: kinds.residual_slopes(REVOLUTE, large[0, 0], large[0, 0], large),
    ):
        with pytest.raises(ValueError, match="unknown kind of joint"):
            call()


def gradient_by_complex_step(joints, x, q_ref):
    return complex_step(lambda y: reference.delta_theta(joints, y.reshape(*y.shape[:-1], 2, 12), q_ref), x)
