"""What a search finds, and what is kept of it, against distances of all pairs of primitives at every place."""

from types import SimpleNamespace

import ipctk
import numpy as np
import pytest
import trimesh

from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.materials import NO_CONTACT
from ipc_articulation.contact.primitive_stencils import VERTEX_OF_FIRST, VERTEX_OF_SECOND
from ipc_articulation.contact.surfaces import join_surfaces
from ipc_articulation.frontend.nodes import layout
from tests.contact.searches import Search, crowded, near_pairs, stencils
from tests.contact.worlds import D_HAT, GROUND_AND_WALL, World, as_surface, boxes, ipctk_collisions, pose

TRIANGLE = np.array([[0, 0, 0], [1, 0, 0], [0, 1.0, 0]])
EDGES_, FACES = np.array([[0, 1], [1, 2], [2, 0]], dtype=np.int32), np.array([[0, 1, 2]], dtype=np.int32)
softly = pytest.mark.parametrize("soft", [0, 1, 2], ids=["stiff", "one soft", "two soft"])


def triangles(*offsets, soft=0, **options):
    meshes = [(TRIANGLE + offset, EDGES_, FACES, np.zeros(3)) for offset in offsets]
    world = World(join_surfaces(meshes), soft, d_hat=2.0, **options)
    return world, lambda q: world.nodes(q)


