import numpy as np
import pytest
import trimesh

from ipc_articulation.contact.surfaces import join_surfaces


@pytest.fixture
def surfaces():
    """A ball; a triangle with a rod and a point; a body without surface; another ball."""
    ball = trimesh.creation.icosphere(subdivisions=2)
    mesh = ball.vertices, ball.edges_unique.astype(np.int32), ball.faces.astype(np.int32)
    mixed = np.random.default_rng(1).random((6, 3)), np.array([[0, 1], [1, 2], [2, 0], [3, 4]], dtype=np.int32)
    none = np.zeros((0, 3)), np.zeros((0, 2), dtype=np.int32), np.zeros((0, 3), dtype=np.int32)
    meshes = [mesh, (*mixed, np.array([[0, 1, 2]], dtype=np.int32)), none, mesh]
    return join_surfaces([(*mesh, np.zeros(len(mesh[0]))) for mesh in meshes])


def test_every_primitive_is_below_one_leaf_of_its_body(surfaces):
    trees, n = surfaces.trees, len(surfaces.first) - 1
    for order, count in ((trees.face, surfaces.faces), (trees.edge, surfaces.edges), (trees.vertex, surfaces.points)):
        assert np.array_equal(np.sort(order), np.arange(len(count)))
    for b in range(n):
        nodes = range(trees.first[b], trees.first[b + 1])
        leaves = [node for node in nodes if trees.right[node] < 0]
        below = [f for node in leaves for f in range(trees.begin[node], trees.begin[node] + trees.size[node])]
        assert below == list(range(surfaces.first_faces[b], surfaces.first_faces[b + 1]))
        assert (surfaces.body[surfaces.faces[trees.face[below], 0]] == b).all()
        for node in set(nodes) - set(leaves):
            left, right = node + 1, trees.right[node]
            assert trees.size[left] + trees.size[right] == trees.size[node]
            assert trees.begin[left] == trees.begin[node]
            assert trees.begin[right] == trees.begin[node] + trees.size[left]


def test_edges_and_vertices_belong_to_a_face_that_contains_them(surfaces):
    trees = surfaces.trees
    for first, order, primitives in (
        (trees.first_edge, trees.edge, surfaces.edges),
        (trees.first_vertex, trees.vertex, np.arange(len(surfaces.points))[:, None]),
    ):
        for place, face in enumerate(trees.face):
            for p in order[first[place] : first[place + 1]]:
                assert set(primitives[p]) <= set(surfaces.faces[face])
