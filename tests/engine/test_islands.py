"""Islands as partitions of a graph, and what is added up over them."""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ipc_articulation.contact import islands


def test_islands_are_the_connected_parts_without_the_fixed_bodies():
    """Against scipy; a label is the smallest body, and a fixed one couples nothing."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        n, movable = 12, rng.random(12) < 0.8
        pairs = rng.integers(n, size=(rng.integers(10), 2))
        edges = pairs[movable[pairs].all(axis=1)]
        _, part = connected_components(coo_array((np.ones(len(edges)), edges.T), shape=(n, n)), directed=False)
        expected = [np.flatnonzero(part == own).min() for own in part]
        np.testing.assert_array_equal(islands.join(np.arange(n), pairs, movable), expected)
        half = len(pairs) // 2
        joined = islands.join(np.arange(n), pairs[half:], movable)
        np.testing.assert_array_equal(islands.join(joined, pairs[:half], movable), expected)


def test_joining_leaves_what_was_given_alone():
    labels = np.arange(3)
    assert islands.join(labels, np.array([[2, 1]]), np.ones(3, dtype=bool)).tolist() == [0, 1, 1]
    assert labels.tolist() == [0, 1, 2]


LABELS = np.array([0, 1, 0, 3, 1, 1])  # islands (0, 2), (1, 4, 5) and (3)
VALUES = np.array([1.0, -2.0, 0.5, -7.0, 4.0, 8.0])


def test_numbers_of_an_island():
    np.testing.assert_array_equal(islands.total(LABELS, VALUES), [1.5, 10, 1.5, -7, 10, 10])
    np.testing.assert_array_equal(islands.largest(LABELS, VALUES), [1, 8, 1, -7, 8, 8])
    np.testing.assert_array_equal(islands.anyone(LABELS, VALUES > 2.0), [False, True, False, False, True, True])


def test_an_infinite_energy_stays_in_its_island():
    E = np.where(np.arange(6) == 2, np.inf, VALUES)
    np.testing.assert_array_equal(islands.total(LABELS, E), [np.inf, 10, np.inf, -7, 10, 10])


def test_bodies_that_have_yet_to_move():
    """Body 1 has not ended: it goes on, and with it body 4 of its island, which rests; body 5 is fixed."""
    moving, ended = np.array([1, 1, 1, 1, 0, 0], dtype=bool), np.array([1, 0, 1, 1, 0, 0], dtype=bool)
    goes_on, count, woken = islands.unfinished(LABELS, moving, ended, np.arange(6) < 5)
    np.testing.assert_array_equal(goes_on, [False, True, False, False, True, False])
    assert (count, woken) == (2, 1)
