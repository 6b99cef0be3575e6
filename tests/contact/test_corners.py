"""What a body's corners stand for: its extent and its motion, whatever the affine map."""

import numpy as np
import pytest
import trimesh

from ipc_articulation.contact.corners import corners
from ipc_articulation.contact.surfaces import join_surfaces
from tests.contact.worlds import DT, EPS_V, LAGGED, as_surface, body_energies, derivatives, make_world, pose, step_limit


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


def test_motions_are_those_of_the_farthest_vertex():
    mesh, dq = bowl(), affine_maps(20)
    surfaces = join_surfaces([mesh] * 20)
    moved = np.einsum("nij,vj->nvi", dq[:, 3:].reshape(-1, 3, 3), mesh[0]) + dq[:, None, :3]
    np.testing.assert_allclose(surfaces.motions(dq), np.linalg.norm(moved, axis=2).max(axis=1), rtol=1e-13)


def test_planes_leave_out_no_body_within_reach():
    """The same as if every body were so large that none can be left out."""
    q = np.stack([pose(-1.0 - k, 0, 0.1 + gap) for k, gap in enumerate(np.linspace(-0.01, 0.03, 41))])
    q[:, 3:] += 0.1 * affine_maps(41)[:, 3:]
    worlds = [make_world(41, mesh=bowl()) for _ in range(2)]
    half = worlds[1].half_planes
    half.columns = tuple(half._pairs._replace(half=np.full_like(half._pairs.half, 1e3)))
    found = []
    for world in worlds:
        world.begin_step(q + 1e-5, DT, LAGGED)
        at = derivatives(world, q)
        found.append((body_energies(world, q), at.gradient, at.blocks, world.gap_changes(world.ahead(q + 1e-4)).copy()))
    assert np.isinf(found[0][0]).any()
    assert (found[0][0] == 0.0).any()
    for a, b in zip(*found, strict=True):
        np.testing.assert_array_equal(a, b)


def test_planes_limit_steps_of_bodies_that_were_far():
    world, q, down = make_world(1, mesh=bowl()), pose(0, 0, 3.0)[None], np.zeros((1, 12))
    down[0, 2] = -5.0
    world.begin_step(q, DT, LAGGED)
    assert step_limit(world, q, down) == pytest.approx(0.9 * 2.9 / 5.0, rel=1e-3)


def test_slip_counts_from_the_beginning_of_the_step():
    """However often the bodies, which are near each other, are placed since."""
    q, world = np.stack([pose(0, 0, 0.104), pose(0.21, 0, 0.104)]), make_world(2)
    world.begin_step(q, DT, LAGGED)
    assert len(world.body_contacts[0].proximity.stencils)
    slid = q + np.eye(12)[0] * 10 * EPS_V * DT
    first = derivatives(world, slid).gradient
    for _ in range(3):
        derivatives(world, slid)
        body_energies(world, slid)
    np.testing.assert_array_equal(derivatives(world, slid).gradient, first)
    assert first[0, 0] > 0.0
