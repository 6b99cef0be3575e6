"""Contact energy of a handful of boxes and two half-planes: derivatives, step limits, distances."""

import ipctk
import numpy as np
import pytest
import trimesh

from ipc_articulation.contact import material_contact, pair_barrier
from ipc_articulation.contact.barrier import barrier
from tests.contact.worlds import (
    D_HAT,
    DT,
    EPS_V,
    LAGGED,
    body_energies,
    derivatives,
    ipctk_collisions,
    make_world,
    pose,
    settle_duals,
    stack,
    step_limit,
)


@pytest.fixture
def world_and_q():
    world, q = make_world(3), stack()
    world.begin_step(q, DT, LAGGED)
    rng = np.random.default_rng(1)
    dq = 1e-4 * rng.standard_normal(q.shape)
    assert step_limit(world, q, dq) == 1.0
    return world, q + dq


def test_gradient_equals_finite_differences(world_and_q):
    world, q = world_and_q
    gradient = derivatives(world, q).gradient
    scale = np.abs(gradient).max()
    assert scale > 0.0
    rng = np.random.default_rng(2)
    for _ in range(20):
        direction, h = rng.standard_normal(q.shape), 1e-8
        there, back = (body_energies(world, q + sign * h * direction).sum() for sign in (1, -1))
        assert (there - back) / (2 * h) == pytest.approx(np.sum(gradient * direction), rel=1e-5, abs=1e-6 * scale)


def test_half_plane_hessian_equals_differences_of_gradient():
    world, q = make_world(1), np.stack([pose(0, 0, 0.104)])
    world.begin_step(q, DT, LAGGED)
    q = q + 1e-5 * np.random.default_rng(3).standard_normal(q.shape)
    settle_duals(world, q)
    H, h = derivatives(world, q).blocks[0], 1e-8
    for i in range(12):
        e = np.zeros_like(q)
        e[0, i] = h
        column = (derivatives(world, q + e).gradient - derivatives(world, q - e).gradient)[0] / (2 * h)
        np.testing.assert_allclose(H[i], column, rtol=1e-4, atol=1e-6 * np.abs(H).max())
    assert np.linalg.eigvalsh(H)[0] > -1e-9 * np.abs(H).max()


def test_barrier_is_ipctk_s():
    for d in (1e-6, 1e-3, 0.5 * D_HAT, 0.999 * D_HAT, D_HAT, 2 * D_HAT):
        B, slope, curvature = barrier(d, D_HAT, 0.0)
        D, D_hat = d * d, D_HAT**2
        B_D, B_DD = ipctk.barrier_first_derivative(D, D_hat), ipctk.barrier_second_derivative(D, D_hat)
        assert ipctk.barrier(D, D_hat) == pytest.approx(B, rel=1e-12)
        assert 2 * d * B_D == pytest.approx(slope, rel=1e-12)
        assert pytest.approx(curvature, rel=1e-10) == 4 * D * B_DD + 2 * B_D


@pytest.mark.parametrize("below", [0, 1], ids=["half-plane", "body"])
@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        (0.5, 0.45, 0.1),  # of gaps as large as their depth below d̂
        (0.01, 0.012, 0.2),  # of small gaps
        (0.99, 0.985, 0.5 / 1.5),  # of shallow depths, those after the step
        (0.985, 0.99, 0.5 / 1.5),  # or before it
        (1.01, 0.99, 2.0),  # also where the step leads into d̂
        (0.99, 1.01, 2.0),  # or out of it
        (1.0 - 1e-6, 1.0 - 2e-6, 1e-2),  # depths without a force count as 1e-4 d̂
        (1.3, 1.1, 0.0),
    ],
)
def test_gaps_change_relative_to_themselves_and_to_their_depth(below, before, after, change):
    world = make_world(2, fixed=(0,) if below else (1,))
    at, then = (
        np.stack([pose(0, 0, 0.1), pose(0, 0, 0.3 + gap * D_HAT)])
        if below
        else np.stack([pose(0, 0, 0.1 + gap * D_HAT), pose(0, 0, 0.5)])
        for gap in (before, after)
    )
    at[0, 2] += 0.05 * below  # a fixed body may be anywhere
    then[0, 2] += 0.05 * below
    at[1, 2] += 0.05
    then[1, 2] += 0.05
    world.begin_step(at, DT, LAGGED)
    world.place(at, np.array([not below, bool(below)]))
    ahead = world.ahead(then)
    world.cover(ahead, world.near(ahead))
    assert world.gap_changes(ahead)[below] == pytest.approx(change, rel=1e-6, abs=1e-12)


