"""Rows of freedoms on which springs act: their energy with its derivatives, refusals."""

import numpy as np
import pytest

from ipc_articulation.articulation.bounded_springs import SPRINGS, curvatures, slopes
from ipc_articulation.articulation.energy import ArticulationEnergy
from ipc_articulation.articulation.kinds import FREE, PRISMATIC, REVOLUTE
from ipc_articulation.articulation.spring_rows import BoundedRows, add_back, along, bounded_rows, make_rows, selected
from ipc_articulation.errors import ArticulationError
from tests.articulation import reference
from tests.derivatives import relative_error

STARTS, COUNTS = np.array([0, 2, 5]), (1, 2)  # two articulations of two and three freedoms


def matrix(rows) -> np.ndarray:
    return np.stack([along(rows, unit) for unit in np.eye(5)], axis=1)


def given(rng):
    rows = make_rows(STARTS, COUNTS)
    rows.weights[5:] = rng.normal(size=8)
    return rows


def test_rows_are_the_freedoms_and_then_those_of_each_articulation_on_its_own_freedoms():
    rows = given(np.random.default_rng(0))
    expected = np.zeros((3, 5))
    expected[0, :2], expected[1:, 2:] = rows.weights[5:7], rows.weights[7:].reshape(2, 3)
    np.testing.assert_array_equal(matrix(rows), np.concatenate([np.eye(5), expected]))


def test_forces_on_rows_act_on_the_freedoms_by_the_transpose():
    rng = np.random.default_rng(1)
    rows, force, w = given(rng), rng.normal(size=8), np.ones(5)
    add_back(rows, force, w)
    np.testing.assert_allclose(w, 1.0 + matrix(rows).T @ force, rtol=1e-14)


def test_some_of_the_rows():
    rows, chosen = given(np.random.default_rng(2)), np.array([1, 5, 7])
    np.testing.assert_array_equal(matrix(selected(rows, chosen)), matrix(rows)[chosen])


def two_articulations(rng) -> tuple[ArticulationEnergy, np.ndarray, np.ndarray]:
    joints = reference.random_joints(rng, [(0, 1), (1, 2), (2, 3)], [REVOLUTE, PRISMATIC, FREE])
    energy = ArticulationEnergy(joints, 4, (2, 1), ["arm", "hand"], row_names=[["rope"], ["cable", "belt"]])
    return energy, *reference.random_states(rng, 2, 4)


def step(rng, springs):
    masses, tildes = [np.eye(2).ravel(), np.eye(6).ravel()], [np.array([0.2, -0.1]), np.full(6, 0.1)]
    rows = [BoundedRows(rng.normal(size=(1, 2)), springs[:1]), BoundedRows(rng.normal(size=(2, 6)), springs[1:])]
    return masses, tildes, rows


def test_gradient_and_hessian_of_the_energy_contain_them():
    rng = np.random.default_rng(3)
    energy, q, q_ref = two_articulations(rng)
    springs = np.zeros((3, SPRINGS, 4))
    springs[:, 1], springs[:, 2] = (-9.0, 3.0, 0.0, np.inf), (0.1, 0.3, -50.0, 50.0)
    masses, tildes, rows = step(rng, springs)
    energy.set_flat(masses, tildes, q_ref, None, rows)
    v, h = rng.normal(size=q.shape), 1e-6
    slope = (energy.energy(q + h * v) - energy.energy(q - h * v)) / (2 * h)
    assert float(np.vdot(energy.gradient(q), v)) == pytest.approx(slope, rel=1e-6)
    Hv = (energy.gradient(q + h * v) - energy.gradient(q - h * v)) / (2 * h)
    assert relative_error(energy.hessian(q, project=False) @ v.ravel(), Hv.ravel()) < 1e-6
    delta = energy.delta_theta(q)
    pulled = np.concatenate([R.weights @ part for R, part in zip(rows, (delta[:2], delta[2:]), strict=True)])
    assert (curvatures(springs, pulled) > 0.0).any()
    before = energy.energy(q)
    energy.set_flat(masses, tildes, q_ref)
    assert abs(before - energy.energy(q)) > 1e-3 * before


def test_the_energy_is_the_distance_along_the_row():
    rng = np.random.default_rng(4)
    energy, q, q_ref = two_articulations(rng)
    springs = np.zeros((3, SPRINGS, 4))
    springs[1, 2] = 0.1, 0.3, -50.0, 50.0
    masses, tildes, rows = step(rng, springs)
    energy.set_flat(masses, tildes, q_ref)
    before, gradient = energy.energy(q), energy.gradient(q)
    energy.set_flat(masses, tildes, q_ref, None, rows)
    R, delta = rows[1].weights[:1], energy.delta_theta(q)[2:]
    change = R @ (delta - tildes[1])
    assert energy.energy(q) - before == pytest.approx(0.5 * 0.3 * change[0] ** 2, rel=1e-9)
    force = slopes(springs[1:2], R @ tildes[1], R @ delta)
    expected = (R.T @ force) @ energy.linearize(q).jacobian[2:]
    np.testing.assert_allclose((energy.gradient(q) - gradient)[2:].ravel(), expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("weight", "stiffness", "message"),
    [
        (1.0, -1.0, r"cable: bounded_springs, spring 0 is \[0.0, -1.0, 0.0, 0.0\], must be center"),
        (np.nan, 1.0, "hand: weights of bounded_rows must be finite, but entry 0 is nan"),
    ],
)
def test_what_is_not_valid_is_refused_by_name(weight, stiffness, message):
    rng = np.random.default_rng(5)
    energy, _, q_ref = two_articulations(rng)
    masses, tildes, rows = step(rng, np.zeros((3, SPRINGS, 4)))
    rows[1].weights[0, 0], rows[1].springs[0, 0, 1] = weight, stiffness
    with pytest.raises(ArticulationError, match=message):
        energy.set_flat(masses, tildes, q_ref, None, rows)


def test_wrong_shapes_are_refused():
    message = r"arm: bounded_rows have the shapes \(1, 3\) and \(1, 4, 4\), must be \(1, 2\) and \(1, 4, 4\): for each"
    with pytest.raises(ArticulationError, match=message):
        bounded_rows("arm", 2, 1, BoundedRows(np.zeros((1, 3)), np.zeros((1, 4, 4))))
    with pytest.raises(ArticulationError, match="arm: bounded_rows must be weights and springs, arrays"):
        bounded_rows("arm", 2, 1, BoundedRows("rope", 0.0))
