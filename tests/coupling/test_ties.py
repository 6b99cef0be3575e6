"""Joints that follow others in the articulation."""

import numpy as np

from ipc_articulation.articulation.spring_rows import BoundedRows
from ipc_articulation.coupling.adapter import Prediction, TiedMotion
from ipc_articulation.coupling.batches import Predictions, stacked
from ipc_articulation.coupling.restraints import Held
from ipc_articulation.coupling.ties import with_tied_joints

M = np.array([[3.0, 1.0], [1.0, 2.0]])
G = np.array([[0.5, -2.0]])


def predicted(tied: TiedMotion | None) -> Predictions:
    """Of a single robot."""
    none, tilde = np.zeros((0, 4, 4)), np.array([0.1, 0.2])
    return stacked({0: Prediction(M, tilde, none, tied)}, {})


def joined(tied: TiedMotion | None, strength: float = 50.0, change: float = 0.0):
    """Of joints whose prediction is held back by some change."""
    rows = BoundedRows(np.array([[[3.0, 4.0]]]), np.full((1, 1, 4, 4), 2.0))
    held = Held(M[None], np.array([[0.1, 0.2]]) + change, np.ones((1, 2, 4, 4)), rows)
    step = with_tied_joints(held, predicted(tied), np.full((1, 0 if tied is None else 1), strength))
    return step.mass[0], step.tilde[0], step.springs[0], BoundedRows(*(part[0] for part in step.rows))


def test_without_tied_joints_nothing_is_added() -> None:
    mass, delta, springs, rows = joined(None)
    np.testing.assert_array_equal(mass, M)
    np.testing.assert_array_equal(springs, np.ones((2, 4, 4)))
    np.testing.assert_array_equal(delta, [0.1, 0.2])
    np.testing.assert_array_equal(rows.weights, [[3.0, 4.0]])


def test_the_energy_is_that_of_the_joints_and_of_the_tie() -> None:
    """½ eᵀ M̂ e + ½ S (e_d - G e)²."""
    mass, delta, springs, rows = joined(TiedMotion(np.array([0.3]), G))
    np.testing.assert_array_equal(delta, [0.1, 0.2, 0.3])
    np.testing.assert_array_equal(springs, np.concatenate([np.ones((2, 4, 4)), np.zeros((1, 4, 4))]))
    np.testing.assert_array_equal(rows.weights, [[3.0, 4.0, 0.0]])
    np.testing.assert_array_equal(rows.springs, np.full((1, 4, 4), 2.0))
    e = np.array([0.7, -0.4, 0.9])
    expected = 0.5 * e[:2] @ M @ e[:2] + 0.5 * 50.0 * (e[2] - G[0] @ e[:2]) ** 2
    np.testing.assert_allclose(0.5 * e @ mass @ e, expected, rtol=1e-14)
    assert np.linalg.eigvalsh(mass)[0] > 0.0


def test_forces_on_both_are_those_on_the_joints_by_virtual_work() -> None:
    mass, *_ = joined(TiedMotion(np.array([0.3]), G))
    e = np.array([0.7, -0.4, 0.9])
    np.testing.assert_allclose((mass @ e)[:2] + G.T @ (mass @ e)[2:], M @ e[:2], atol=1e-13)


def test_what_is_tied_follows_joints_that_are_held_back() -> None:
    _, delta, *_ = joined(TiedMotion(np.array([0.3]), G), change=-0.1)
    np.testing.assert_allclose(delta, [0.0, 0.1, 0.3 - 0.1 * G[0].sum()])
