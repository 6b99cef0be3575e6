import ipctk
import numpy as np
import pytest
import trimesh
from ipc_articulation.contact.allowed import Allowed
from ipc_articulation.contact.broad_phase import find_stencils

from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.primitive_stencils import VERTEX_OF_FIRST, VERTEX_OF_SECOND
from ipc_articulation.contact.surfaces import join_surfaces
from tests.contact.worlds import pose

TRIANGLE = np.array([[0, 0, 0], [1, 0, 0], [0, 1.0, 0]])
EDGES_, FACES = np.array([[0, 1], [1, 2], [2, 0]], dtype=np.int32), np.array([[0, 1, 2]], dtype=np.int32)


def test_order_of_the_stencils_does_not_depend_on_positions():
    """Four triangles in a heap, in one order along x and in the opposite one: equal sums need equal order."""
    surfaces = join_surfaces([(TRIANGLE, EDGES_, FACES, np.zeros(3))] * 4)
    allowed = ~np.eye(4, dtype=bool)
    found = []
    for sign in (1.0, -1.0):
        q = np.stack([pose(sign * 0.01 * b, 0, 0) for b in range(4)])
        found.append(find_stencils(surfaces, Allowed.of(allowed), q, q, 2.0))
    first, second = found
    assert len(first) == 6 * (3 * 3 + 3 + 3), "all of six pairs"
    for name in ("bodies", "pair", "kind", "vertices", "mollified"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    assert np.array_equal(first.bodies, [[i, j] for i in range(4) for j in range(i + 1, 4)])


def test_vertices_of_a_stencil_are_those_of_its_bodies():
    """Each side holds vertices of one body; a body that touches itself has each pair once, and no neighbours."""
    surfaces = join_surfaces([(TRIANGLE, EDGES_, FACES, np.zeros(3)), (TRIANGLE + 0.1, EDGES_, FACES, np.zeros(3))])
    allowed = np.ones((2, 2), dtype=bool)
    q = np.tile(pose(0, 0, 0), (2, 1))
    s = find_stencils(surfaces, Allowed.of(allowed), q, q, 2.0)
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


@pytest.mark.slow
@pytest.mark.parametrize("distance", [0.01, 0.05, 3.0])
def test_all_pairs_that_come_near_are_found(distance):
    """Two meshes that overlap along one axis move and turn; ipctk measures every pair, at several times."""
    surfaces = _two_balls()
    q = np.tile(pose(0, 0, 0), (2, 1))
    q_end = np.stack([pose(0.02, 0.3, 0.0), pose(-0.03, -0.2, 0.1)])
    q_end[0, [4, 8, 9]] = 0.1
    s = find_stencils(surfaces, Allowed.of(~np.eye(2, dtype=bool)), q, q_end, distance)
    start, end = surfaces.positions(q), surfaces.positions(q_end)
    found = set(map(tuple, s.vertices.tolist()))
    assert len(found) == len(s)
    boxed = _boxed(surfaces, start, end, distance)
    assert found <= {pair for pair, _ in boxed}
    near = {pair for pair, kind in boxed if _smallest(pair, kind, start, end) < distance}
    assert near
    assert near <= found


@pytest.mark.parametrize("distance", [0.2, 0.4])
def test_without_motion_only_pairs_within_the_distance_are_found(distance):
    surfaces = _two_balls()
    x, q = surfaces.points, np.tile(pose(0, 0, 0), (2, 1))
    s = find_stencils(surfaces, Allowed.of(~np.eye(2, dtype=bool)), q, q, distance)
    boxed = _boxed(surfaces, x, x, distance)
    near = {pair for pair, kind in boxed if _smallest(pair, kind, x, x) < distance}
    assert 0 < len(near) < len(boxed)
    assert set(map(tuple, s.vertices.tolist())) == near


def _two_balls():
    ball = trimesh.creation.icosphere(subdivisions=1)
    edges, faces = ball.edges_unique.astype(np.int32), ball.faces.astype(np.int32)
    stretched = ball.vertices * [3.0, 0.4, 0.4] + [0.5, 1.5, 0.0]
    return join_surfaces([(points, edges, faces, np.zeros(len(points))) for points in (ball.vertices, stretched)])


def _boxed(surfaces, start, end, distance):
    """All pairs whose boxes come within a distance: their vertices and kind."""
    low, high, body = np.minimum(start, end), np.maximum(start, end), surfaces.body
    vertices = np.arange(len(start))[:, None]
    parts = [[p[body[p[:, 0]] == b] for b in (0, 1)] for p in (surfaces.edges, surfaces.faces, vertices)]
    edges, faces, vertices = parts
    pairs = []
    for kind, a, b in (
        (EDGES, *edges),
        (VERTEX_OF_FIRST, vertices[0], faces[1]),
        (VERTEX_OF_SECOND, vertices[1], faces[0]),
    ):
        apart = np.maximum(
            low[a].min(axis=1)[:, None] - high[b].max(axis=1), low[b].min(axis=1) - high[a].max(axis=1)[:, None]
        )
        rows, columns = np.nonzero((apart <= distance).all(axis=2))
        pairs += [(tuple(pair), kind) for pair in np.hstack([a[rows], b[columns]]).tolist()]
    return pairs


def _smallest(pair, kind, start, end):
    """The smallest distance at several times of a motion, by ipctk."""
    measure = ipctk.edge_edge_distance if kind == EDGES else ipctk.point_triangle_distance
    at, to = start[list(pair)], end[list(pair)]
    return np.sqrt(min(measure(*((1.0 - t) * at + t * to)) for t in np.linspace(0.0, 1.0, 9)))


@pytest.mark.parametrize("distance", [0.2, 0.4])
def test_what_a_search_finds_leaves_out_nothing_within_reach_at_any_place_on_the_way(distance):
    """Pairs that graze each other in the middle of a fast motion, where they are apart at both of its ends."""
    surfaces = _two_balls()
    shift, middle = np.zeros((2, 12)), np.tile(pose(0, 0, 0), (2, 1))
    shift[:, :3] = [8.0, 0.0, 0.0], [0.0, 0.1, 0.0]
    allowed, found = ~np.eye(2, dtype=bool), set()
    s = find_stencils(surfaces, Allowed.of(allowed), middle - 0.5 * shift, middle + 0.5 * shift, distance)
    for t in np.linspace(-0.5, 0.5, 41):
        now = find_stencils(surfaces, Allowed.of(allowed), middle + t * shift, middle + t * shift, distance)
        found |= set(map(tuple, now.vertices.tolist()))
    assert found
    assert found <= set(map(tuple, s.vertices.tolist()))
