"""What a search finds on a way, without the rest of collision detection."""

from __future__ import annotations

from types import SimpleNamespace

from ipc_articulation.compiled import compiled
from ipc_articulation.contact import search
from ipc_articulation.contact.readouts import placed

NAMES = "pair", "kind", "vertices", "mollified", "least"


class Search:
    """The candidates of a world.

    Attributes:
        known: `Candidates`.
        count: How many pairs were searched so far, and how many of these on their way.
    """

    def __init__(self, world):
        self.world, self.known, self.count = world, _nothing(), (0, 0)

    def of(self, x, ahead):
        """The stencils that may come within reach from nodes x to ahead, (N, 3), and `nearer` (P,) of known `pairs`."""
        self.known, pairs, nearer, count, stencils = _searched(self.world.scene, self.known, x, ahead)
        self.count = tuple(count.tolist())
        found = dict(zip(NAMES, stencils, strict=True))
        return SimpleNamespace(**found, pairs=pairs, nearer=nearer)


def stencils(world, x, ahead=None):
    """Those of a single search."""
    return Search(world).of(x, x if ahead is None else ahead)


@compiled
def _nothing():
    return search.nothing()


@compiled
def _searched(scene, known, x, ahead):
    y, y_ahead = placed(scene, x), placed(scene, ahead)
    near = search.near_pairs(scene.table, *search.boxes(scene.points, y, y_ahead), ~scene.points.is_fixed)
    known, nearer, _ = search.cover(scene, known, (x, ahead), (y, y_ahead), near)
    s, _ = search.looked_at(scene.table, known, nearer)
    return known, known.origins.pair, nearer, known.searches, (s.pair, s.kind, s.vertices, s.mollified, s.least)


@compiled
def _crowded(scene, x, ahead, near):
    return search.crowded(scene, (x, ahead), (placed(scene, x), placed(scene, ahead)), near)


def crowded(world, x, ahead, pairs):
    """Bodies (B,) that pass too much of each other."""
    return _crowded(world.scene, x, ahead, pairs).tolist()


@compiled
def _near_pairs(scene, low, high, moving):
    return search.near_pairs(scene.table, low, high, moving)


def near_pairs(scene, low, high, moving):
    """Pairs of bodies (B,), of which some move, whose boxes with corners (B, 3) are within reach."""
    return _near_pairs(scene, low, high, moving).tolist()
