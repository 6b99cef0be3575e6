"""K of several articulations that share bodies, against a second implementation; and refusals of bad input."""

import re

import numpy as np
import pytest

from ipc_articulation.articulation.energy import ArticulationEnergy
from ipc_articulation.articulation.joints import Joints
from ipc_articulation.articulation.kinds import (
    CYLINDRICAL,
    FIXED,
    FREE,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    SPHERICAL,
    UNIVERSAL,
    VECTORS,
)
from ipc_articulation.errors import ArticulationError
from tests.articulation import reference
from tests.derivatives import complex_step, relative_error

BODIES, COUNTS = 5, (2, 3, 1)
PAIRS = [(0, 1), (1, 2), (2, 3), (0, 3), (3, 4), (1, 4)]
STATES = 1000
KINDS = {
    "turns and slides": [REVOLUTE, PRISMATIC, REVOLUTE, REVOLUTE, PRISMATIC, REVOLUTE],
    "several freedoms": [FREE, REVOLUTE, SPHERICAL, UNIVERSAL, PLANAR, CYLINDRICAL],
}


@pytest.fixture(scope="module", params=KINDS)
def case(request):
    """An energy set up for one step, and 1,000 states q."""
    rng = np.random.default_rng(0)
    joints = reference.random_joints(rng, PAIRS, KINDS[request.param])
    energy = ArticulationEnergy(joints, BODIES, COUNTS, ["arm", "leg", "tail"])
    blocks = [(lambda R: R @ R.T + np.eye(size))(rng.normal(size=(size, size))) for size in energy.sizes]
    ends = np.cumsum(energy.sizes)
    tilde = rng.uniform(-1, 1, size=ends[-1])
    q_ref = reference.random_states(rng, 1, BODIES)[0]
    energy.set_step(blocks, np.split(tilde, ends[:-1]), q_ref)
    q = reference.random_states(rng, STATES, BODIES)
    for body in range(BODIES):
        q = reference.turn(reference.random_rotation(rng)[0], q, body, rng.uniform(-1.5, 1.5, size=STATES))
    mass = np.zeros((ends[-1], ends[-1]))
    for start, block in zip((0, *ends), blocks, strict=False):
        mass[start : start + len(block), start : start + len(block)] = block
    return energy, q, lambda x: reference.energy(joints, mass, tilde, x.reshape(*x.shape[:-1], BODIES, 12), q_ref)


def test_energy_is_the_formula(case):
    energy, q, K = case
    got = np.array([energy.energy(each) for each in q])
    np.testing.assert_allclose(got, K(q.reshape(STATES, -1)), rtol=1e-12)


def test_gradient_is_the_complex_step_derivative(case):
    energy, q, K = case
    for start in range(0, STATES, 100):
        want = complex_step(K, q[start : start + 100].reshape(100, -1))
        for each, g in zip(q[start : start + 100], want, strict=True):
            assert relative_error(energy.gradient(each).ravel(), g) < 1e-11


@pytest.mark.slow
def test_exact_hessian_is_the_derivative_of_the_gradient(case):
    """Along a random direction a state: 1,000 directions span the 60 coordinates many times over."""
    energy, q, K = case
    rng = np.random.default_rng(1)
    step = 1e-5
    for start in range(0, STATES, 100):
        x = q[start : start + 100].reshape(100, -1)
        v = rng.normal(size=x.shape)
        want = (complex_step(K, x + step * v) - complex_step(K, x - step * v)) / (2 * step)
        for each, direction, Hv in zip(x, v, want, strict=True):
            H = energy.hessian(each.reshape(BODIES, 12), project=False)
            assert relative_error(H @ direction, Hv) < 1e-6


@pytest.mark.slow
def test_projected_hessian_has_no_negative_eigenvalue(case):
    energy, q, _ = case
    exact_is_indefinite = False
    for each in q:
        values = np.linalg.eigvalsh(energy.hessian(each))
        assert values[0] > -1e-9 * values[-1]
        exact_is_indefinite |= np.linalg.eigvalsh(energy.hessian(each, project=False))[0] < -1e-3
    assert exact_is_indefinite  # else the projection was never at work


