"""How far bodies may go: each island by itself, and nothing is passed that was not near at the start."""

import numpy as np
import pytest
import trimesh

from ipc_articulation.engine.potential import Potential
from ipc_articulation.engine.state import EngineState
from tests.contact.worlds import DT, LAGGED, as_surface, make_world, pose


def potential_of(n, q, fixed=(), mesh=None, cfl=False):
    world, is_fixed = make_world(n, fixed=fixed, mesh=mesh), np.isin(np.arange(n), fixed)
    potential = Potential([], world.surfaces, world, [f"box {b}" for b in range(n)], is_fixed, cfl=cfl)
    world.begin_step(q, DT, LAGGED)
    potential.begin_step(EngineState.without_past(q, np.zeros_like(q), np.zeros(0)), DT)
    return potential


def step_fractions(potential, q, dq, moving):
    potential.place(q, moving)
    return potential.step_fractions(q, dq)


def moved(n, body, *by):
    dq = np.zeros((n, 12))
    dq[body, :3] = by
    return dq


def test_who_meets_is_one_island_with_one_share():
    """Bodies 0 and 1 meet after 0.3 m; 2 and 3 after 0.8 m; 4 meets nobody."""
    q = np.stack([pose(0, 0, 1), pose(0.5, 0, 1), pose(0, 2, 1), pose(1, 2, 1), pose(0, 4, 1)])
    potential = potential_of(5, q)
    assert potential.labels.tolist() == [0, 1, 2, 3, 4]
    dq = moved(5, 0, 2, 0, 0) + moved(5, 3, -2, 0, 0) + moved(5, 4, 2, 0, 0)
    share, labels = step_fractions(potential, q, dq, potential.movable)
    assert labels.tolist() == [0, 0, 2, 2, 4]
    np.testing.assert_array_equal(share, share[labels])
    assert 0.29 < 2 * share[0] < 0.3
    assert 0.79 < 2 * share[2] < 0.8
    assert share[4] == 1.0


def test_a_fixed_body_stops_and_couples_nothing():
    q = np.stack([pose(0, 0, 1), pose(0.5, 0, 1), pose(1, 0, 1)])
    potential = potential_of(3, q, fixed=[1])
    share, labels = step_fractions(potential, q, moved(3, 0, 0.35, 0, 0) + moved(3, 2, -0.4, 0, 0), potential.movable)
    assert labels.tolist() == [0, 1, 2]
    assert 0.29 < 0.35 * share[0] < 0.3
    assert 0.29 < 0.4 * share[2] < 0.3


def test_a_body_that_is_not_moving_stops_others_and_is_named_by_their_island():
    q = np.stack([pose(0, 0, 1), pose(0.5, 0, 1)])
    potential = potential_of(2, q)
    for mover in range(2):
        dq = moved(2, mover, 1.0 - 2.0 * mover, 0, 0)
        share, labels = step_fractions(potential, q, dq, np.arange(2) == mover)
        assert labels.tolist() == [0, 0]
        assert 0.29 < share[mover] < 0.3


@pytest.mark.parametrize("seed", range(10))
def test_nothing_is_passed_however_far_bodies_fly(seed):
    """Ten boxes through each other and the walls; along the way no gap becomes zero, and no two intersect."""
    rng, n = np.random.default_rng(seed), 10
    q = np.stack([pose(*(0.5 * np.array([k % 3, k // 3, 1 + k % 2])), angles=rng.uniform(-3, 3, 3)) for k in range(n)])
    potential = potential_of(n, q)
    dq = 10.0 ** rng.uniform(0, 1) * rng.normal(size=(n, 1)) * np.eye(12)[rng.integers(3, size=n)]
    dq += 0.3 * rng.normal(size=dq.shape) * (np.arange(12) > 2)
    share, _ = step_fractions(potential, q, dq, potential.movable)
    assert share.min() < 1.0
    world = make_world(n)
    for t in np.linspace(0.0, 1.0, 20):
        at = q + t * share[:, None] * dq
        assert world.find_overlap(at) is None
        assert world.minimum_distance(at) > 0.0


def test_friction_couples_bodies_that_have_parted_since_the_beginning_of_the_step():
    """Its normal force is that of the beginning: the Hessian has a block of both, so they are one island."""
    q = np.stack([pose(0, 0, 1), pose(0.05, 0.03, 1.204)])
    potential, away = potential_of(2, q), moved(2, 1, 0.5, 0, 0)
    for step in range(2):
        _, labels = step_fractions(potential, q + step * away, away, potential.movable)
    potential.place(q + away, potential.movable)
    blocks = potential._contact.derivatives().pair_blocks
    assert any(np.abs(H[:, :12, 12:]).max() > 1.0 for _, H in blocks)
    assert labels.tolist() == [0, 0]


@pytest.mark.parametrize("seed", range(5))
def test_islands_may_take_less_of_their_shares_each_as_it_likes(seed):
    """Whatever island holds back, it is not run into: nobody intersects at any shares of the shares."""
    rng, n = np.random.default_rng(seed), 10
    q = np.stack([pose(*(0.5 * np.array([k % 3, k // 3, 1 + k % 2])), angles=rng.uniform(-3, 3, 3)) for k in range(n)])
    potential = potential_of(n, q)
    dq = np.eye(12)[0] * rng.uniform(0.5, 1.5, (n, 1)) + 0.1 * rng.normal(size=(n, 12)) * (np.arange(12) < 3)
    share, labels = step_fractions(potential, q, dq, potential.movable)
    assert len(set(labels)) > 1
    world = make_world(n)
    for _ in range(20):
        less = rng.random(n)[labels]
        assert world.find_overlap(q + (less * share)[:, None] * dq) is None


def test_labels_do_not_depend_on_ways_looked_at_before():
    """Candidates of a long way are kept; they must not couple what a short way does not."""
    q = np.stack([pose(0, 0, 1), pose(0.5, 0, 1)])
    potential, short = potential_of(2, q), moved(2, 0, 0.01, 0, 0)
    step_fractions(potential, q, 50 * short, potential.movable)
    _, labels = step_fractions(potential, q, short, potential.movable)
    assert labels.tolist() == [0, 1]


def test_candidates_without_primitives_couple_nothing():
    """Boxes around two balls are 15 mm apart, within reach and skin; no primitives of theirs are near each other."""
    ball = as_surface(trimesh.creation.icosphere(subdivisions=2, radius=0.1))
    q = np.stack([pose(0, 0, 1), pose(0.215, 0.215, 1)])
    potential = potential_of(2, q, mesh=ball)
    _, labels = step_fractions(potential, q, moved(2, 0, -1e-3, 0, 0), potential.movable)
    assert labels.tolist() == [0, 1]


def test_cfl_does_not_change_a_way_that_was_found_free():
    """Box 0 flies to the wall, box 1 leaves its way just in time; elsewhere 2 slides on 3, which cuts all steps."""
    q = np.stack([pose(4.6, 0, 3), pose(4.82, 0.15, 3), pose(0, 0, 1.204), pose(0, 0, 1)])
    dq = moved(4, 0, 100, 0, 0) + moved(4, 1, 0, 1, 0) + moved(4, 2, 1, 0, 0)
    for cfl in (False, True):
        potential = potential_of(4, q, fixed=[3], cfl=cfl)
        share, labels = step_fractions(potential, q, dq, potential.movable)
        assert labels[0] == labels[1]
        assert share[2] <= (0.005 if cfl else 1.0)
        world = make_world(4, fixed=[3])
        for t in np.linspace(0.0, 1.0, 50):
            assert world.find_overlap(q + t * share[:, None] * dq) is None
