"""Barriers that are expanded where a step leads: their model's derivatives, and which stencils it has."""

import numpy as np
import pytest
import trimesh

from ipc_articulation.contact import ccd
from ipc_articulation.contact.barrier import barrier
from ipc_articulation.contact.expansion import FRESH, expanded, follow
from tests.contact.worlds import D_HAT, DT, LAGGED, box_mesh, make_world, pose, stack

KAPPA = DT**2 * 1e9
UP = np.zeros((3, 12))
UP[:, 2] = [0.02, 0.05, 0.08]  # all three boxes leave each other and the ground, by more than d̂


def begin(q, **options):
    """A world without friction whose bodies are placed at q, and its derivatives there."""
    world = make_world(len(q), friction=0.0, **options)
    world.begin_step(q, DT, LAGGED)
    everything = np.ones(len(q), dtype=bool)
    world.place(q, everything)
    return world, everything


def dense(n, blocks, pairs):
    H = np.zeros((12 * n, 12 * n))
    for b in range(n):
        H[12 * b : 12 * b + 12, 12 * b : 12 * b + 12] += blocks[b]
    for bodies, of_pairs in pairs:
        for (i, j), block in zip(bodies, of_pairs, strict=True):
            rows = np.r_[12 * i : 12 * i + 12, 12 * j : 12 * j + 12]
            H[np.ix_(rows, rows)] += block
    return H


def follow_step(foresight, dq, project=True):
    changes = foresight.follow(dq, np.full(len(dq), project))
    assert changes is not None
    g, blocks, pairs, _ = changes
    return g, dense(len(dq), blocks, pairs)


@pytest.mark.parametrize("project", [True, False])
def test_what_a_step_leaves_no_longer_pushes(project):
    """All contact is let go: gradient and Hessian of contact become zero, but those of almost parallel edges."""
    q = stack()
    world, _ = begin(q)
    at = world.derivatives(project)
    gradient, H = at.gradient.copy(), dense(3, at.blocks, at.pair_blocks)
    assert np.abs(gradient).max() > 1e-6
    g, dH = follow_step(world.foresee(np.ones(3, dtype=bool)), UP, project)
    np.testing.assert_allclose(gradient + g, 0.0, atol=1e-9 * np.abs(gradient).max())
    np.testing.assert_allclose(H + dH, 0.0, atol=1e-9 * np.abs(H).max())


def test_a_vertex_before_a_plane_is_expanded_at_the_gap_ahead():
    """A box above the ground: all its lower vertices have the model's force at the gap d, expanded at δ."""
    now, then = 0.004, 0.0055
    q, to = pose(0, 0, 0.1 + now)[None], pose(0, 0, 0.1 + then)[None]
    world, _ = begin(q)
    before = world.derivatives()
    gradient, stiffness = before.gradient[0, 2], before.blocks[0, 2, 2].copy()
    g, dH = follow_step(world.foresee(np.ones(1, dtype=bool)), to - q)
    _, slope, curvature = barrier(then, D_HAT, 0.0)
    vertices = 4
    assert gradient + g[0, 2] == pytest.approx(KAPPA * vertices * (slope + curvature * (now - then)))
    assert stiffness + dH[2, 2] == pytest.approx(KAPPA * vertices * curvature)


def test_a_plane_that_the_step_would_pass_through_is_foreseen():
    q, to = pose(0, 0, 0.1 + 2 * D_HAT)[None], pose(0, 0, 0.1 - D_HAT)[None]
    world, _ = begin(q)
    assert not world.derivatives().gradient.any()
    g, dH = follow_step(world.foresee(np.ones(1, dtype=bool)), to - q)
    _, slope, curvature = barrier(FRESH * D_HAT, D_HAT, 0.0)
    assert g[0, 2] == pytest.approx(4 * KAPPA * (slope + curvature * (2 - FRESH) * D_HAT))
    assert dH[2, 2] == pytest.approx(4 * KAPPA * curvature)


