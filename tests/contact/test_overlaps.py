"""Overlaps where bodies are put, distances, and what is inside."""

import numpy as np
import pytest
import trimesh

from ipc_articulation.contact import readouts
from ipc_articulation.contact.materials import Rules
from ipc_articulation.contact.overlaps import find_overlap
from ipc_articulation.contact.surfaces import join_surfaces
from ipc_articulation.contact.vertex_elements import VertexElements
from tests.contact.worlds import D_HAT, World, as_surface, box_mesh, boxes, pose

NO_EDGES, NO_FACES = np.zeros((0, 2), np.int32), np.zeros((0, 3), np.int32)
softly = pytest.mark.parametrize("soft", [0, 1, 2], ids=["stiff", "one soft", "both soft"])


def overlap(world, q, moved=None):
    """The two bodies, or the body and the half-plane, that overlap; None."""
    moved = np.ones(len(world.movable), dtype=np.bool_) if moved is None else np.array(moved)
    found = find_overlap(world.contact, world.scene, world.nodes(q), moved)
    if found is None:
        return None
    body_of = world.numbering.body_of
    if found.half_plane:
        return int(body_of[found.body]), found.half_plane
    return tuple(sorted(body_of[[found.body, found.other]].tolist()))


def closest(world, q):
    """The smallest distance."""
    return readouts.closest(world.scene, world.nodes(q))[0]


@softly
@pytest.mark.parametrize("depth", [-1e-6, 1e-6])
def test_two_fine_meshes_that_just_meet(depth, soft):
    """A cone's tip in the middle of a ball's face; another body is far away."""
    ball = trimesh.creation.icosphere(subdivisions=3)
    cone = trimesh.creation.cone(radius=0.3, height=1.0, sections=64)
    face, normal = ball.triangles_center[100], ball.face_normals[100]
    turn = trimesh.geometry.align_vectors([0, 0, -1.0], face)[:3, :3]
    cone.vertices = (cone.vertices - [0, 0, 1.0]) @ turn.T
    far = ball.copy()
    far.vertices += 5.0
    world = World(join_surfaces([*map(as_surface, (far, ball, cone))]), soft)
    q = np.stack([pose(0, 0, 0), pose(0, 0, 0), pose(*(face - depth * normal))])
    assert overlap(world, q) == ((1, 2) if depth > 0.0 else None)
    assert overlap(world, q, [True, False, False]) is None, "what has not moved may be left out"


@softly
def test_a_rod_through_the_middle_of_a_large_face(soft):
    """No corner of the face is near, and no edge."""
    triangle = np.array([[-9.0, -9, 0], [9, -9, 0], [0, 9, 0]])
    sides, face = np.array([[0, 1], [1, 2], [2, 0]], dtype=np.int32), np.array([[0, 1, 2]], dtype=np.int32)
    rod = np.array([[0.0, 0, -1], [0, 0, 1]]), np.array([[0, 1]], dtype=np.int32), NO_FACES
    world = World(join_surfaces([(triangle, sides, face, np.zeros(3)), (*rod, np.zeros(2))]), soft)
    placed, moved = (np.stack([pose(0, 0, 0), pose(0, 0, z)]) for z in (0.0, 1.5))
    assert overlap(world, placed) == (0, 1)
    assert overlap(world, moved) is None


@softly
def test_overlaps_are_found(soft):
    world = boxes(3, soft=soft)
    q = np.stack([pose(0, 0, 0.5), pose(1.0, 0, 0.5), pose(1.1, 0.05, 0.55, angles=(0.1, 0.2, 0.3))])
    assert overlap(world, q) == (1, 2)
    q[2, 0] = 2.0
    assert overlap(world, q) is None
    q[0, 2] = 0.05
    assert overlap(world, q) == (0, "ground")


def test_fixed_bodies_do_not_touch_each_other():
    world = boxes(2, fixed=(0, 1))
    q = np.stack([pose(0, 0, 0.5), pose(0, 0, 0.55)])
    assert overlap(world, q) is None
    assert closest(world, np.stack([pose(0, 0, 0.5), pose(0, 0, 0.701)])) == np.inf


