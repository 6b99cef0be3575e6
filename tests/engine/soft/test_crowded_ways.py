"""Steps of soft bodies so long that they would pass through others, or themselves, with all their parts."""

import numpy as np
import pytest

from ipc_articulation.contact import search
from ipc_articulation.contact.readouts import placed
from ipc_articulation.engine.newton.newton_report import NewtonResult
from tests.engine.parts import core_of
from tests.engine.soft.random_soft_scenes import intersects
from tests.engine.soft.soft_scenes import SoftScene, block, cloth, vertices
from tests.engine.test_crowded_ways import SHELL


def test_a_cloth_whose_parts_fly_through_each_other_is_on_a_crowded_way(tmp_path):
    scene = SoftScene(tmp_path)
    scene.add_soft(cloth(cells=24))
    scene.start()
    core = core_of(scene)
    x, arrays = core.nodes(scene.engine.cpu.state.q), core.distances.scene

    def crowded(way):
        ends = placed(arrays, x), placed(arrays, x + way)
        return search.crowded(arrays, (x, x + way), ends, np.zeros((1, 2), dtype=np.int64)).any()

    noise = np.random.default_rng(0).uniform(-1.0, 1.0, x.shape)
    assert crowded(5.0 * noise)
    assert not crowded(0.01 * noise), "of an edge of 25 mm"
    assert not crowded(np.array([50.0, 60.0, 62.0])), "all together"


@pytest.mark.slow
def test_a_soft_block_that_would_fly_through_its_shell_takes_it_along(tmp_path):
    """By 20 m; of both, all parts would meet."""
    scene = SoftScene(tmp_path, gravity=(0, 0, 0), dt=2.0, friction=0.0, newton__semi_implicit__enable=0)
    mesh = block(cells=6, size=0.1)
    scene.add_soft(vertices(mesh, velocity=np.tile([5.0, 6.0, 6.2], (mesh.vertices().size(), 1))))
    scene.add_mesh(SHELL, np.eye(4))
    scene.start().run()
    assert scene.report.newton.result is NewtonResult.CONVERGED
    shell = SHELL.vertices @ scene.q[0, 3:].reshape(3, 3).T + scene.q[0, :3]
    assert np.linalg.norm(scene.x() - shell.mean(axis=0), axis=1).max() < 0.15, "it is still inside"
    assert not intersects(scene)
