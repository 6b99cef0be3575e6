import numpy as np

from ipc_articulation.contact.broad_phase import find_stencils
from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.stencils import VERTEX_OF_FIRST, VERTEX_OF_SECOND
from ipc_articulation.contact.surfaces import join_surfaces

TRIANGLE = np.array([[0, 0, 0], [1, 0, 0], [0, 1.0, 0]])
EDGES_, FACES = np.array([[0, 1], [1, 2], [2, 0]], dtype=np.int32), np.array([[0, 1, 2]], dtype=np.int32)


def test_order_of_the_stencils_does_not_depend_on_positions():
    """Four triangles in a heap, in one order along x and in the opposite one: equal sums need equal order."""
    surfaces = join_surfaces([(TRIANGLE, EDGES_, FACES, np.zeros(3))] * 4)
    allowed = ~np.eye(4, dtype=bool)
    found = []
    for sign in (1.0, -1.0):
        x = surfaces.points + sign * 0.01 * np.column_stack([surfaces.body, 0 * surfaces.body, 0 * surfaces.body])
        found.append(find_stencils(surfaces, allowed, x, x, 2.0))
    first, second = found
    assert len(first) == 6 * (3 * 3 + 3 + 3), "all of six pairs"
    for name in ("bodies", "pair", "kind", "vertices", "mollified"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    assert np.array_equal(first.bodies, [[i, j] for i in range(4) for j in range(i + 1, 4)])


def test_vertices_of_a_stencil_are_those_of_its_bodies():
    """Each side holds vertices of one body; a body that touches itself has each pair once, and no neighbours."""
    surfaces = join_surfaces([(TRIANGLE, EDGES_, FACES, np.zeros(3)), (TRIANGLE + 0.1, EDGES_, FACES, np.zeros(3))])
    allowed = np.ones((2, 2), dtype=bool)
    s = find_stencils(surfaces, allowed, surfaces.points, surfaces.points, 2.0)
    assert len(s) == 15, "a triangle has none with itself"
    owner, (i, j) = surfaces.body[s.vertices], s.bodies[s.pair].T
    left = {EDGES: [0, 1], VERTEX_OF_FIRST: [0], VERTEX_OF_SECOND: [1, 2, 3]}
    for kind, columns in left.items():
        rows = s.kind == kind
        assert rows.sum() == (9 if kind == EDGES else 3)
        for k in range(4):
            np.testing.assert_array_equal(owner[rows, k], (i if k in columns else j)[rows])
    lengths = np.linalg.norm(np.diff(surfaces.points[s.vertices.reshape(-1, 2, 2)], axis=2)[:, :, 0], axis=-1)
    np.testing.assert_allclose(s.mollified, np.where(s.kind == EDGES, 1e-3 * np.prod(lengths**2, axis=1), 0.0))
