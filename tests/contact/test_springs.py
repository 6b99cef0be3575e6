"""The springs of stencils as a list: keys, places, bodies that come and go."""

import itertools

import numpy as np

from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.springs import (
    FACE,
    NO_SPRINGS,
    PLANE,
    Springs,
    carried,
    joined,
    key,
    keys,
    place,
    without,
)

V = 6
ALL = [(kind, *ids) for kind in (EDGES, FACE) for ids in itertools.permutations(range(V), 4)]
ALL += [(PLANE, a, 0, p, 0) for a in range(V) for p in range(3)] + [
    (FACE, a, b, b, b) for a in range(V) for b in (1, 2)
]


def springs(rows):
    """Springs at some stencils; the first number of a stretch tells which one it is."""
    rows = np.array(rows, dtype=np.int64).reshape(-1, 5)
    return Springs(rows, np.arange(4.0 * len(rows)).reshape(-1, 4))


def test_every_stencil_is_found_and_no_other():
    some = springs(np.random.default_rng(0).permutation(ALL)[: len(ALL) // 2])
    held = joined([Springs(*(column[rows] for column in some)) for rows in (slice(0, 100), slice(100, None))], V)
    first, second = keys(held.stencils, V)
    assert np.all(np.diff(first) >= 0)
    known = {tuple(row): stretch for row, stretch in zip(some.stencils.tolist(), some.stretches, strict=True)}
    for stencil in ALL:
        at = place(first, second, key(*stencil, V))
        assert (at >= 0) == (stencil in known)
        if at >= 0:
            np.testing.assert_array_equal(held.stretches[at], known[stencil])
    assert len(set(zip(*(column.tolist() for column in keys(np.array(ALL), V)), strict=True))) == len(ALL)


def test_nothing_joined_is_nothing():
    assert joined([], V) is NO_SPRINGS
    assert joined([NO_SPRINGS], V) is NO_SPRINGS


ROWS = [(EDGES, 0, 1, 2, 3), (FACE, 4, 1, 2, 3), (PLANE, 0, 0, 1, 0), (PLANE, 5, 0, 0, 0), (FACE, 4, 5, 5, 5)]
BODY = np.array([0, 0, 1, 1, 2, 2])


def test_bodies_that_are_put_elsewhere_forget():
    held = joined([springs(ROWS)], V)
    for moved, left in (([0, 0, 0], range(5)), ([1, 0, 0], [3, 4]), ([0, 0, 1], [0, 2]), ([0, 1, 0], [2, 3, 4])):
        rest = without(held, BODY, np.array(moved, dtype=bool))
        assert sorted(map(tuple, rest.stencils.tolist())) == sorted(ROWS[k] for k in left)


def test_springs_stay_when_bodies_come_and_go():
    """The first body goes, and a new one of three vertices comes between the two that stay."""
    held, first = joined([springs(ROWS)], V), np.array([0, 2, 4, 6])
    now, rows = np.array([0, 2, 5, 7]), np.array([1, -1, 2])
    after = carried(held, rows, np.arange(2), first, now)
    assert sorted(map(tuple, after.stencils.tolist())) == [(FACE, 5, 6, 6, 6), (PLANE, 6, 0, 0, 0)]
    np.testing.assert_array_equal(after.stretches[after.stencils[:, 0] == FACE][0], springs(ROWS).stretches[4])
    for planes, left in (([1], []), ([1, 0], [(PLANE, 6, 0, 1, 0)]), ([-1, 1, 0], [(PLANE, 6, 0, 2, 0)])):
        other = carried(held, rows, np.array(planes), first, now)
        assert sorted(map(tuple, other.stencils.tolist())) == [(FACE, 5, 6, 6, 6), *left]
    same = carried(held, np.arange(3), np.arange(2), first, first)
    np.testing.assert_array_equal(same.stencils, held.stencils)
    np.testing.assert_array_equal(same.stretches, held.stretches)
