"""Continuous collision detection: nothing is passed through, and no motion is cut without need."""

import ipctk
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barriers import Stencils
from ipc_articulation.contact.ccd import FLOOR
from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.primitive_stencils import VERTEX_OF_FIRST
from ipc_articulation.contact.stencils import PLANE
from ipc_articulation.contact.surfaces import join_surfaces
from ipc_articulation.contact.ways import lower_fractions
from tests.contact.worlds import D_HAT, NO_PLANES, World, boxes, ipctk_collisions, pose


def two_edges(start, end, thickness=0.0, d_hat=np.inf):
    """Limit of the edges (x₀, x₁) and (x₂, x₃)."""
    return _limit(EDGES, start, end, thickness, d_hat)


def vertex_and_face(start, end, thickness=0.0, d_hat=np.inf):
    """Limit of the vertex x₀ and the face (x₁, x₂, x₃)."""
    return _limit(VERTEX_OF_FIRST, start, end, thickness, d_hat)


def _limit(kind, start, end, thickness, d_hat):
    limits, floors = np.array([1.0, 0.5]), np.full(2, FLOOR * np.abs(start).max())
    of = np.array([0, 0]), np.array([True, True])
    lower(stencils([[0, 1]], kind), start, end, *of, floors, limits, thickness, d_hat)
    assert limits[1] == 0.5, "the row of no label"
    return limits[0]


def stencils(bodies, kind=VERTEX_OF_FIRST):
    """One stencil for each pair of bodies, of four vertices of its own: pairs, kinds and vertices."""
    count = len(bodies)
    return np.array(bodies), np.full(count, kind), np.arange(4 * count).reshape(count, 4)


def lower(stencils, start, end, labels, moving, floors, limits, thickness=0.0, d_hat=np.inf):
    """Lower the limits of islands (B,) by stencils on a way from start to end, (V, 3)."""
    _lower(table_of(len(limits), thickness, min(d_hat, 1e6)), *stencils, start, end, labels, moving, floors, limits)


KEPT = 0.1 * D_HAT  # of a larger gap
TABLES = {}


def table_of(*of):
    """The scene of some bodies with thickness [m] and d̂ [m]."""
    if of not in TABLES:
        none = np.zeros((1, 3)), np.zeros((0, 2), np.int32), np.zeros((0, 3), np.int32), np.zeros(1)
        TABLES[of] = World(join_surfaces([none] * of[0]), xi=of[1], d_hat=of[2]).scene
    return TABLES[of]


@compiled
def _lower(scene, pair, kind, vertices, y, ahead, labels, moving, floors, fractions):
    some = np.zeros(len(kind))
    near = Stencils(pair, kind, vertices, some, some, some, some, some)
    lower_fractions(scene.table, near, y, ahead, labels, moving, floors, fractions)


def distance(limit, x):
    squared = ipctk.edge_edge_distance if limit is two_edges else ipctk.point_triangle_distance
    return np.sqrt(squared(*x))


@pytest.mark.parametrize("limit", [two_edges, vertex_and_face])
@pytest.mark.parametrize("thickness", [0.0, 0.05])
@pytest.mark.parametrize("d_hat", [np.inf, 0.2])
def test_keeps_a_tenth_of_the_gap_or_of_d_hat_and_cuts_no_more_than_that(limit, thickness, d_hat):
    rng, cut = np.random.default_rng(0), 0
    for _ in range(500):
        start = rng.normal(size=(4, 3))
        end = start + rng.choice([0.1, 1.0, 5.0]) * rng.normal(size=(4, 3))
        gap = distance(limit, start) - thickness
        if gap <= 0.0:
            continue
        share, rest = limit(start, end, thickness, d_hat), 0.1 * min(gap, d_hat)
        gaps = [distance(limit, start + t * share * (end - start)) - thickness for t in np.linspace(0, 1, 50)]
        assert min(gaps) >= rest * (1.0 - 1e-9)
        if share < 1.0:
            cut += 1
            farther = [
                distance(limit, start + min(t, 1.0) * (end - start)) - thickness
                for t in np.linspace(share, 1.1 * share + 0.01, 50)
            ]
            assert min(farther) < 3.0 * rest, "one could go a good deal farther"
    assert cut > 20, "there must be collisions"


@pytest.mark.parametrize("angle", [1.0, 1e-3, 1e-5])
@pytest.mark.parametrize("gap", [1e-6, 1e-9, 5e-11])
def test_edges_that_almost_touch_and_are_almost_parallel(angle, gap):
    start = np.array([[-0.3, 0, 0], [0.5, 0, 0], [-0.3, -0.3 * angle, gap], [0.4, 0.4 * angle, gap]])
    start += [0.3, 0.7, 0.2]
    down = np.array([[0, 0, 0], [0, 0, 0], [0, 0, 1e-3], [0, 0, 1e-3]])
    assert two_edges(start, start - down) == pytest.approx(0.9 * gap / 1e-3, rel=1e-3)


