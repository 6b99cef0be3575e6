"""Derivatives by vertices beside those by the coordinates of affine bodies, whose tests compare them with ipctk's."""

import numpy as np
import pytest

from ipc_articulation.contact import foresight, pair_barrier, pair_friction
from ipc_articulation.contact.foresight import NOTHING_FORESEEN
from ipc_articulation.contact.soft import vertex_barrier, vertex_friction
from ipc_articulation.contact.soft.vertex_rows import add_gradients
from ipc_articulation.linear_system.block_matrix import BlockMatrix
from tests.contact.in_touch import folded, near_pose, parallel_stack
from tests.contact.worlds import D_HAT, full_hessian
from tests.derivatives import relative_error

KAPPA, MU, EPS = 1e7, 0.4, 1e-4  # [J/m⁴], 1, [m]
SCENES = {
    **{f"boxes {seed}, {xi}": (near_pose, seed, xi) for seed in range(12) for xi in (0.0, 0.03)},
    **{f"stack {seed}, {xi}": (parallel_stack, seed, xi) for seed in range(3) for xi in (0.0, 0.03)},
    **{f"itself {seed}": (folded, seed) for seed in range(3)},
}
in_scenes = pytest.mark.parametrize("make", SCENES.values(), ids=SCENES)
projected_or_exact = pytest.mark.parametrize("project", [True, False])


def touching_stencils(make):
    touching = make[0](*make[1:])
    stencils, moving = touching.stencils(), np.ones(len(touching.q), dtype=bool)
    near = stencils.rows(pair_barrier.in_reach(*stencils.columns[:4], moving, touching.x, D_HAT + touching.xi))
    return touching, near, np.full(len(near.bodies), KAPPA)


def by_coordinates(touching, vertices, g_v, H_v):
    """Gradient (n, 12) and Hessian (12n, 12n) of derivatives by vertices."""
    n, surfaces = len(touching.q), touching.surfaces
    g, matrix = np.zeros((n, 12)), BlockMatrix(n)
    add_gradients(vertices, g_v, surfaces.body, surfaces.points, g)
    matrix.add_vertices(surfaces.body[vertices], surfaces.points[vertices], H_v)
    H = np.zeros((12 * n, 12 * n))
    for i in range(n):
        H[12 * i : 12 * i + 12, 12 * i : 12 * i + 12] = matrix.diagonal[i]
    for i, j, block in zip(*matrix.matrix[1:4], strict=True):
        H[12 * i : 12 * i + 12, 12 * j : 12 * j + 12] = block
        H[12 * j : 12 * j + 12, 12 * i : 12 * i + 12] = block.T
    return g, H


@projected_or_exact
@in_scenes
def test_barriers_have_the_derivatives_of_those_between_affine_bodies(make, project):
    touching, near, kappa = touching_stencils(make)
    limits, projected = (D_HAT, touching.xi), np.full(len(near.bodies), project)
    slopes = foresight.slopes(near.kind, near.vertices, touching.x, *limits, *NOTHING_FORESEEN)
    g_v, H_v = vertex_barrier.derivatives(*near.columns[1:], touching.x, kappa, *limits, projected, slopes)
    g, H = by_coordinates(touching, near.vertices, g_v, H_v)
    expected = np.zeros_like(g)
    where = touching.surfaces.points, touching.x, kappa, *limits
    blocks = pair_barrier.add_derivatives(*near.columns, *where, projected, expected)
    assert relative_error(g, expected) < 1e-10
    assert relative_error(H, full_hessian(len(g), near.bodies, blocks)) < 1e-9


@pytest.mark.parametrize("slip", [0.3 * EPS, 10.0 * EPS], ids=["sticking", "slipping"])
@in_scenes
def test_friction_has_the_energy_and_derivatives_of_that_between_affine_bodies(make, slip):
    touching, near, kappa = touching_stencils(make)
    surfaces, q = touching.surfaces, touching.q + slip * np.random.default_rng(0).uniform(-1, 1, touching.q.shape)
    barrier, moving = (MU * kappa, D_HAT, touching.xi, EPS), np.ones(len(q), dtype=bool)
    ours = vertex_friction.lag(near, surfaces.body, surfaces.points, touching.x, touching.x, *barrier)
    theirs = pair_friction.lag(near, surfaces.points, touching.x, touching.q, *barrier)
    g, H = by_coordinates(touching, ours.vertices, *vertex_friction.derivatives(*ours, moving, q))
    expected = np.zeros_like(g)
    of_pairs = pair_friction.add_derivatives(*theirs, moving, q, expected)
    assert np.abs(expected).max() > 0.0
    assert relative_error(g, expected) < 1e-9
    assert relative_error(H, full_hessian(len(g), *of_pairs)) < 1e-9
    E, of_theirs = np.zeros(len(q)), np.zeros(len(q))
    vertex_friction.add_energy(*ours, moving, q, E)
    pair_friction.add_energy(*theirs, moving, q, of_theirs)
    np.testing.assert_allclose(E, of_theirs, rtol=1e-9)
    ahead, change, of_their = (
        q + slip * np.random.default_rng(1).uniform(-1, 1, q.shape),
        np.zeros(len(q)),
        np.zeros(len(q)),
    )
    turned = np.arange(len(q)) == 0
    vertex_friction.follow(*ours, moving, q, ahead, turned)
    pair_friction.follow(*theirs, moving, q, ahead, turned)
    np.testing.assert_allclose(ours.dual, theirs.dual, rtol=1e-6, atol=1e-9 * np.abs(theirs.dual).max())
    vertex_friction.add_changes(*ours, moving, q, ahead, change)
    pair_friction.add_changes(*theirs, moving, q, ahead, of_their)
    assert change.max() == pytest.approx(of_their.max(), rel=1e-6)  # that of other bodies of the pairs
