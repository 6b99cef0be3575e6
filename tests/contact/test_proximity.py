"""Stencils that are kept, pair of bodies by pair of bodies, against a search of everything at every place."""

import numpy as np
import pytest
import trimesh
from ipc_articulation.contact.allowed import Allowed
from ipc_articulation.contact.broad_phase import find_stencils, motion_boxes, near_moving
from ipc_articulation.contact.pair_barrier import in_reach
from ipc_articulation.contact.positions import positions
from ipc_articulation.contact.proximity import Proximity

from ipc_articulation.contact import proximity as module
from ipc_articulation.contact.surfaces import join_surfaces
from tests.contact.worlds import as_surface, pose

REACH = 0.005
BALL, ALLOWED = as_surface(trimesh.creation.icosphere(subdivisions=2, radius=0.2)), ~np.eye(4, dtype=bool)


class Scene:
    """Four balls, and what is kept of them."""

    def __init__(self):
        self.surfaces = join_surfaces([BALL] * 4)
        self.proximity = Proximity(self.surfaces, REACH)

    def cover(self, start, end):
        """Whether the way from start to end, (4, 12) each, needed a search."""
        at, ahead = positions(self.surfaces, start), positions(self.surfaces, end)
        nowhere, every = np.empty((4, 3)), np.ones(4, dtype=bool)
        boxes = motion_boxes(self.surfaces.first, every, at.x, ahead.x, nowhere, nowhere)
        return self.proximity.cover(at, ahead, near_moving(*boxes, Allowed.of(ALLOWED), every, REACH))

    def touching(self, found, q):
        """What is within reach at q of some stencils: their bodies, kinds and vertices, (k, 7)."""
        every, x = np.ones(4, dtype=bool), self.surfaces.positions(q)
        s = found.rows(in_reach(*found.columns[:4], every, x, REACH))
        return np.column_stack([s.bodies[s.pair], s.kind, s.vertices])


def places(seed, size):
    """Balls in a ring just apart, and 30 random moves of them all, some of which go far."""
    rng = np.random.default_rng(seed)
    q = np.stack([pose(0.28 * np.cos(a), 0.28 * np.sin(a), 0) for a in 0.5 * np.pi * np.arange(4)])
    for _ in range(30):
        ahead = q.copy()
        ahead[:, :3] += size * rng.choice([0.1, 1.0, 5.0]) * rng.standard_normal((4, 3))
        ahead[:, 3:] += 0.1 * size * rng.standard_normal((4, 9))
        yield q, ahead
        q = q + rng.choice([0.0, 0.5, 1.0]) * (ahead - q)


@pytest.mark.parametrize("size", [1e-4, 1e-3, 1e-2])
def test_nothing_within_reach_is_missing_on_any_way_and_the_order_is_that_of_a_search(size):
    scene, searches, met, other = Scene(), 0, 0, 0
    for q, ahead in places(1, size):
        searches += scene.cover(q, ahead)
        for t in (0.0, 0.3, 1.0):
            now = (1.0 - t) * q + t * ahead
            everything = find_stencils(scene.surfaces, Allowed.of(ALLOWED), now, now, REACH)
            expected = scene.touching(everything, now)
            np.testing.assert_array_equal(scene.touching(scene.proximity.stencils, now), expected)
            met += len(expected)
        other += len(scene.proximity.stencils)
    assert met > 10
    assert 0 < searches < 30, "some ways need a search, some none"
    assert other < 20 * max(met, 100), "and few other stencils are looked at"


def test_only_pairs_whose_own_bodies_have_moved_are_searched_again(monkeypatch):
    searched, search = [], module.search
    monkeypatch.setattr(module, "search", lambda *args: searched.append(args[1].tolist()) or search(*args))
    scene, (q, _) = Scene(), next(places(1, 0.0))
    scene.cover(q, q)
    assert searched == [[[0, 1], [0, 3], [1, 2], [2, 3]]]
    moved = q.copy()
    moved[2, 0] -= 0.15
    assert scene.cover(q, moved)
    assert searched[1:] == [[[1, 2], [2, 3]]]
    assert not scene.cover(moved, moved)


def test_what_is_no_longer_needed_makes_space():
    """However often bodies come and go."""
    scene, most = Scene(), 0
    for q, ahead in places(2, 0.05):
        scene.cover(q, ahead)
        kept = scene.proximity._candidates
        most = max(most, kept.size.sum())
        assert kept.used <= len(kept.kind) <= 2 * most + 256
    ends = np.sort(kept.first) + kept.size[np.argsort(kept.first)]
    assert (np.sort(kept.first)[1:] >= ends[:-1])[kept.size[np.argsort(kept.first)][1:] > 0].all(), "none overlap"