def test_sliding_very_near_a_face_is_free():
    start = np.array([[0.2, 0.2, 1e-10], [0, 0, 0], [1, 0, 0], [0, 1, 0]])
    aside = np.array([[0.4, 0.1, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]])
    assert vertex_and_face(start, start + aside) == 1.0


def turning_and_sliding(gap, slide):
    """A vertex that slides along a face of 0.2 m that turns by 1 mrad; the gap doubles. Before and after."""
    face = 0.2 * np.array([[-1, -1, 0], [2, -1, 0], [-1, 2, 0.0]])
    turn = Rotation.from_rotvec([0, 1e-3, 0]).as_matrix()
    start = np.vstack([[0.01, 0.0, gap], face])
    return start, np.vstack([[0.01 + slide, 0.0, 2.0 * gap], face]) @ turn.T


@pytest.mark.parametrize("gap", [1e-6, 1e-9, 5e-11])
def test_sliding_very_near_a_face_that_turns_is_free_where_the_gap_grows(gap):
    """Axes that do not turn prove a few hundredths of this way."""
    start, end = turning_and_sliding(gap, slide=-1e-3)
    assert min(distance(vertex_and_face, start + t * (end - start)) for t in np.linspace(0, 1, 200)) >= 0.99 * gap
    assert vertex_and_face(start, end) == 1.0


@pytest.mark.parametrize("gap", [1e-9, 5e-11])
def test_sliding_very_near_a_face_that_turns_is_cut_where_little_of_the_gap_is_left(gap):
    start, end = turning_and_sliding(gap, slide=1e-3)
    share = vertex_and_face(start, end)
    assert 0.0 < share < 1.0
    assert 0.1 * gap < distance(vertex_and_face, start + share * (end - start)) < 0.5 * gap


def test_the_smallest_gaps_may_grow_but_not_shrink():
    start = np.array([[0.2, 0.2, 1e-13], [0, 0, 0], [1, 0, 0], [0, 1, 0]])
    up = np.array([[0, 0, 1e-3], [0, 0, 0], [0, 0, 0], [0, 0, 0]])
    assert vertex_and_face(start, start + up) == 1.0
    assert vertex_and_face(start, start - up) == 0.0


FACE = np.array([[0, 0, 0], [1, 0, 0], [0, 1.0, 0]])


def over_faces(*gaps):
    """A vertex over a face for each gap, (4k, 3), 100 m apart."""
    aside = np.array([100.0, 0, 0])
    return np.concatenate([np.vstack([(0.2, 0.2, gap), FACE]) + k * aside for k, gap in enumerate(gaps)])


def test_each_island_has_a_limit_of_its_own():
    """Bodies 0 and 1, and 2 and 3, meet at different times; 4 and 5 part; 6 and 7 do not move at all."""
    start, end = over_faces(0.5, 0.2, 0.1, 0.3), over_faces(-0.5, -0.8, 0.4, -0.7)
    pairs = stencils([[0, 1], [2, 3], [4, 5], [6, 7]])
    moving, limits = np.arange(8) < 6, np.ones(8)
    lower(pairs, start, end, np.array([0, 0, 2, 2, 4, 4, 6, 6]), moving, np.zeros(8), limits)
    np.testing.assert_allclose(limits, [0.9 * 0.5, 1, 0.9 * 0.2, 1, 1, 1, 1, 1], rtol=1e-12)
    lower(pairs, start, end, np.array([0, 0, 0, 0, 4, 4, 6, 6]), moving, np.zeros(8), limits)
    np.testing.assert_allclose(limits[:3], [0.9 * 0.2, 1, 0.9 * 0.2], rtol=1e-12)


@pytest.mark.parametrize("pair", [[0, 1], [1, 0]])
def test_what_does_not_move_is_an_obstacle_without_a_limit(pair):
    """Body 0 moves against body 1, which is not in its island, be it the face or the vertex."""
    start, end, limits = over_faces(0.5), over_faces(-0.5), np.ones(2)
    lower(stencils([pair]), start, end, np.arange(2), np.array([True, False]), np.zeros(2), limits, d_hat=0.1)
    np.testing.assert_allclose(limits, [0.5 - 0.1 * 0.1, 1.0], rtol=1e-12)


def test_limits_are_only_lowered():
    start, end = over_faces(0.5), over_faces(-0.5)
    for before in (0.0, 0.3, 1.0):
        limits = np.full(2, before)
        lower(stencils([[0, 1]]), start, end, np.zeros(2, int), np.ones(2, bool), np.zeros(2), limits, d_hat=0.1)
        np.testing.assert_allclose(limits, [min(before, 0.49), before], rtol=1e-12)