@softly
def test_points_in_one_place_overlap(soft):
    points = (np.array([[1.0, 0, 0]]), NO_EDGES, NO_FACES, np.zeros(1))
    world, q = World(join_surfaces([points, points]), soft), np.stack([pose(0, 0, 3)] * 2)
    assert overlap(world, q) == (0, 1)
    q[1, 2] += 1e-3
    assert overlap(world, q) is None


@softly
@pytest.mark.parametrize(("gap", "is_lost"), [(1e-13, True), (1e-10, False)])
def test_gaps_that_rounding_takes_away_are_overlaps(gap, is_lost, soft):
    q = np.stack([pose(0, 0, 5.0), pose(0.2 + gap, 0.01, 5.0)])
    assert overlap(boxes(2, soft=soft), q) == ((0, 1) if is_lost else None)
    assert overlap(boxes(1, soft=min(soft, 1)), pose(0, 0, 0.1 + gap)[None]) == ((0, "ground") if is_lost else None)


def test_what_passes_through_each_other_does_not_overlap():
    """By the elements of its vertices."""
    enabled = np.array([[True, False], [False, True]])
    rules = Rules(np.full((2, 2), 1e8), np.zeros((2, 2)), enabled, np.ones((1, 1), dtype=bool))
    surfaces = join_surfaces([box_mesh()] * 2)
    q = np.stack([pose(0, 0, 0.5), pose(0.05, 0.02, 0.55, angles=(0.1, 0.2, 0.3))])
    for of_second, expected in ((0, (0, 1)), (1, None)):
        elements = VertexElements(np.repeat([0, of_second], 8), rules)
        elements.enabled = enabled[: 1 + of_second, : 1 + of_second]
        assert overlap(World(surfaces, 2, elements=elements), q) == expected


@softly
def test_minimum_distance_is_exact_and_infinite_far_away(soft):
    world = boxes(2, soft=soft)
    q = np.stack([pose(0, 0, 0.5), pose(0, 0, 0.5 + 0.2 + 0.03)])
    assert closest(world, q) == pytest.approx(0.03, rel=1e-12)
    q[1, 2] += 1.0
    assert closest(world, q) == np.inf
    q[0, 2] = 0.1 + 0.02
    assert closest(world, q) == pytest.approx(0.02, rel=1e-12)


def test_the_distance_of_what_touches_is_nothing():
    world = boxes(2, mesh=box_mesh(2.0, 2.0, 2.0))
    assert closest(world, np.stack([pose(0, 0, 3), pose(0.25, 0, 5)])) == 0.0


@softly
@pytest.mark.parametrize("gap", [0.1, 0.9, 1.1, 1.9, 3.3, 7.0, 9.9, 10.1, 50.0])
@pytest.mark.parametrize("turned", [False, True])
def test_distances_are_found_up_to_ten_d_hat(gap, turned, soft):
    """Of two boxes far above the ground, side by side or corner to side; their boxes may be nearer than they are."""
    half = 0.1 * np.sqrt(3.0) if turned else 0.1  # a corner points to the other box
    axis = np.array([1.0, 1.0, 1.0]) / np.sqrt(3.0)
    R = trimesh.geometry.align_vectors(axis, [-1.0, 0.0, 0.0])[:3, :3] if turned else np.eye(3)
    other = np.concatenate([[0.1 + gap * D_HAT + half, 0.01, 3.01], R.ravel()])
    found = closest(boxes(2, soft=soft), np.stack([pose(0, 0, 3), other]))
    assert found == (pytest.approx(gap * D_HAT, rel=1e-9) if gap < 10.0 else np.inf)


def test_the_thickness_of_surfaces_is_no_distance():
    world = boxes(2, xi=0.02)
    assert closest(world, np.stack([pose(0, 0, 3), pose(0, 0, 3.25)])) == pytest.approx(0.03, rel=1e-9)
