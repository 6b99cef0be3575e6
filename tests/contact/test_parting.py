"""The depth of an overlap is the shortest motion that parts convex bodies."""

import numpy as np
import pytest
import trimesh

from ipc_articulation.contact.parting import parting


def placed(mesh: trimesh.Trimesh, *position: float) -> np.ndarray:
    return np.asarray(mesh.vertices) + position


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        ((0.9, 0.1, 0.05), (-0.1, 0, 0)),
        ((0.2, -0.3, 0.8), (0, 0, -0.2)),
        ((0, -0.6, 0), (0, 0.4, 0)),
        ((1.1, 0, 0), (0, 0, 0)),
    ],
)
def test_boxes(position, expected):
    box = trimesh.creation.box((1.0, 1.0, 1.0))
    np.testing.assert_allclose(parting(placed(box, 0, 0, 0), placed(box, *position)), expected, atol=1e-12)


def test_balls_with_many_corners_are_parted_by_the_overlap_of_their_radii():
    ball = trimesh.creation.icosphere(4, 0.5)
    t = parting(placed(ball, 0, 0, 0), placed(ball, 0.6, 0.2, 0.3))
    np.testing.assert_allclose(np.linalg.norm(t), 0.3, rtol=0.03)
    np.testing.assert_allclose(t / np.linalg.norm(t), np.array([-6, -2, -3]) / 7, atol=0.15)


def test_edges_that_cross_overlap_although_no_vertex_is_inside():
    one, other = trimesh.creation.box((2.0, 0.1, 0.1)), trimesh.creation.box((0.1, 2.0, 0.1))
    np.testing.assert_allclose(
        np.abs(parting(placed(one, 0, 0, 0), placed(other, 0, 0, 0.04))), [0, 0, 0.06], atol=1e-12
    )


def test_flat_ones():
    plate, box = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=float), trimesh.creation.box((1, 1, 1))
    np.testing.assert_allclose(parting(plate, placed(box, 0.5, 0.5, 0.4)), [0, 0, -0.1], atol=1e-12)
    np.testing.assert_array_equal(parting(plate, plate), np.zeros(3))
