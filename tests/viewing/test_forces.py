"""Arrows begin where bodies touch and point where the body that moves is pushed."""

from dataclasses import replace

import numpy as np
from numpy.testing import assert_allclose

from ipc_articulation.recording.contacts import Contacts
from ipc_articulation.viewing.bodies import bounds
from ipc_articulation.viewing.forces import ForceArrows
from tests.viewing.made import recording


def test_arrows_of_a_row() -> None:
    made = recording()
    forces = ForceArrows(made)
    low, high = bounds(made)
    arrows = forces.at(4)
    assert_allclose(arrows[:, 0], made.contacts(4).points)
    length = 0.125 * np.linalg.norm(high - low)
    assert_allclose(arrows[:, 1] - arrows[:, 0], [[0, 0, length]] * 2, atol=1e-12)  # both on the crate, both up
    assert_allclose(forces.scale * 2.0, length)
    assert forces.at(0).shape == (0, 2, 3)


def test_an_impact_is_cut_and_a_faint_force_is_left_out() -> None:
    made = recording()
    made.contact_rows[4].forces[:] = [[0, 0, 1000.0], [0, 0, -0.01]]
    forces = ForceArrows(made)
    (arrow,) = forces.at(4)
    assert_allclose(arrow[1, 2] - arrow[0, 2], 2.0 * forces.ordinary)


def test_an_engine_that_tells_no_forces() -> None:
    forces = ForceArrows(recording(forces=False))
    assert forces.note == "recording 'run' holds no contact forces (its engine does not report them): none are drawn"
    assert forces.at(4).shape == (0, 2, 3)


def test_bounds_hold_the_whole_motion() -> None:
    low, high = bounds(recording(slide=3.0))
    assert_allclose(low, [-1.25 - 0.0702, -0.3202, 0.35], atol=2e-3)  # the link's corners go round in a circle
    assert_allclose(high, [3.25, 0.3202, 0.65], atol=2e-3)


def test_contacts_side_by_side_are_one_arrow() -> None:
    made = recording()
    point, pairs = np.array([0.3, 0.25, 0.35]), (("a crate", "link"), ("a crate", "link"), ("a crate", "wall"))
    for row in range(1, made.rows):
        nearby = point + np.array([[0.0, 0, 0], [0.003, 0, 0], [0, 0, 0]])
        made.contact_rows[row] = Contacts(nearby, np.array([[0, 0, 2.0], [0, 0, 1.0], [0, 1.0, 0]]), pairs)
    forces = ForceArrows(made)
    arrows = forces.at(1)
    assert_allclose(arrows[:, 0], point + np.array([[0.001, 0, 0], [0, 0, 0]]), atol=1e-12)
    assert_allclose((arrows[:, 1] - arrows[:, 0]) / forces.scale, [[0, 0, 3.0], [0, 1.0, 0]], atol=1e-12)


def test_soft_bodies_move_too() -> None:
    """A force on one that lies on the ground points at it, not into the ground."""
    made = recording()
    made.soft_names = ("sponge",)
    contacts, names = made.contact_rows[4], (("sponge", "ground"),) * 2
    made.contact_rows[4] = replace(contacts, forces=np.abs(contacts.forces), bodies=names)
    arrows = ForceArrows(made).at(4)
    assert np.all(arrows[:, 1, 2] > arrows[:, 0, 2])
