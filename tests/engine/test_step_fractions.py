"""How far bodies may go: each island by itself, and nothing is passed that was not near at the start."""

import numpy as np
import pytest
import trimesh

from ipc_articulation import affine
from tests.engine.nodes import dense
from tests.engine.parts import begin_at, contact_matrix, core_of, overlaps, way
from tests.engine.scenes import BoxScene

BOX = trimesh.creation.box((0.2, 0.2, 0.2))


def pose(*position, angles=(0.0, 0.0, 0.0)):
    T = trimesh.transformations.euler_matrix(*angles)
    T[:3, 3] = position
    return affine.q_from_transform(T)


def begun(workspace, q, fixed=(), mesh=BOX, **config):
    """The core of boxes (0.2 m) at q (n, 12) above the ground z = 0 and before a wall x = 5; a step has begun there."""
    scene = BoxScene(workspace, sanity_check__enable=False, contact__d_hat=0.01, **config)
    for b, one in enumerate(q):
        scene.add_mesh(mesh, affine.transform_from_q(one), is_fixed=int(b in fixed))
    scene.add_ground()
    scene.add_ground(-5.0, (-1.0, 0.0, 0.0))
    core = core_of(scene.start())
    begin_at(core, q)
    return core


def moved(n, body, *by):
    dq = np.zeros((n, 12))
    dq[body, :3] = by
    return dq


def test_who_meets_is_one_island_with_one_share(tmp_path):
    """Bodies 0 and 1 meet after 0.3 m; 2 and 3 after 0.8 m; 4 meets nobody."""
    q = np.stack([pose(0, 0, 1), pose(0.5, 0, 1), pose(0, 2, 1), pose(1, 2, 1), pose(0, 4, 1)])
    dq = moved(5, 0, 2, 0, 0) + moved(5, 3, -2, 0, 0) + moved(5, 4, 2, 0, 0)
    share, labels = way(begun(tmp_path, q), q, dq)
    assert labels.tolist() == [0, 0, 2, 2, 4]
    np.testing.assert_array_equal(share, share[labels])
    assert 0.29 < 2 * share[0] < 0.3
    assert 0.79 < 2 * share[2] < 0.8
    assert share[4] == 1.0


def test_a_fixed_body_stops_and_couples_nothing(tmp_path):
    q = np.stack([pose(0, 0, 1), pose(0.5, 0, 1), pose(1, 0, 1)])
    share, labels = way(begun(tmp_path, q, fixed=[1]), q, moved(3, 0, 0.35, 0, 0) + moved(3, 2, -0.4, 0, 0))
    assert labels.tolist() == [0, 1, 2]
    assert 0.29 < 0.35 * share[0] < 0.3
    assert 0.29 < 0.4 * share[2] < 0.3


def test_a_body_that_is_not_moving_stops_others_and_is_named_by_their_island(tmp_path):
    q = np.stack([pose(0, 0, 1), pose(0.5, 0, 1)])
    core = begun(tmp_path, q)
    for mover in range(2):
        share, labels = way(core, q, moved(2, mover, 1.0 - 2.0 * mover, 0, 0), np.arange(2) == mover)
        assert labels.tolist() == [0, 0]
        assert 0.29 < share[mover] < 0.3


def apart(rng, n):
    """Boxes turned anyhow, 0.5 m from each other, (n, 12)."""
    return np.stack(
        [pose(*(0.5 * np.array([k % 3, k // 3, 1 + k % 2])), angles=rng.uniform(-3, 3, 3)) for k in range(n)]
    )


@pytest.mark.parametrize("seed", range(10))
def test_nothing_is_passed_however_far_bodies_fly(tmp_path, seed):
    """Ten boxes through each other and the walls; along the way no gap becomes zero, and no two intersect."""
    rng, n = np.random.default_rng(seed), 10
    q = apart(rng, n)
    core = begun(tmp_path, q)
    dq = 10.0 ** rng.uniform(0, 1) * rng.normal(size=(n, 1)) * np.eye(12)[rng.integers(3, size=n)]
    dq += 0.3 * rng.normal(size=dq.shape) * (np.arange(12) > 2)
    share, _ = way(core, q, dq)
    assert share.min() < 1.0
    for t in np.linspace(0.0, 1.0, 20):
        at = q + t * share[:, None] * dq
        assert not overlaps(core, at)
        assert core.distances.closest(at)[0] > 0.0


def test_friction_couples_bodies_that_have_parted_since_the_beginning_of_the_step(tmp_path):
    """Its normal force is that of the beginning: the Hessian has a block of both, so they are one island."""
    q = np.stack([pose(0, 0, 1), pose(0.05, 0.03, 1.204)])
    core, away = begun(tmp_path, q), moved(2, 1, 0.5, 0, 0)
    for step in range(2):
        _, labels = way(core, q + step * away, away)
    H = dense(contact_matrix(core))
    assert np.abs(H[:12, 12:]).max() > 1e-5  # a force of 0.1 N at a slip of 1 m, times dt²
    assert labels.tolist() == [0, 0]


@pytest.mark.parametrize("seed", range(5))
def test_islands_may_take_less_of_their_shares_each_as_it_likes(tmp_path, seed):
    """Whatever island holds back, it is not run into: nobody intersects at any shares of the shares."""
    rng, n = np.random.default_rng(seed), 10
    q = apart(rng, n)
    core = begun(tmp_path, q)
    dq = np.eye(12)[0] * rng.uniform(0.5, 1.5, (n, 1)) + 0.1 * rng.normal(size=(n, 12)) * (np.arange(12) < 3)
    share, labels = way(core, q, dq)
    assert len(set(labels)) > 1
    for _ in range(20):
        less = rng.random(n)[labels]
        assert not overlaps(core, q + (less * share)[:, None] * dq)


def test_labels_do_not_depend_on_ways_looked_at_before(tmp_path):
    """Candidates of a long way are kept; they must not couple what a short way does not."""
    q = np.stack([pose(0, 0, 1), pose(0.5, 0, 1)])
    core, short = begun(tmp_path, q), moved(2, 0, 0.01, 0, 0)
    way(core, q, 50 * short)
    _, labels = way(core, q, short)
    assert labels.tolist() == [0, 1]


def test_bodies_whose_hulls_are_apart_are_not_coupled(tmp_path):
    """Boxes around two balls are 15 mm apart; no primitives of theirs are near each other."""
    q = np.stack([pose(0, 0, 1), pose(0.215, 0.215, 1)])
    core = begun(tmp_path, q, mesh=trimesh.creation.icosphere(subdivisions=2, radius=0.1))
    _, labels = way(core, q, moved(2, 0, -1e-3, 0, 0))
    assert labels.tolist() == [0, 1]


def test_cfl_does_not_change_a_way_that_was_found_free(tmp_path):
    """Box 0 flies to the wall, box 1 leaves its way just in time; elsewhere 2 slides on 3, which cuts all steps."""
    q = np.stack([pose(4.6, 0, 3), pose(4.82, 0.15, 3), pose(0, 0, 1.204), pose(0, 0, 1)])
    dq = moved(4, 0, 100, 0, 0) + moved(4, 1, 0, 1, 0) + moved(4, 2, 1, 0, 0)
    for cfl in (False, True):
        core = begun(tmp_path, q, fixed=[3], cfl__enable=int(cfl))
        share, labels = way(core, q, dq)
        assert labels[0] == labels[1]
        assert share[2] <= (0.005 if cfl else 1.0)
        for t in np.linspace(0.0, 1.0, 50):
            assert not overlaps(core, q + t * share[:, None] * dq)
