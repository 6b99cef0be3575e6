"""Which closed surfaces lie inside others."""

import numpy as np
import pytest
import trimesh

from ipc_articulation.contact.inside import is_inside

RING = trimesh.creation.annulus(r_min=0.5, r_max=1.0, height=0.4)
BALL = trimesh.creation.icosphere(subdivisions=1, radius=0.1)


@pytest.mark.parametrize(
    ("center", "expected"),
    [((0.75, 0.0, 0.0), True), ((0.0, 0.0, 0.0), False), ((-0.5, -0.56, 0.0), True), ((0.9, 0.9, 0.0), False)],
    ids=["in the ring", "in its hole", "in the ring again", "at the corner of its box"],
)
def test_inside_is_in_the_solid_not_in_the_box(center, expected):
    points = BALL.vertices + np.array(center)
    assert is_inside(points, RING.vertices, RING.faces) == expected
    assert not is_inside(RING.vertices, points, BALL.faces)


def test_rods_and_points_enclose_nothing():
    nothing = np.zeros((0, 3), dtype=np.int64)
    assert not is_inside(BALL.vertices, RING.vertices, nothing)
    assert not is_inside(np.zeros((0, 3)), RING.vertices, RING.faces)
