"""What edges without faces and vertices without edges meet, by the dimension of the vertices."""

import numpy as np

from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.primitive_stencils import VERTEX_OF_FIRST, VERTEX_OF_SECOND
from ipc_articulation.contact.surfaces import join_surfaces
from tests.contact import searches
from tests.contact.worlds import World, box_mesh, pose

NO_EDGES, NO_FACES = np.zeros((0, 2), np.int32), np.zeros((0, 3), np.int32)


def mesh(points, edges=NO_EDGES, faces=NO_FACES):
    return np.array(points, float), np.array(edges, np.int32), np.array(faces, np.int32), np.zeros(len(points))


ROD = mesh([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 1], [2, 1]])
POINTS = mesh([[0, 0, 0], [1, 0, 0]])
FLAG = mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [2, 0, 0]], [[0, 1], [1, 2], [2, 0], [1, 3]], [[0, 1, 2]])


def stencils(*meshes):
    """All those of two bodies that lie in each other's place."""
    world = World(join_surfaces(meshes), d_hat=10.0)
    return searches.stencils(world, world.nodes(np.tile(pose(0, 0, 0), (len(meshes), 1))))


def vertex_stencils(found, kind):
    return found.vertices[found.kind == kind].tolist()


def test_only_what_no_face_has_becomes_flat_faces():
    np.testing.assert_array_equal(join_surfaces([box_mesh()]).faces, box_mesh()[2])
    both = join_surfaces([ROD, FLAG])
    assert both.faces.tolist() == [[0, 1, 1], [2, 1, 1], [3, 4, 5], [4, 6, 6]]
    assert both.proper_faces.tolist() == [[3, 4, 5]]
    assert both.dimension.tolist() == [1, 1, 1, 2, 2, 2, 1]
    assert join_surfaces([POINTS]).faces.tolist() == [[0, 0, 0], [1, 1, 1]]


def test_the_surface_of_one_body_has_its_own_numbers_and_no_flat_faces():
    both = join_surfaces([ROD, FLAG])
    points, edges, faces = both.of_body(1, both.points)
    np.testing.assert_array_equal(points, FLAG[0])
    np.testing.assert_array_equal(edges, FLAG[1])
    assert faces.tolist() == [[0, 1, 2]]
    assert both.of_body(0, both.points)[2].shape == (0, 3)


def test_each_vertex_of_a_rod_meets_each_edge_of_another_once():
    found = stencils(ROD, ROD)
    assert vertex_stencils(found, VERTEX_OF_FIRST) == [[v, *e] for e in ([3, 4, 4], [5, 4, 4]) for v in range(3)]
    assert vertex_stencils(found, VERTEX_OF_SECOND) == [[v, *e] for e in ([0, 1, 1], [2, 1, 1]) for v in range(3, 6)]
    assert np.count_nonzero(found.kind == EDGES) == 4


def test_a_rod_and_a_box_have_what_they_had():
    """The box's corners meet the rod by edges that are not parallel to it."""
    found = stencils(ROD, box_mesh())
    assert vertex_stencils(found, VERTEX_OF_SECOND) == []
    assert len(vertex_stencils(found, VERTEX_OF_FIRST)) == 3 * len(box_mesh()[2])


def test_two_points_meet_once():
    found = stencils(POINTS, POINTS)
    assert vertex_stencils(found, VERTEX_OF_FIRST) == [[v, w, w, w] for w in (2, 3) for v in (0, 1)]
    assert len(found.kind) == 4


def test_a_point_meets_edges_of_a_rod():
    found = stencils(POINTS, ROD)
    assert len(found.kind) == len(vertex_stencils(found, VERTEX_OF_FIRST)) == 4