@softly
def test_order_of_the_stencils_does_not_depend_on_positions(soft):
    """Four triangles in a heap, in one order along x and in the opposite one: equal sums need equal order."""
    world, nodes = triangles(0, 0, 0, 0, soft=soft)
    first, second = (
        stencils(world, nodes(np.stack([pose(sign * 0.01 * b, 0, 1e-3 * b) for b in range(4)]))) for sign in (1.0, -1.0)
    )
    assert len(first.kind) == 6 * (3 * 3 + 3 + 3), "all of six pairs"
    for name in ("pair", "kind", "vertices", "mollified"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    assert np.array_equal(np.unique(first.pair, axis=0), [[i, j] for i in range(4) for j in range(i + 1, 4)])


@softly
def test_vertices_of_a_stencil_are_those_of_its_bodies(soft):
    """Each side holds vertices of one body; a body that touches itself has each pair once, and no neighbours."""
    world, nodes = triangles(0, 0.1, soft=soft, itself=True)
    s = stencils(world, nodes(np.tile(pose(0, 0, 0), (2, 1))))
    assert len(s.kind) == 15, "a triangle has none with itself"
    surfaces = world.surfaces
    owner, (i, j) = surfaces.body[s.vertices], s.pair.T
    left = {EDGES: [0, 1], VERTEX_OF_FIRST: [0], VERTEX_OF_SECOND: [1, 2, 3]}
    for kind, columns in left.items():
        rows = s.kind == kind
        assert rows.sum() == (9 if kind == EDGES else 3)
        for k in range(4):
            np.testing.assert_array_equal(owner[rows, k], (i if k in columns else j)[rows])
    lengths = np.linalg.norm(np.diff(surfaces.points[s.vertices.reshape(-1, 2, 2)], axis=2)[:, :, 0], axis=-1)
    np.testing.assert_allclose(s.mollified, np.where(s.kind == EDGES, 1e-3 * np.prod(lengths**2, axis=1), 0.0))


def two_balls(distance, soft=0):
    ball = trimesh.creation.icosphere(subdivisions=1)
    edges, faces = ball.edges_unique.astype(np.int32), ball.faces.astype(np.int32)
    stretched = ball.vertices * [3.0, 0.4, 0.4] + [0.5, 1.5, 0.0]
    meshes = [(points, edges, faces, np.zeros(len(points))) for points in (ball.vertices, stretched)]
    return World(join_surfaces(meshes), soft, d_hat=distance)


def names(found):
    """Vertices of stencils."""
    return set(map(tuple, found.vertices.tolist()))


@softly
@pytest.mark.parametrize("distance", [0.01, 0.05, 3.0])
def test_all_pairs_that_come_near_are_found(distance, soft):
    """Two meshes that overlap along one axis move and turn; ipctk measures every pair, at several times."""
    world = two_balls(distance, soft)
    q = np.tile(pose(0, 0, 0), (2, 1))
    q_end = np.stack([pose(0.02, 0.3, 0.0), pose(-0.03, -0.2, 0.1)])
    q_end[0, [4, 8, 9]] = 0.1
    x, ahead = world.nodes(q), world.nodes(q_end)
    s, start, end = stencils(world, x, ahead), world.y(x), world.y(ahead)
    found = names(s)
    assert len(found) == len(s.kind)
    near = {
        pair
        for pair, kind in _boxed(world.surfaces, start, end, distance)
        if _smallest(pair, kind, start, end) < distance
    }
    assert near
    assert near <= found


@softly
@pytest.mark.parametrize("distance", [0.2, 0.4])
def test_without_motion_only_pairs_within_the_distance_are_found(distance, soft):
    world = two_balls(distance, soft)
    x = world.nodes(np.tile(pose(0, 0, 0), (2, 1)))
    y = world.y(x)
    boxed = _boxed(world.surfaces, y, y, distance)
    near = {pair for pair, kind in boxed if _smallest(pair, kind, y, y) < distance}
    assert 0 < len(near) < len(boxed)
    assert names(stencils(world, x)) == near


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


@softly
@pytest.mark.parametrize("distance", [0.2, 0.4])
def test_what_a_search_finds_leaves_out_nothing_within_reach_at_any_place_on_the_way(distance, soft):
    """Pairs that graze each other in the middle of a fast motion, where they are apart at both of its ends."""
    world, found = two_balls(distance, soft), set()
    shift, middle = np.zeros((2, 12)), np.tile(pose(0, 0, 0), (2, 1))
    shift[:, :3] = [8.0, 0.0, 0.0], [0.0, 0.1, 0.0]
    search = Search(world)
    whole = names(search.of(world.nodes(middle - 0.5 * shift), world.nodes(middle + 0.5 * shift)))
    assert search.count == (1, 1), "on its way"
    for t in np.linspace(-0.5, 0.5, 41):
        found |= names(stencils(world, world.nodes(middle + t * shift)))
    assert found
    assert found <= whole


REACH = 0.005
BALL = as_surface(trimesh.creation.icosphere(subdivisions=2, radius=0.2))


def balls(soft=0, count=4):
    return World(join_surfaces([BALL] * count), soft, d_hat=REACH)


def places(world, seed, size):
    """Balls in a ring just apart, and 30 random moves of them all, some of which go far."""
    rng = np.random.default_rng(seed)
    q = np.stack([pose(0.28 * np.cos(a), 0.28 * np.sin(a), 0) for a in 0.5 * np.pi * np.arange(4)])
    x = world.nodes(q)
    of_body = world.numbering.body[np.repeat(np.arange(len(world.numbering.body)), np.diff(world.numbering.first))]
    shifts = np.ones(len(x))
    shifts[: 4 * world.affine] = np.arange(4 * world.affine) % 4 == 0
    for _ in range(30):
        moved = size * rng.choice([0.1, 1.0, 5.0]) * rng.standard_normal((4, 3))
        ahead = x + shifts[:, None] * moved[of_body] + 0.1 * size * rng.standard_normal(x.shape)
        yield x, ahead
        x = x + rng.choice([0.0, 0.5, 1.0]) * (ahead - x)


def touching(world, found, x):
    """What is within reach at x of some stencils: their bodies, kinds and vertices."""
    y = world.y(x)
    gaps = [_smallest(v, kind, y, y) for v, kind in zip(found.vertices, found.kind, strict=True)]
    on = np.array(gaps) < REACH if gaps else np.zeros(0, dtype=bool)
    return np.column_stack([found.pair, found.kind, found.vertices])[on]


@softly
@pytest.mark.parametrize("size", [1e-4, 1e-3, 1e-2])
def test_nothing_within_reach_is_missing_on_any_way_and_the_order_is_that_of_a_search(size, soft):
    world, met, other = balls(soft), 0, 0
    search = Search(world)
    for x, ahead in places(world, 1, size):
        found = search.of(x, ahead)
        for t in (0.0, 0.3, 1.0):
            now = (1.0 - t) * x + t * ahead
            expected = touching(world, stencils(world, now), now)
            np.testing.assert_array_equal(touching(world, found, now), expected)
            met += len(expected)
        other += len(found.kind)
    assert met > 10
    assert 4 + (size > 1e-3) <= search.count[0] < 30 * 6, "some ways need a search, some none"
    assert other < 20 * max(met, 100), "and few other stencils are looked at"


def test_only_pairs_whose_own_bodies_have_moved_are_searched_again():
    world = balls()
    search, (x, _) = Search(world), next(places(balls(), 1, 0.0))
    np.testing.assert_array_equal(search.of(x, x).pairs, [[0, 1], [0, 3], [1, 2], [2, 3]])
    assert search.count == (4, 0)
    moved = x.copy()
    moved[8, 0] -= 0.15
    search.of(x, moved)
    assert search.count[0] == 6
    search.of(moved, moved)
    assert search.count[0] == 6


@pytest.mark.parametrize("trial", range(10))
def test_pairs_of_boxes_are_all_within_reach_that_may_touch(trial):
    """Bodies of three kinds, which touch none of another kind but fixed ones."""
    rng, B = np.random.default_rng(trial), 14
    is_fixed, kind = np.arange(B) < 2, rng.integers(0, 3, B)
    world = World(join_surfaces([BALL] * B), fixed=(0, 1), planes=GROUND_AND_WALL, itself=trial % 2)
    world.materials.body_pairs[(kind != kind[:, None]) & ~is_fixed & ~is_fixed[:, None]] = NO_CONTACT
    rows = SimpleNamespace(is_fixed=is_fixed)
    scene, _, table = layout.read(rows, world.surfaces, world.numbering, world.contact)
    low, moving = rng.uniform(0, 1, (B, 3)) * rng.uniform(0.1, 2, 3), ~is_fixed & (rng.random(B) < 0.7)
    high = low + rng.uniform(0, 0.8, (B, 3))

    def is_near(i, j):
        if j >= B:
            n, offset = table.planes[j - B, :3], table.planes[j - B, 3]
            return moving[i] and np.where(n > 0, n * low[i], n * high[i]).sum() - offset <= table.reach
        apart = np.maximum(low[i] - high[j], low[j] - high[i]).max()
        return (moving[i] or moving[j]) and apart <= table.reach

    pairs = [[i, j] for i in range(B) for j in range(i, B + 2) if table.model[i, j] >= 0 and is_near(i, j)]
    assert near_pairs(scene, low, high, moving) == pairs != []


def test_candidates_outlive_small_motion_and_are_renewed_by_large():
    world = balls()
    search, (x, _) = Search(world), next(places(balls(), 1, 0.0))
    for k in range(5):
        search.of(x, x + 1e-5 * k * np.eye(3)[0])
    assert search.count[0] == 4
    search.of(x, x + 0.3 * np.arange(len(x))[:, None] / len(x))
    assert search.count[0] > 4


@softly
@pytest.mark.parametrize("size", [1e-3, 1e-2, 0.1])
@pytest.mark.parametrize("strain", [1e-4, 0.02])
def test_no_distance_becomes_smaller_than_the_bound(size, strain, soft):
    """At ten times of straight motions of strained and turned bodies, for points of two that were searched before."""
    rng, least = np.random.default_rng(3), np.inf
    world = World(join_surfaces([BALL] * 2), soft, d_hat=3.0)

    def placed(poses):
        x = world.nodes(np.stack([pose(*p[:3], angles=p[3:]) for p in poses]))
        return x + strain * rng.standard_normal(x.shape)

    for _ in range(20):
        poses = rng.uniform(-1, 1, (2, 6)) * [1, 1, 1, 3, 3, 3]
        before, start = placed(poses), placed(poses + size * rng.standard_normal((2, 6)))
        end = placed(poses + 2.0 * size * rng.standard_normal((2, 6)))
        search, first = Search(world), world.surfaces.first[1]
        search.of(before, before)
        nearer = search.of(start, end).nearer[0]
        assert search.count[0] == 1
        v, w = rng.integers(0, first, 200), rng.integers(first, 2 * first, 200)
        d = np.linalg.norm(world.y(before)[v] - world.y(before)[w], axis=1)
        for t in np.linspace(0.0, 1.0, 10):
            y = world.y((1.0 - t) * start + t * end)
            change = np.linalg.norm(y[v] - y[w], axis=1) - d
            assert (change >= -nearer - 1e-12)[d < 3.0].all()
            least = min(least, change[d < 3.0].min(initial=0.0) / nearer)
    assert least < -0.2 or strain > size, "the bound is not idle"


def test_turning_together_uses_no_skin():
    """Two bodies that turn about the same axis do not come nearer to each other but on a straight way there."""
    world = World(join_surfaces([BALL] * 2), d_hat=1.0)
    search, x = Search(world), world.nodes(np.stack([pose(0, 0, 0), pose(0.5, 0, 0)]))
    search.of(x, x)
    turned = x @ np.array([[np.cos(0.1), np.sin(0.1), 0.0], [-np.sin(0.1), np.cos(0.1), 0.0], [0.0, 0.0, 1.0]])
    assert search.of(turned, turned).nearer[0] < 1e-12
    assert 1e-3 < search.of(x, turned).nearer[0] < 1e-2
    assert search.count[0] == 1


def test_motions_of_both_bodies_together_do_not_count():
    world = World(join_surfaces([BALL] * 2), d_hat=1.0)
    search, x = Search(world), world.nodes(np.stack([pose(0, 0, 0), pose(0.5, 0, 0)]))
    search.of(x, x)
    ahead = x.copy()
    ahead[[0, 4]] += [7.0, -3.0, 2.0]
    assert search.of(ahead, ahead).nearer[0] < 1e-12


def test_stencils_hold_every_pair_in_reach():
    """What ipctk finds within d̂ by its own broad phase is there on a way that begins or ends there."""
    rng, met = np.random.default_rng(4), 0
    for trial in range(20):
        world = boxes(5, friction=0.0, soft=trial % 3)
        positions = np.add(rng.uniform(-0.25, 0.25, (5, 3)), [0, 0, 1])
        x = world.nodes(np.stack([pose(*position, angles=rng.uniform(-3, 3, 3)) for position in positions]))
        dx = 0.05 * rng.standard_normal(x.shape)
        start = x - (trial % 2) * dx
        found, y = stencils(world, start, start + dx), world.y(x)
        mesh, theirs = ipctk_collisions(world.surfaces, y, D_HAT)
        ours = [set(v) for v in found.vertices.tolist()]
        for k in range(len(theirs)):
            wanted = {v for v in theirs[k].vertex_ids(mesh.edges, mesh.faces) if v >= 0}
            assert any(wanted <= vertices for vertices in ours)
        met += len(theirs) > 0
    assert met == 20


FINE = as_surface(trimesh.creation.icosphere(subdivisions=4, radius=0.2))
APART = np.stack([pose(0.0, 0.0, 0.0), pose(0.3, 0.3, 0.3), pose(0.6, 0.6, 0.6)])  # in a row
FAR, NOWHERE = np.array([9.0, 10.0, 11.0]), np.zeros(3)


@pytest.fixture(scope="module")
def three():
    return World(join_surfaces([FINE] * 3), d_hat=REACH)


def passing(world, *ways, q=APART, pairs=((0, 1), (0, 2))):
    """The crowded ones of three balls that go their ways (3,)."""
    ahead = q.copy()
    ahead[:, :3] += ways
    return crowded(world, world.nodes(q), world.nodes(ahead), np.array(pairs))


def test_a_ball_that_flies_through_others_is_on_a_crowded_way_and_so_are_they(three):
    assert passing(three, FAR, NOWHERE, NOWHERE) == [True, True, True]
    assert passing(three, FAR, FAR, NOWHERE) == [True, False, True]


def test_balls_that_move_together_or_away_from_each_other_are_not(three):
    assert passing(three, FAR, FAR, FAR) == [False] * 3
    assert passing(three, -FAR, NOWHERE, FAR) == [False] * 3


def test_a_ball_that_touches_another_at_the_end_of_its_way_is_not(three):
    assert passing(three, 0.011 * FAR, NOWHERE, NOWHERE) == [False] * 3


def test_no_way_up_to_the_skin_is_crowded():
    """Within a reach larger than the balls all of them are near each other."""
    world = World(join_surfaces([FINE] * 3), d_hat=1.0)
    assert passing(world, 0.1 * FAR, NOWHERE, NOWHERE) == [True, True, True]
    assert passing(world, 0.05 * FAR, NOWHERE, NOWHERE) == [False] * 3


def test_turning_counts(three):
    """The balls are in one place: who turns passes much of the other."""
    q = np.repeat(pose(0.0, 0.0, 0.0)[None], 3, axis=0)
    ahead = np.repeat(pose(0.0, 0.0, 0.0, angles=(1.0, 2.0, 1.5))[None], 3, axis=0)
    assert passing(three, *3 * [NOWHERE], q=q) == [False] * 3
    ahead[:2] = q[:2]
    assert crowded(three, three.nodes(q), three.nodes(ahead), np.array([[0, 1], [1, 2]])) == [False, True, True]


@pytest.mark.parametrize("number", [1e200, np.inf, np.nan])
def test_ways_that_are_no_sensible_numbers_are_answered(number, three):
    with np.errstate(invalid="ignore"):
        assert len(passing(three, np.full(3, number), NOWHERE, NOWHERE)) == 3