def test_step_limit_stops_before_a_body_and_before_a_plane():
    world = make_world(2)
    q = np.stack([pose(0, 0, 0.5), pose(0, 0, 1.0)])
    world.begin_step(q, DT, LAGGED)
    through = np.zeros_like(q)
    through[1, 2] = -2.0  # through the other box and the ground
    limit = step_limit(world, q, through)
    gap = 0.3
    assert 0.8 * gap < 2.0 * limit < gap
    through[1, 2], through[0, 2] = 0.0, -1.0
    assert 0.8 * 0.4 < step_limit(world, q, through) < 0.4


def test_minimum_distance_is_exact_and_infinite_far_away():
    world = make_world(2)
    q = np.stack([pose(0, 0, 0.5), pose(0, 0, 0.5 + 0.2 + 0.03)])
    assert world.minimum_distance(q) == pytest.approx(0.03, rel=1e-12)
    q[1, 2] += 1.0
    assert world.minimum_distance(q) == np.inf
    q[0, 2] = 0.1 + 0.02
    assert world.minimum_distance(q) == pytest.approx(0.02, rel=1e-12)


def test_overlaps_are_found():
    world = make_world(3)
    q = np.stack([pose(0, 0, 0.5), pose(1.0, 0, 0.5), pose(1.1, 0.05, 0.55, angles=(0.1, 0.2, 0.3))])
    assert world.find_overlap(q)[:2] == (1, 2)
    q[2, 0] = 2.0
    assert world.find_overlap(q) is None
    q[0, 2] = 0.05
    assert world.find_overlap(q)[:3] == (0, None, "ground")


def test_fixed_bodies_do_not_touch_each_other():
    world = make_world(2, fixed=(0, 1))
    q = np.stack([pose(0, 0, 0.5), pose(0, 0, 0.55)])
    assert world.find_overlap(q) is None
    world.begin_step(q, DT, LAGGED)
    assert not body_energies(world, q).any()


def test_stencils_hold_every_pair_in_reach():
    """What ipctk finds within d̂ by its own broad phase must be among those of a way that begins or ends there."""
    rng, met = np.random.default_rng(4), 0
    for trial in range(20):
        n = 5
        world = make_world(n)
        positions = np.add(rng.uniform(-0.25, 0.25, (n, 3)), [0, 0, 1])
        q = np.stack([pose(*position, angles=rng.uniform(-3, 3, 3)) for position in positions])
        dq = 0.05 * rng.standard_normal(q.shape)
        start = q - (trial % 2) * dq
        world.begin_step(start, DT, LAGGED)
        ahead = world.ahead(start + dq)
        world.cover(ahead, world.near(ahead))
        x = world.surfaces.positions(q)
        mesh, theirs = ipctk_collisions(world.surfaces, x, D_HAT)
        expected = ipctk.BarrierPotential(D_HAT, 1.0)(theirs, mesh, x)
        E = np.zeros(n)
        stencils = world.body_contacts[0].proximity.stencils
        every, kappa = np.ones(n, dtype=bool), np.ones(len(stencils.bodies))
        pair_barrier.add_energy(*stencils.columns, every, x, kappa, D_HAT, 0.0, E)
        assert E.sum() == pytest.approx(expected, rel=1e-9)
        met += len(theirs) > 0
    assert met == 20


def test_bodies_that_do_not_touch_have_no_candidates():
    world = make_world(2, fixed=(0, 1))
    q = np.stack([pose(0, 0, 0.5), pose(0, 0, 0.701)])
    world.begin_step(q, DT, LAGGED)
    assert step_limit(world, q, np.zeros_like(q)) == 1.0
    assert world.minimum_distance(q) == np.inf


def test_candidates_outlive_small_motion_and_are_renewed_by_large():
    world, q = make_world(3), stack()
    world.begin_step(q, DT, LAGGED)
    proximity = world.body_contacts[0].proximity
    for _ in range(5):
        q = q + 1e-5
        step_limit(world, q, np.full_like(q, 1e-5))
    assert proximity.builds == 1
    step_limit(world, q, np.full_like(q, 0.1))
    assert proximity.builds == 2


def test_half_plane_friction_opposes_slip_with_full_force():
    world, q = make_world(1), np.stack([pose(0, 0, 0.104)])
    world.begin_step(q, DT, LAGGED)
    slid = q.copy()
    slid[0, 0] += 10 * EPS_V * DT
    gradient = derivatives(world, slid).gradient[0]
    assert gradient[0] == pytest.approx(-0.5 * gradient[2], rel=1e-9)
    assert gradient[0] > 0.0


