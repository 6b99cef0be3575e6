"""The bounds of two bodies' approach, against the distances of their points themselves."""

import numpy as np
import pytest

from ipc_articulation.contact.pair_motion import NUMBERS, approach, refer
from tests.contact.worlds import pose

MIDDLE, HALF = np.array([0.2, -0.1, 0.3]), np.array([0.5, 0.2, 0.1])


def bounds(before, start, end):
    """σ and |e| of bodies 0 and 1, the box of body 1 being MIDDLE ± HALF."""
    earlier = np.empty(NUMBERS)
    refer(before, 0, 1, earlier)
    return approach(earlier, 0, 1, start, end, MIDDLE, HALF, np.empty((3, 3)), np.empty((3, 3)))


def at(q, body, points):
    """World positions (k, 3) of local points (k, 3)."""
    return q[body, :3] + points @ q[body, 3:].reshape(3, 3).T


def random_state(rng, spread):
    """Two bodies anywhere, turned anyhow and a little strained, (2, 12)."""
    q = np.stack([pose(*rng.uniform(-1, 1, 3), angles=rng.uniform(-3, 3, 3)) for _ in range(2)])
    return q + spread * rng.standard_normal(q.shape)


@pytest.mark.parametrize("size", [1e-3, 1e-2, 0.1])
def test_no_distance_becomes_smaller_than_the_bound(size):
    """At ten times of straight motions, for points on the box of body 1 and anywhere on body 0."""
    rng, least = np.random.default_rng(3), np.inf
    for _ in range(200):
        before = random_state(rng, 0.01)
        start = before + size * rng.standard_normal(before.shape)
        end = start + size * rng.standard_normal(before.shape)
        sigma, e = bounds(before, start, end)
        v, w = rng.uniform(-1, 1, (50, 3)), MIDDLE + HALF * rng.uniform(-1, 1, (50, 3))
        w[:25] = MIDDLE + HALF * rng.choice([-1, 1], (25, 3))
        d = np.linalg.norm(at(before, 0, v) - at(before, 1, w), axis=1)
        for t in np.linspace(0.0, 1.0, 10):
            q = (1.0 - t) * start + t * end
            now = np.linalg.norm(at(q, 0, v) - at(q, 1, w), axis=1)
            assert (now >= sigma * d - e - 1e-12).all()
            least = min(least, ((now - d) / e).min())
    assert least < -0.2, "the bound is not idle"


def test_rigid_motions_of_both_bodies_together_do_not_count():
    rng = np.random.default_rng(5)
    before, turn = random_state(rng, 0.0), pose(2.0, -1.0, 0.5, angles=(1.0, 2.0, 0.3))
    R = turn[3:].reshape(3, 3)
    after = before.copy()
    after[:, :3] = before[:, :3] @ R.T + turn[:3]
    after[:, 3:] = (R @ before[:, 3:].reshape(2, 3, 3)).reshape(2, 9)
    sigma, e = bounds(before, after, after)
    assert sigma == pytest.approx(1.0, abs=1e-7)
    assert e < 1e-12


def test_a_body_without_inverse_has_no_bound():
    before = np.zeros((2, 12))
    assert bounds(before, before, before)[0] == 0.0


def test_turning_on_a_straight_way_shrinks_what_is_between():
    """From one side to the other of a half turn, A vanishes in the middle."""
    before = np.stack([pose(0, 0, 0), pose(1, 0, 0)])
    after = np.stack([pose(0, 0, 0, angles=(0, 0, np.pi)), pose(-1, 0, 0, angles=(0, 0, np.pi))])
    assert bounds(before, before, after)[0] == 0.0
