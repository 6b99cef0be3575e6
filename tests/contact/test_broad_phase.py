import numpy as np

from ipc_articulation.contact.broad_phase import find_pairs, make_ranges
from ipc_articulation.contact.surfaces import join_surfaces

TRIANGLE = np.array([[0, 0, 0], [1, 0, 0], [0, 1.0, 0]])
EDGES, FACES = np.array([[0, 1], [1, 2], [2, 0]], dtype=np.int32), np.array([[0, 1, 2]], dtype=np.int32)


def test_order_of_the_pairs_does_not_depend_on_positions():
    """Four triangles in a heap, in one order along x and in the opposite one: equal sums need equal order."""
    surfaces = join_surfaces([(TRIANGLE, EDGES, FACES, np.zeros(3))] * 4)
    ranges, allowed = make_ranges(surfaces, 4), ~np.eye(4, dtype=bool)
    found = []
    for sign in (1.0, -1.0):
        x = surfaces.points + sign * 0.01 * np.column_stack([surfaces.body, 0 * surfaces.body, 0 * surfaces.body])
        found.append(find_pairs(surfaces, ranges, allowed, x, x, 2.0))
    for first, second in zip(*found, strict=True):
        assert len(first) == len(second) > 0
        assert np.array_equal(first, second)
