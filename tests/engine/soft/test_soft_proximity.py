"""Candidates of soft meshes: none is missing on motions for which a search is reused."""

import numpy as np
import pytest

from ipc_articulation import tetrads
from ipc_articulation.contact.positions import positions
from tests.engine.soft.soft_scenes import SoftScene, cloth


@pytest.fixture
def folding(tmp_path):
    """The contact of a cloth, and coordinates on a way on which it folds to bring its halves together."""
    scene = SoftScene(tmp_path)
    scene.add_soft(cloth())
    scene.start()
    contact = scene.engine.cpu.workspace.contact
    q = scene.engine.cpu.state.q
    x = tetrads.vertices(q)

    def folded(angle):
        to = x.copy()
        to[..., 0] = np.where(x[..., 0] < 0.0, x[..., 0] * np.cos(angle), x[..., 0])
        to[..., 2] = np.where(x[..., 0] < 0.0, -x[..., 0] * np.sin(angle), x[..., 2]) + 1e-3 * x[..., 1]
        return tetrads.coordinates(to)

    return contact.body_contacts[0], contact.surfaces, folded(2.5), folded(3.12)


def cover(found, surfaces, q, ahead):
    return found.cover(positions(surfaces, q), positions(surfaces, ahead), np.zeros((1, 2), dtype=np.int64))


def touching(contact, surfaces, q, ahead):
    """The vertices of the stencils that come within d̂ on the way."""
    hits, every = set(), np.ones(len(q), dtype=bool)
    for share in np.linspace(0.0, 1.0, 41):
        stencils = contact.touching(surfaces.positions(q + share * (ahead - q)), every)
        hits.update(map(tuple, stencils.vertices.tolist()))
    return hits


def test_a_search_of_a_long_way_serves_others_beside_it(folding):
    contact, surfaces, q, end = folding
    found = contact.proximity
    rng = np.random.default_rng(0)

    def beside(share):
        return q + share * (end - q) + tetrads.coordinates(1e-3 * rng.uniform(-1.0, 1.0, (len(q), 4, 3)))

    assert cover(found, surfaces, q, end)
    for way in ((q, beside(1.0)), (beside(0.3), beside(1.0)), (beside(1.0), beside(0.2))):
        assert not cover(found, surfaces, *way)
        reused = touching(contact, surfaces, *way)
        found._known = {}
        assert cover(found, surfaces, *way)
        assert touching(contact, surfaces, *way) == reused != set()
        found._known = {}
        assert cover(found, surfaces, q, end)
    assert cover(found, surfaces, q, end + 0.2 * (end - q))  # beyond its end
