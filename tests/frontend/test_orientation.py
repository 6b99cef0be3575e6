"""Surfaces whose faces are turned: refused where what their loose edges enclose has an area."""

import numpy as np
import pytest
import trimesh

from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.body_checks import check_orientation


@pytest.fixture
def box() -> trimesh.Trimesh:
    return trimesh.creation.box((1.0, 2.0, 3.0))


def check(points: np.ndarray, faces: np.ndarray) -> None:
    corners = points[faces]
    volume = np.einsum("fi,fi->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    check_orientation(points, faces, volume, "the box")


def test_a_closed_surface_is_taken(box: trimesh.Trimesh) -> None:
    check(box.vertices, box.faces)


def test_an_edge_beside_two_shorter_ones_encloses_nothing(box: trimesh.Trimesh) -> None:
    """A T-junction: the face on one side of an edge is cut in two there, the face on its other side is not."""
    a, b, c = box.faces[0]
    middle = len(box.vertices)
    points = np.vstack([box.vertices, 0.5 * (box.vertices[a] + box.vertices[b])])
    faces = np.vstack([box.faces[1:], [[a, middle, c], [middle, b, c]]])
    check(points, faces)
    points[middle] += 0.01 * (box.vertices[c] - box.vertices[a])  # now there is a gap
    with pytest.raises(SceneError, match="oriented differently at its edge between the vertices"):
        check(points, faces)


@pytest.mark.parametrize("face", range(12))
def test_a_face_that_is_turned_is_refused(box: trimesh.Trimesh, face: int) -> None:
    faces = box.faces.copy()
    faces[face] = faces[face, ::-1]
    with pytest.raises(SceneError, match=r"^the box has faces that are oriented differently"):
        check(box.vertices, faces)
