"""Bounded springs: their Bregman distance with its derivatives, in and outside of the energy; refusals."""

import numpy as np
import pytest

from ipc_articulation.articulation.bounded_springs import (
    SPRINGS,
    curvatures,
    distance,
    refuse_springs,
    slopes,
    springs_array,
)
from ipc_articulation.articulation.energy import ArticulationEnergy
from ipc_articulation.articulation.kinds import PRISMATIC, REVOLUTE
from ipc_articulation.errors import ArticulationError
from tests.articulation import reference
from tests.derivatives import relative_error

F = 1000


@pytest.fixture(scope="module")
def case():
    """Springs of 1,000 freedoms, with predictions and displacements that lie in all pieces of their forces."""
    rng = np.random.default_rng(0)
    springs = np.stack(
        [
            rng.normal(size=(F, SPRINGS)),
            rng.uniform(0.1, 10, size=(F, SPRINGS)) * rng.integers(0, 2, size=(F, SPRINGS)),
            -rng.uniform(0, 3, size=(F, SPRINGS)),
            rng.uniform(0, 3, size=(F, SPRINGS)),
        ],
        axis=-1,
    )
    springs[:, 0, 2:], springs[:, 1, 2:] = (-np.inf, 0.0), (0.0, np.inf)
    return springs, rng.normal(size=F), rng.normal(size=F)


def energies(springs, tilde, x):
    D = np.zeros(len(x))
    distance(springs, tilde, x, D)
    return D


def test_the_distance_is_the_integral_of_its_slope(case):
    springs, tilde, x = case
    s = (np.arange(20000) + 0.5) / 20000
    along = sum(slopes(springs, tilde, tilde + t * (x - tilde)) for t in s) / len(s)
    np.testing.assert_allclose(energies(springs, tilde, x), along * (x - tilde), rtol=1e-4, atol=1e-6)


def test_the_curvature_is_the_derivative_of_the_slope(case):
    springs, tilde, x = case
    h = 1e-7
    change = (slopes(springs, tilde, x + h) - slopes(springs, tilde, x - h)) / (2 * h)
    smooth = np.abs(curvatures(springs, x + h) - curvatures(springs, x - h)) == 0.0
    assert smooth.mean() > 0.99
    np.testing.assert_allclose(curvatures(springs, x)[smooth], change[smooth], atol=1e-6)
    assert len(np.unique(curvatures(springs, x) > 0.0)) == 2  # both inside and beyond the bounds of forces


def test_the_prediction_is_where_the_distance_is_zero_and_flat(case):
    springs, tilde, x = case
    np.testing.assert_array_equal(energies(springs, tilde, tilde), 0.0)
    np.testing.assert_array_equal(slopes(springs, tilde, tilde), 0.0)
    assert (energies(springs, tilde, x) > -1e-12).all()


def test_gradient_and_hessian_of_the_energy_contain_them():
    rng = np.random.default_rng(1)
    joints = reference.random_joints(rng, [(0, 1), (1, 2)], [REVOLUTE, PRISMATIC])
    energy = ArticulationEnergy(joints, 3, (2,))
    springs = np.zeros((2, SPRINGS, 4))
    springs[:, 1], springs[:, 2] = (-2.0, 3.0, 0.0, np.inf), (0.1, 0.3, -50.0, 50.0)
    q, q_ref = reference.random_states(rng, 2, 3)
    energy.set_flat([np.eye(2).ravel()], [np.array([0.2, -0.1])], q_ref, [springs])
    v, h = rng.normal(size=q.shape), 1e-6
    slope = (energy.energy(q + h * v) - energy.energy(q - h * v)) / (2 * h)
    assert float(np.vdot(energy.gradient(q), v)) == pytest.approx(slope, rel=1e-6)
    Hv = (energy.gradient(q + h * v) - energy.gradient(q - h * v)) / (2 * h)
    assert relative_error(energy.hessian(q, project=False) @ v.ravel(), Hv.ravel()) < 1e-6
    energy.set_flat([np.eye(2).ravel()], [np.array([0.2, -0.1])], q_ref)
    without = (energy.energy(q + h * v) - energy.energy(q - h * v)) / (2 * h)
    assert abs(slope - without) > 1e-3 * abs(slope)


@pytest.mark.parametrize(
    ("spring", "message"),
    [
        ((0.0, -1.0, 0.0, 1.0), r"elbow: bounded_springs, spring 2 is \[0.0, -1.0, 0.0, 1.0\], must be center"),
        ((np.nan, 1.0, 0.0, 1.0), "elbow: bounded_springs, spring 2 is"),
        ((0.0, 1.0, 0.5, 1.0), r"lowest and highest force \[both times dt²\]: finite, not negative, not positive, not"),
        ((0.0, np.inf, -1.0, 1.0), "elbow: bounded_springs, spring 2"),
    ],
)
def test_springs_that_are_none_are_refused(spring, message):
    springs = np.zeros((2, SPRINGS, 4))
    springs[1, 2] = spring
    with pytest.raises(ArticulationError, match=message):
        refuse_springs(["hip", "elbow"], springs)


def test_wrong_shapes_are_refused():
    with pytest.raises(ArticulationError, match=r"arm: bounded_springs has shape \(2, 4\), must be \(2, 4, 4\): for"):
        springs_array("arm", 2, np.zeros((2, 4)))
    with pytest.raises(ArticulationError, match="arm: bounded_springs must be an array of numbers"):
        springs_array("arm", 1, "stiff")


def test_the_energy_refuses_them_by_the_joint():
    rng = np.random.default_rng(2)
    energy = ArticulationEnergy(reference.random_joints(rng, [(0, 1)], [REVOLUTE]), 2, (1,), joint_names=["knee"])
    springs = np.full((1, SPRINGS, 4), -1.0)
    with pytest.raises(ArticulationError, match="knee: bounded_springs, spring 0 is"):
        energy.set_flat([np.ones(1)], [np.zeros(1)], reference.random_states(rng, 1, 2)[0], [springs])