def test_an_axis_of_one_pair_decides_nothing_for_the_next():
    """Two vertices over faces that come down on opposite sides."""
    start, end = over_faces(0.5, 0.5), over_faces(-0.5, -0.5)
    start[4:, 2], end[4:, 2] = -start[4:, 2], -end[4:, 2]
    limits = np.ones(4)
    lower(stencils([[0, 1], [2, 3]]), start, end, np.array([0, 0, 2, 2]), np.ones(4, bool), np.zeros(4), limits)
    np.testing.assert_allclose(limits, [0.45, 1.0, 0.45, 1.0], rtol=1e-12)


softly = pytest.mark.parametrize("soft", [0, 1, 2], ids=["stiff", "one soft", "both soft"])


def ways(world, q, *shifts):
    """Fractions and islands of bodies (B,) that are at q (B, 12) and go by shifts (B, 3)."""
    x, ahead = world.nodes(q), q.copy()
    ahead[:, :3] += shifts
    world.begin(x)
    return world.look(world.nodes(ahead))


@softly
def test_a_way_ends_before_a_body_and_before_a_half_plane(soft):
    world, q = boxes(2, soft=soft), np.stack([pose(0, 0, 0.5), pose(0, 0, 1.0)])
    limit, met = ways(world, q, [0, 0, 0], [0, 0, -2.0])  # through the other box and the ground
    assert limit[0] == limit[1]
    assert met[0] == met[1]
    assert 0.8 * 0.3 < 2.0 * limit[0] < 0.3
    limit, met = ways(world, q, [0, 0, -1.0], [0, 0, 0])
    assert 0.8 * 0.4 < limit[0] < 0.4


def test_gaps_to_half_planes_do_not_get_lost_in_rounding():
    world = boxes(1)
    for gap, down, up in ((1e-13, 0.0, 1.0), (1e-6, 0.9e-6, 1.0)):
        q = pose(0, 0, 0.1 + gap)[None]
        assert ways(world, q, [0, 0, -1.0])[0][0] == pytest.approx(down, rel=1e-6), "what is left is rounding"
        assert ways(world, q, [0, 0, 1.0])[0][0] == up


@softly
def test_half_planes_limit_each_body_by_itself(soft):
    world = boxes(4, soft=soft, others=False)
    q = np.stack([pose(k, 0, 0.1 + gap) for k, gap in enumerate((0.8, 0.2, 0.4, 0.1))])
    limits, met = ways(world, q, *3 * [[0, 0, -1.0]], [0, 0, 0])
    np.testing.assert_allclose(limits, [0.8 - KEPT, 0.2 - KEPT, 0.4 - KEPT, 1.0], rtol=1e-9)
    np.testing.assert_array_equal(met, np.arange(4))


def test_the_vertex_before_a_half_plane_is_a_stencil_of_its_island():
    of = np.array([[0, 2]]), np.array([PLANE]), np.array([[3, 0, 0, 0]])
    scene, y, ahead = boxes(2).scene, np.zeros((4, 3)), np.zeros((4, 3))
    y[:, 2], ahead[:, 2], limits = 0.5, -0.5, np.ones(2)
    _lower(scene, *of, y, ahead, np.array([1, 1]), np.ones(2, bool), np.zeros(2), limits)
    np.testing.assert_allclose(limits, [1.0, 0.5 - KEPT], rtol=1e-12)


@softly
@pytest.mark.parametrize("seed", range(20))
def test_no_way_leads_through_anything(seed, soft):
    """Boxes that fly through each other: after the fraction that is free nothing intersects, by ipctk."""
    rng = np.random.default_rng(seed)
    world = boxes(3, soft=soft, planes=NO_PLANES)
    q = np.stack([pose(*(0.1 * rng.normal(size=3) + [0.8 * k, 0, 0]), angles=rng.uniform(-3, 3, 3)) for k in range(3)])
    x, shift = world.nodes(q), 0.1 * rng.normal(size=(3, 3))
    shift[[0, 2]] += 2.0 * (q[1, :3] - q[[0, 2], :3])
    world.begin(x)
    goal = q.copy()
    goal[:, :3] += shift
    ahead = world.nodes(goal) + 0.05 * rng.normal(size=x.shape)
    fraction, met = world.look(ahead)
    np.testing.assert_array_equal(fraction, fraction[met])
    assert fraction[0] < 1.0
    share = np.repeat(fraction[world.numbering.body], np.diff(world.numbering.first))
    mesh, _ = ipctk_collisions(world.surfaces, world.y(x), D_HAT)
    end = world.y(x + share[:, None] * (ahead - x))
    assert ipctk.is_step_collision_free(mesh, np.asfortranarray(world.y(x)), np.asfortranarray(end))
