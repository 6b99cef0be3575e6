import numpy as np
import pytest
import trimesh

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


@pytest.mark.parametrize("distance", [0.0, 0.05, 3.0])
def test_all_pairs_whose_boxes_come_near_are_found(distance):
    """The boxes of the motions of two meshes that overlap along one axis or all, compared each with each."""
    ball = trimesh.creation.icosphere(subdivisions=2)
    edges, faces = ball.edges_unique.astype(np.int32), ball.faces.astype(np.int32)
    stretched = ball.vertices * [3.0, 0.4, 0.4] + [0.5, 0.9, 0.0]
    meshes = [(points, edges, faces, np.zeros(len(points))) for points in (ball.vertices, stretched)]
    surfaces = join_surfaces(meshes)
    x = surfaces.points
    s = find_stencils(surfaces, ~np.eye(2, dtype=bool), x, x + 0.03 * np.sin(7.0 * x), distance)
    low, high = np.minimum(x, x + 0.03 * np.sin(7.0 * x)), np.maximum(x, x + 0.03 * np.sin(7.0 * x))

    def boxes(primitives):
        return low[primitives].min(axis=1), high[primitives].max(axis=1)

    def near(first, second):
        (low_a, high_a), (low_b, high_b) = boxes(first), boxes(second)
        gap = np.maximum(low_a[:, None] - high_b, low_b - high_a[:, None])
        a, b = np.nonzero((gap <= distance).all(axis=2))
        return np.hstack([first[a], second[b]])

    own, other = (np.flatnonzero(surfaces.body == body)[:, None] for body in (0, 1))
    e, f = (
        [part[surfaces.body[part[:, 0]] == body] for body in (0, 1)] for part in (surfaces.edges, surfaces.proper_faces)
    )
    assert np.array_equal(s.vertices[s.kind == EDGES], near(e[0], e[1]))
    for kind, faces_, vertices in ((VERTEX_OF_FIRST, f[1], own), (VERTEX_OF_SECOND, f[0], other)):
        assert np.array_equal(s.vertices[s.kind == kind], near(faces_, vertices)[:, [3, 0, 1, 2]])
