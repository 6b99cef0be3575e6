"""Surfaces of shapes."""

import numpy as np
import pytest
import trimesh

from ipc_articulation.coupling import solids
from ipc_articulation.coupling.mesh_files import oriented
from ipc_articulation.dynamics.model.shapes import Box
from ipc_articulation.errors import MeshError


def test_a_box_is_the_one_that_trimesh_makes() -> None:
    size = (0.3, 0.7, 0.11)
    own, theirs = solids.surface(Box(size)), oriented(trimesh.creation.box(extents=size), "")
    np.testing.assert_array_equal(own.vertices, theirs.vertices)
    np.testing.assert_array_equal(own.faces, theirs.faces)


@pytest.mark.parametrize("size", [(1.0, 1.0, 0.0), (1.0, 1.0, 1e-13)])
def test_a_flat_box_is_refused(size: tuple[float, float, float]) -> None:
    with pytest.raises(MeshError, match="the box of link 'plate' has no volume"):
        solids.surface(Box(size), "link 'plate'")