def test_gaps_to_half_planes_do_not_get_lost_in_rounding():
    world, q = make_world(1), pose(0, 0, 0.1 + 1e-13)[None]
    down = np.zeros((1, 12))
    down[0, 2] = -1.0
    gap = world.minimum_distance(q)
    assert 0.0 < gap < 2e-13
    world.begin_step(q, DT, LAGGED)
    assert step_limit(world, q, down) == 0.0, "what is left is rounding"
    assert step_limit(world, q, -down) == 1.0
    q[0, 2] = 0.1 + 1e-6
    assert step_limit(world, q, down) == pytest.approx(0.9e-6, rel=1e-6)


def test_half_planes_know_each_body_by_itself():
    """Three boxes, two on the ground and one in it; what does not move neither counts nor changes."""
    world, q = make_world(3), np.stack([pose(0, 0, 0.104), pose(1, 0, 0.103), pose(2, 0, 0.05)])
    world.begin_step(q, DT, LAGGED)
    q = q + 1e-5 * np.random.default_rng(5).standard_normal(q.shape)
    E, (gradient, blocks, *_) = body_energies(world, q), derivatives(world, q)
    assert 0.0 < E[0] < E[1] < E[2] == np.inf
    world.place(q, np.ones(3, dtype=bool))
    assert world.count() == 4 + 4 + 4
    for b in range(2):
        moving = np.arange(3) == b
        np.testing.assert_array_equal(body_energies(world, q, moving), np.where(moving, E, 0.0))
        world.place(q, moving)
        alone = world.derivatives()
        assert alone.gradient[b].any()
        np.testing.assert_array_equal(alone.gradient, gradient * moving[:, None])
        np.testing.assert_array_equal(alone.blocks[b], blocks[b])


def test_half_planes_limit_each_island_by_itself():
    """Bodies 0 and 1 are an island, which body 1 stops; body 2 is another; body 3 would hit, but does not move."""
    world = make_world(4)
    q = np.stack([pose(k, 0, 0.1 + gap) for k, gap in enumerate((0.8, 0.2, 0.4, 0.1))])
    down = np.zeros_like(q)
    down[:, 2] = -1.0
    world.begin_step(q, DT, LAGGED)
    world.place(q, np.arange(4) < 3)
    ahead = world.ahead(q + down)
    world.cover(ahead, world.near(ahead))
    limits = world.step_fractions(ahead, world.covered(), np.array([0, 0, 2, 3]))
    np.testing.assert_allclose(limits, [0.9 * 0.2, 0.9 * 0.2, 0.9 * 0.4, 1.0], rtol=1e-9)


def test_coordinates_changed_in_place_are_seen():
    world, q = make_world(3), stack()
    world.begin_step(q, DT, LAGGED)
    before = derivatives(world, q).gradient
    q[:, 2] += 1e-3
    after, fresh = derivatives(world, q).gradient, derivatives(world, q.copy()).gradient
    assert not np.array_equal(before, after)
    np.testing.assert_array_equal(after, fresh)


def test_a_place_that_fails_leaves_the_last_one(world_and_q, monkeypatch):
    """As where Ctrl-C comes while the pairs within reach are looked for."""
    world, q = world_and_q
    before, energies = derivatives(world, q), body_energies(world, q)

    def interrupt(*args):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(material_contact, "_stencils_in_reach", interrupt)
        with pytest.raises(KeyboardInterrupt):
            world.place(q + 1e-5, np.ones(3, dtype=bool))
    again = world.derivatives()
    np.testing.assert_array_equal(again.gradient, before.gradient)
    for (bodies, H), (bodies_before, H_before) in zip(again.pair_blocks, before.pair_blocks, strict=True):
        np.testing.assert_array_equal(bodies, bodies_before)
        np.testing.assert_array_equal(H, H_before)
    np.testing.assert_array_equal(body_energies(world, q), energies)


@pytest.mark.parametrize("gap", [0.1, 0.9, 1.1, 1.9, 3.3, 7.0, 9.9, 10.1, 50.0])
@pytest.mark.parametrize("turned", [False, True])
def test_distances_are_found_up_to_ten_d_hat(gap, turned):
    """Of two boxes far above the ground, side by side or corner to side; their boxes may be nearer than they are."""
    half = 0.1 * np.sqrt(3.0) if turned else 0.1  # a corner points to the other box
    axis = np.array([1.0, 1.0, 1.0]) / np.sqrt(3.0)
    R = trimesh.geometry.align_vectors(axis, [-1.0, 0.0, 0.0])[:3, :3] if turned else np.eye(3)
    other = np.concatenate([[0.1 + gap * D_HAT + half, 0.01, 3.01], R.ravel()])
    found = make_world(2).minimum_distance(np.stack([pose(0, 0, 3), other]))
    assert found == (pytest.approx(gap * D_HAT, rel=1e-9) if gap < 10.0 else np.inf)
