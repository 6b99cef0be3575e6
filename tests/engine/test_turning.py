"""Steps on circles: only islands that meet no other one on them take them, whichever of both has the smaller label."""

import numpy as np
import pytest

from ipc_articulation.engine.newton.turning import free_turns
from tests.engine.scenes import BoxScene, translation


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize(("way", "is_free"), [(0.3, True), (0.7995, False), (1.2, False)])
def test_a_body_that_another_comes_near_does_not_turn(tmp_path, order, way, is_free):
    """Boxes of 0.2 m, 1 m apart: one turns, the other comes straight: near it, or through it."""
    scene = BoxScene(tmp_path, gravity=(0, 0, 0), contact__d_hat=1e-3)
    for x in order:
        scene.add_box(translation(float(x), 0, 0))
    scene.start().run(1)
    potential, q = scene.engine.cpu.workspace.potential, scene.engine.cpu.state.q
    turning, coming = order.index(0), order.index(1)
    step, ones = np.zeros((2, 12)), np.ones(2, dtype=bool)
    step[turning, [4, 6]] = -1e-4, 1e-4
    step[coming, 0] = -way
    turned, free = free_turns(potential, q, step, np.arange(2) == turning, np.arange(2), ones)
    assert free[turning] == is_free
    assert not free[coming]
    np.testing.assert_array_equal(turned[coming], step[coming])
    assert np.any(turned[turning] != step[turning])
