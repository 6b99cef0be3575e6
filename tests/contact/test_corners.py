"""What a body's corners stand for: its extent and its motion, whatever the affine map."""

import numpy as np
import pytest
import trimesh

from ipc_articulation.contact.corners import corners
from tests.contact.worlds import D_HAT, as_surface, boxes, pose


def bowl():
    """A hollow shape: most of its vertices are inside its convex hull."""
    ball = trimesh.creation.icosphere(subdivisions=3, radius=0.1)
    ball.vertices[:, 2] = np.where(ball.vertices[:, 2] > 0.0, -0.8 * ball.vertices[:, 2], ball.vertices[:, 2])
    return as_surface(ball)


def affine_maps(count):
    """Coordinates of bodies that are turned, stretched and sheared, (count, 12)."""
    return np.random.default_rng(1).standard_normal((count, 12))


def test_corners_reach_as_far_as_all_vertices():
    points = bowl()[0]
    chosen = corners(points)
    assert 8 < len(chosen) < 0.7 * len(points)
    directions = np.random.default_rng(0).standard_normal((500, 3))
    np.testing.assert_allclose((points[chosen] @ directions.T).max(axis=0), (points @ directions.T).max(axis=0))


@pytest.mark.parametrize("flat", ["plane", "line", "point"])
def test_flat_surfaces_keep_all_vertices(flat):
    points = (
        np.random.default_rng(0).standard_normal((100, 3)) * {"plane": [1, 1, 0], "line": [1, 0, 0], "point": 0}[flat]
    )
    np.testing.assert_array_equal(corners(points), np.arange(100))


def test_the_farthest_vertex_is_a_corner():
    """Under any affine map, as a distance is convex."""
    points, q = bowl()[0], affine_maps(20)
    moved = np.linalg.norm(np.einsum("nij,vj->nvi", q[:, 3:].reshape(-1, 3, 3), points) + q[:, None, :3], axis=2)
    np.testing.assert_array_equal(moved[:, corners(points)].max(axis=1), moved.max(axis=1))


def test_half_planes_limit_ways_of_bodies_that_were_far():
    world = boxes(1, mesh=bowl())
    x = world.nodes(pose(0, 0, 3.0)[None])
    world.begin(x)
    ahead = x.copy()
    ahead[0, 2] -= 5.0
    assert world.look(ahead)[0][0] == pytest.approx((2.9 - 0.1 * D_HAT) / 5.0, rel=1e-6)


def test_half_planes_leave_out_no_point_within_reach():
    """Of a body with more points than its box has corners, however it is deformed."""
    world, mesh = boxes(41, mesh=bowl(), friction=0.0), bowl()
    q = np.stack([pose(-1.0 - k, 0, 0.1 + gap) for k, gap in enumerate(np.linspace(-0.01, 0.03, 41))])
    q[:, 3:] += 0.1 * affine_maps(41)[:, 3:]
    heights = np.stack([(mesh[0] @ row[3:].reshape(3, 3).T + row[:3])[:, 2] for row in q])
    q[heights.min(axis=1) < 0.0, 2] += 1.0
    heights = np.stack([(mesh[0] @ row[3:].reshape(3, 3).T + row[:3])[:, 2] for row in q])
    x = world.nodes(q)
    world.begin(x)
    world.place(x)
    near = world.near()
    near = near.vertices[near.kind == 3]
    assert len(near) == np.count_nonzero(heights < 0.01) > 10
