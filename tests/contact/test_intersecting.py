import numpy as np
import pytest
import trimesh

from ipc_articulation.contact.intersecting import first_intersecting
from ipc_articulation.contact.surfaces import join_surfaces
from tests.contact.worlds import pose

PAIRS = np.array([[0, 1], [0, 2], [1, 2]])


@pytest.mark.parametrize("depth", [-1e-6, 1e-6])
def test_two_fine_meshes_that_just_meet(depth):
    """A cone's tip in the middle of a ball's face; the third body is far away."""
    ball = trimesh.creation.icosphere(subdivisions=3)
    cone = trimesh.creation.cone(radius=0.3, height=1.0, sections=64)
    face = ball.triangles_center[100]
    turn = trimesh.geometry.align_vectors([0, 0, -1.0], face)[:3, :3]
    tip = (cone.vertices - [0, 0, 1.0]) @ turn.T
    surfaces = join_surfaces([_mesh(ball, ball.vertices), _mesh(cone, tip), _mesh(ball, ball.vertices + 5.0)])
    normal = ball.face_normals[100]
    q = np.stack([pose(0, 0, 0), pose(*(face - depth * normal)), pose(0, 0, 0)])
    assert first_intersecting(surfaces, q, PAIRS) == ((0, 1) if depth > 0.0 else None)
    assert first_intersecting(surfaces, q, PAIRS[1:]) is None
    assert first_intersecting(surfaces, q, PAIRS[:0]) is None


def _mesh(mesh, points):
    return points, mesh.edges_unique.astype(np.int32), mesh.faces.astype(np.int32), np.zeros(len(points))


def test_a_rod_through_the_middle_of_a_large_face():
    """No corner of the face is near, and no edge."""
    triangle = np.array([[-9.0, -9, 0], [9, -9, 0], [0, 9, 0]])
    sides, face = np.array([[0, 1], [1, 2], [2, 0]], dtype=np.int32), np.array([[0, 1, 2]], dtype=np.int32)
    rod = np.array([[0.0, 0, -1], [0, 0, 1]]), np.array([[0, 1]], dtype=np.int32), np.zeros((0, 3), dtype=np.int32)
    surfaces = join_surfaces([(triangle, sides, face, np.zeros(3)), (*rod, np.zeros(2))])
    placed, moved = (np.stack([pose(0, 0, 0), pose(0, 0, z)]) for z in (0.0, 1.5))
    assert first_intersecting(surfaces, placed, np.array([[0, 1]])) == (0, 1)
    assert first_intersecting(surfaces, moved, np.array([[0, 1]])) is None
