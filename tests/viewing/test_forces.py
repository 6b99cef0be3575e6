"""Arrows begin where bodies touch and point where the body that moves is pushed."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ipc_articulation.errors import ViewingError
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


def test_a_pair_that_presses_much_harder_does_not_flatten_the_others() -> None:
    made = recording()
    names = (("a crate", "ground"), ("a crate", "ground"), ("a crate", "link"))
    for row in range(1, made.rows):
        points = made.body_poses[row, 1, :3, 3] + np.array([[0.25, 0.2, -0.15], [-0.25, -0.2, -0.15], [-0.25, 0, 0]])
        made.contact_rows[row] = Contacts(points, np.array([[0, 0, 400.0], [0, 0, 400.0], [1.0, 0, 0]]), names)
    made.contact_names = ("a crate", "ground", "link")
    forces = ForceArrows(made)
    np.testing.assert_allclose(forces.scale, forces.ordinary / 20.0)  # √(400 · 1)
    lengths = np.linalg.norm(np.diff(forces.at(4), axis=1)[:, 0], axis=1) / forces.ordinary
    assert_allclose(sorted(lengths), [0.05, 2.0, 2.0])
    assert forces.legend == f"contact forces: {forces.scale:.3g} m per N; cut above 40 N"
    plain = ForceArrows(made, scale=0.01)
    assert_allclose(np.diff(plain.at(4), axis=1).max(), 4.0)
    assert plain.legend == "contact forces: 0.01 m per N"


@pytest.mark.parametrize(("pattern", "count"), [("link", 1), ("a crate", 2), ("link on .*", 1), ("a .*|wall", 2)])
def test_forces_of_some_pairs(pattern: str, count: int) -> None:
    made = recording()
    made.contact_names = ("a crate", "ground", "link")
    names = ("a crate", "ground"), ("a crate", "link")
    made.contact_rows[4] = replace(made.contact_rows[4], bodies=names)
    assert len(ForceArrows(made, pattern, 0.1).at(4)) == count


def test_forces_of_no_pair() -> None:
    message = "'crat' matches no body or pair «a on b»; did you mean 'a crate'? known: a crate, ground"
    with pytest.raises(ViewingError) as caught:
        ForceArrows(recording(), "crat")
    assert str(caught.value) == message


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