def test_mass_couples_joints_that_share_no_body(case):
    energy, q, _ = case
    H = energy.hessian(q[0], project=False).reshape(BODIES, 12, BODIES, 12)
    assert np.abs(H[2, :, 4]).max() > 1e-3  # joints (2, 3) and (3, 4) are both of the leg
    assert np.abs(H[0, :, 2]).max() > 1e-3  # joints (0, 1) and (1, 2) are both of the arm


def test_linearize_holds_the_parts_of_gradient_and_hessian(case):
    energy, q, _ = case
    at = energy.linearize(q[3])
    leg = slice(energy.sizes[0], energy.sizes[0] + energy.sizes[1])
    residual = energy.delta_theta(q[3]) - energy.delta_theta_tilde
    np.testing.assert_allclose(at.force[leg], energy.mass[1] @ residual[leg], rtol=1e-12)
    assert (at.jacobian.shape, at.curvature.shape) == ((sum(energy.sizes), 24), (6, 24, 24))


def test_a_rigid_motion_of_everything_changes_nothing(case):
    energy, q, _ = case
    rng = np.random.default_rng(2)
    R, p = reference.random_rotation(rng), rng.normal(size=3)
    A = R @ q[..., 3:].reshape(STATES, BODIES, 3, 3)
    moved = reference.q_of(A, q[..., :3] @ R.T + p)
    for before, after in zip(q, moved, strict=True):
        np.testing.assert_allclose(energy.delta_theta(after), energy.delta_theta(before), atol=1e-12)


def test_energy_without_joints_is_zero():
    energy = ArticulationEnergy(reference.random_joints(np.random.default_rng(0), [(0, 1)], [REVOLUTE])[:0], 2, ())
    q = np.zeros((2, 12))
    energy.set_step([], [], q)
    assert energy.energy(q) == 0.0
    assert not energy.hessian(q).any()


@pytest.fixture
def pair():
    joints = reference.random_joints(np.random.default_rng(0), [(0, 1), (1, 2)], [REVOLUTE, PRISMATIC])
    return ArticulationEnergy(joints, 3, (2,), ["arm"], ["elbow", "hand"]), reference.random_states(
        np.random.default_rng(1), 1, 3
    )[0]


GOOD_MASS, GOOD_TILDE = np.array([[2.0, 1.0], [1.0, 3.0]]), np.zeros(2)


@pytest.mark.parametrize(
    ("mass", "tilde", "message"),
    [
        (np.eye(3), GOOD_TILDE, "arm: mass has shape (3, 3), must be (2, 2), one row and one column per freedom"),
        (np.full(4, 1.0)[None], GOOD_TILDE, "arm: mass has shape (1, 4), must be (2, 2)"),
        (np.array([[1.0, np.nan], [0.0, 1.0]]), GOOD_TILDE, "arm: mass must be finite, but entry (0, 1) is nan"),
        (np.diag([1.0, np.inf]), GOOD_TILDE, "arm: mass must be finite, but entry (1, 1) is inf"),
        (np.full((2, 2), -np.inf), GOOD_TILDE, "arm: mass must be finite, but entry (0, 0) is -inf"),
        (
            np.array([[2.0, 1.0], [1.1, 3.0]]),
            GOOD_TILDE,
            "arm: mass must be symmetric, but entry (0, 1) is 1 and entry (1, 0) is 1.1",
        ),
        (
            np.array([[1.0, 2.0], [2.0, 1.0]]),
            GOOD_TILDE,
            "arm: mass must be positive definite, but its smallest eigenvalue is -1",
        ),
        (np.zeros((2, 2)), GOOD_TILDE, "smallest eigenvalue is 0; it is all zero: does no animator callback write it?"),
        (GOOD_MASS, np.zeros(3), "arm: delta_theta_tilde has shape (3,), must be (2,), one number per freedom"),
        (GOOD_MASS, np.array([0.0, np.inf]), "arm: delta_theta_tilde must be finite, but entry 1 is inf"),
        (
            GOOD_MASS,
            np.array([-3.2, 0.0]),
            "elbow (revolute): |delta_theta_tilde| is 3.2 rad, must be below 3.14159: in one step a joint can turn by "
            "less than half a turn; for this joint velocity the time step dt is too large",
        ),
        ([GOOD_MASS, GOOD_MASS], GOOD_TILDE, "mass: 2 arrays given, must be 1, one each for arm"),
        ([["a", "b"]], GOOD_TILDE, "arm: mass must be an array of numbers"),
    ],
)
def test_bad_step_input_is_refused(pair, mass, tilde, message):
    energy, q = pair
    with pytest.raises(ArticulationError, match=re.escape(message)):
        energy.set_step(mass, tilde, q)


