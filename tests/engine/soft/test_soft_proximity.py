"""Candidates of soft meshes: none is missing on motions for which a search is reused."""

import numpy as np

from ipc_articulation import tetrads
from ipc_articulation.compiled import compiled
from ipc_articulation.contact import barriers, search
from ipc_articulation.contact.readouts import placed
from tests.engine.parts import core_of
from tests.engine.soft.soft_scenes import SoftScene, cloth

ITSELF = np.zeros((1, 2), dtype=np.int64)


class Folding:
    """A cloth, and nodes on a way on which it folds to bring its halves together."""

    def __init__(self, workspace):
        scene = SoftScene(workspace)
        scene.add_soft(cloth())
        self.core = core_of(scene.start())
        self.scene, q = self.core.distances.scene, scene.engine.cpu.state.q
        x = tetrads.vertices(q)

        def folded(angle):
            to = x.copy()
            to[..., 0] = np.where(x[..., 0] < 0.0, x[..., 0] * np.cos(angle), x[..., 0])
            to[..., 2] = np.where(x[..., 0] < 0.0, -x[..., 0] * np.sin(angle), x[..., 2]) + 1e-3 * x[..., 1]
            return self.core.nodes(tetrads.coordinates(to))

        self.begin, self.end = folded(2.5), folded(3.12)
        self.forget()

    def forget(self):
        self.known = search.nothing()

    def covers(self, x, ahead):
        """Whether what is known has to be searched anew for a way between nodes (N, 3)."""
        ends = placed(self.scene, x), placed(self.scene, ahead)
        self.known, _, is_new = search.cover(self.scene, self.known, (x, ahead), ends, ITSELF)
        return not is_new

    def touching(self, x, ahead):
        """The vertices of the stencils that come within d̂ on the way."""
        hits = set()
        for share in np.linspace(0.0, 1.0, 41):
            y = placed(self.scene, x + share * (ahead - x))
            hits.update(map(tuple, near(self.core.distances.table, self.known, y).tolist()))
        return hits


@compiled
def near(table, known, y):
    return known.stencils.vertices[barriers.near(table, known.stencils, y, np.ones(1, dtype=np.bool_)).of]


def test_a_search_of_a_long_way_serves_others_beside_it(tmp_path):
    folding = Folding(tmp_path)
    begin, end, rng = folding.begin, folding.end, np.random.default_rng(0)

    def beside(share):
        return begin + share * (end - begin) + 1e-3 * rng.uniform(-1.0, 1.0, begin.shape)

    assert not folding.covers(begin, end)
    for way in ((begin, beside(1.0)), (beside(0.3), beside(1.0)), (beside(1.0), beside(0.2))):
        assert folding.covers(*way)
        reused = folding.touching(*way)
        folding.forget()
        assert not folding.covers(*way)
        assert folding.touching(*way) == reused != set()
        folding.forget()
        assert not folding.covers(begin, end)
    assert not folding.covers(begin, end + 0.2 * (end - begin))  # beyond its end
