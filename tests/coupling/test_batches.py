"""Predictions of robots together, and those of each among them."""

from dataclasses import fields

import numpy as np

from ipc_articulation.coupling.adapter import Motors, Prediction, Restraints
from ipc_articulation.coupling.batches import stacked
from ipc_articulation.errors import AdapterError


def prediction(restraints=None):
    return Prediction(np.eye(2), np.ones(2), np.zeros((1, 4, 4)), restraints=restraints)


def held(motors=None):
    return Restraints(-np.ones(2), np.ones(2), *np.full((3, 2), 0.5), motors=motors)


def test_a_robot_without_restraints_beside_one_with_some_is_held_by_nothing():
    both = stacked({0: prediction(), 1: prediction(held(Motors(*np.ones((3, 2)))))}, {})
    first, second = both.of(0).restraints, both.of(1).restraints
    np.testing.assert_array_equal([first.lower, first.upper], [[-np.inf] * 2, [np.inf] * 2])
    for values in (first.limit_force, first.friction, first.friction_force, first.motors.stiffness):
        np.testing.assert_array_equal(values, [0.0, 0.0])
    for field in fields(Restraints):
        if field.name != "motors":
            np.testing.assert_array_equal(getattr(second, field.name), getattr(held(), field.name))
    np.testing.assert_array_equal(second.motors.effort, [1.0, 1.0])


def test_a_robot_without_motors_beside_one_with_some_has_none_that_act():
    both = stacked({0: prediction(held()), 1: prediction(held(Motors(*np.ones((3, 2)))))}, {})
    np.testing.assert_array_equal(both.restraints.motors.stiffness, [[0.0, 0.0], [1.0, 1.0]])
    np.testing.assert_array_equal(both.restraints.lower, -np.ones((2, 2)))


def test_where_no_robot_has_any_there_are_none():
    assert stacked({0: prediction(), 2: prediction()}, {1: AdapterError("fails")}).restraints is None