def test_bodies_that_the_step_would_pass_through_are_foreseen():
    """The upper one of two boxes falls from beyond d̂ into the lower one; then it is stopped, both alike."""
    q = np.stack([pose(0, 0, 1.0), pose(0.03, 0.02, 1.2 + 2 * D_HAT, angles=(0.02, 0.01, 0.3))])
    to = q.copy()
    to[1, 2] -= 3 * D_HAT
    world, _ = begin(q)
    ahead, foresight = world.ahead(to), world.foresee(np.ones(len(q), dtype=bool))
    world.cover(ahead, world.near(ahead))
    assert world.step_fractions(ahead, world.covered(), np.zeros(2, dtype=np.int64)).max() < 1.0
    world.meet(foresight)
    g, dH = follow_step(foresight, to - q)
    assert g[0, 2] == pytest.approx(-g[1, 2])
    assert g[1, 2] != 0.0
    assert dH[14, 14] > 0.0
    assert np.linalg.eigvalsh(dH).min() > -1e-9 * np.abs(dH).max()
    step = np.concatenate([np.zeros(12), to[1] - q[1]])
    assert g.ravel() @ step + step @ dH @ step > 0.0  # at the end of the step the model pushes back
    world.meet(foresight)  # what is known is not met again
    again = foresight.follow(to - q, np.ones(len(q), dtype=bool))
    assert again is None or all(len(bodies) == 1 for bodies, _ in again[2])


def test_only_stencils_beyond_d_hat_are_entering():
    q = np.stack([pose(0, 0, 1.0), pose(0.03, 0.02, 1.2 + 0.5 * D_HAT)])
    to = q.copy()
    to[1, 2] -= D_HAT
    world, everything = begin(q)
    world.cover(world.ahead(to), world.near(world.ahead(to)))
    stencils, x = world.covered()[0], world.surfaces.positions
    rows = ccd.entering(*stencils.columns[:4], everything, x(q), x(to), 0.0, D_HAT, np.full(len(q), 1e-12))
    assert len(rows) == 0


def test_points_of_expansion_follow_the_gap_until_they_are_near():
    assert follow(0.5, 0.55, 1.0) == 0.5  # near enough
    assert follow(0.5, 0.7, 1.0) == 0.7
    assert follow(0.5, 1.2, 1.0) == 1.0
    assert follow(0.5, -3.0, 1.0) == pytest.approx(0.15)  # no smaller at once
    assert follow(0.995, 1.0, 1.0) == 0.995  # hardly any force is left
    assert follow(1.0, 0.6, 1.0) == 0.6  # let go before, and met again
    at = 0.4
    for _ in range(30):
        at = follow(at, 0.02, 1.0)
    assert at == pytest.approx(0.02)


def test_expanded_where_it_is_a_barrier_has_its_own_derivatives():
    _, slope, curvature = barrier(0.004, D_HAT, 0.001)
    assert expanded(0.004, 0.004, D_HAT, 0.001) == pytest.approx((slope, slope, curvature))
    assert expanded(D_HAT, 0.004, D_HAT, 0.001) == (0.0, 0.0, 0.0)


def almost_parallel_edges(gap):
    """Two long boxes, edge over edge at an angle of 0.02: one pair of edges, whose barrier has the mollifier 0.64."""
    lower, upper = pose(0, 0, 2.0, angles=(np.pi / 4, 0, 0)), pose(0, 0, 2.0 + 0.2 * np.sqrt(2) + gap)
    turned = trimesh.transformations.euler_matrix(np.pi / 4, 0, 0.02)
    upper[3:] = turned[:3, :3].ravel()
    return np.stack([lower, upper])


def test_almost_parallel_edges_are_foreseen_to_close_and_not_to_open():
    """The part m of their barrier; what opens would take more from the projected Hessian than it has of it."""
    now, then = 0.006, 0.004
    q, closed, opened = almost_parallel_edges(now), almost_parallel_edges(then), almost_parallel_edges(now + 0.02)
    world, everything = begin(q, mesh=box_mesh(2.0, 0.2, 0.2))
    _, slope, curvature = barrier(then, D_HAT, 0.0)
    _, before, stiffness = barrier(now, D_HAT, 0.0)
    s = np.sin(0.02) ** 2 / 1e-3
    m = s * (2.0 - s)
    g, dH = follow_step(world.foresee(everything), closed - q)
    assert g[1, 2] == pytest.approx(m * KAPPA * (slope + curvature * (now - then) - before), rel=1e-6)
    assert dH[14, 14] == pytest.approx(m * KAPPA * (curvature - stiffness), rel=1e-6)
    g, dH = follow_step(world.foresee(everything), opened - q)
    assert not g.any()
    assert not dH.any()