def test_what_rounding_left_of_symmetry_is_mended(pair):
    energy, q = pair
    skewed = GOOD_MASS + 1e-10 * np.array([[0.0, 1.0], [-1.0, 0.0]])
    energy.set_step(skewed, GOOD_TILDE, q)
    np.testing.assert_array_equal(energy.mass[0], energy.mass[0].T)
    np.testing.assert_allclose(energy.mass[0], GOOD_MASS, rtol=1e-14)


def test_a_slide_has_no_limit_and_a_turn_one_of_half_a_turn(pair):
    energy, q = pair
    for tilde in ([3.1415, -1e6], [-3.1415, 40.0]):
        energy.set_step(GOOD_MASS, np.array(tilde), q)
    with pytest.raises(
        ArticulationError, match=r"elbow \(revolute\): |delta_theta_tilde| is 3.14159 rad, must be below"
    ):
        energy.set_step(GOOD_MASS, np.array([np.pi, 0.0]), q)


def test_a_refused_step_leaves_the_last_one_in_place(pair):
    energy, q = pair
    energy.set_step(GOOD_MASS, np.ones(2), q)
    before = energy.energy(q)
    with pytest.raises(ArticulationError):
        energy.set_step(5 * GOOD_MASS, np.full(2, np.nan), q)
    assert energy.energy(q) == before > 0.0


def test_reference_coordinates_must_be_finite_rows_a_body(pair):
    energy, q = pair
    with pytest.raises(
        ArticulationError, match=re.escape("coordinates have shape (2, 12), must be (3, 12): one row per body")
    ):
        energy.set_step(GOOD_MASS, GOOD_TILDE, q[:2])
    q[1, 4] = np.nan
    with pytest.raises(ArticulationError, match="body 1: reference coordinates must be finite"):
        energy.set_step(GOOD_MASS, GOOD_TILDE, q)


def test_joint_counts_must_sum_to_the_number_of_joints():
    joints = reference.random_joints(np.random.default_rng(0), [(0, 1)], [REVOLUTE])
    with pytest.raises(ArticulationError, match=re.escape("joint_counts (1, 1) must sum to the number of joints, 1")):
        ArticulationEnergy(joints, 2, (1, 1))


@pytest.mark.parametrize("bodies", [(0, 0), (-1, 0), (0, 2)])
def test_a_joint_must_join_two_different_bodies(bodies: tuple[int, int]) -> None:
    joints = Joints(np.array([REVOLUTE]), np.array([bodies]), np.zeros((1, 2, VECTORS, 4)))
    message = f"elbow joins the bodies {bodies[0]} and {bodies[1]}, must join two different ones from 0 to 1"
    with pytest.raises(ArticulationError, match=re.escape(message)):
        ArticulationEnergy(joints, 2, [1], joint_names=["elbow"])


def test_a_fixed_joint_is_refused() -> None:
    joints = Joints(np.array([FIXED]), np.array([[0, 1]]), np.zeros((1, 2, VECTORS, 4)))
    with pytest.raises(ArticulationError, match="joint 0 is fixed; a joint of an articulation must move"):
        ArticulationEnergy(joints, 2, [1])
