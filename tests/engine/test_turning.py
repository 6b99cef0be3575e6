"""Steps on circles: only islands that meet no other one on them take them, whichever of both has the smaller label."""

import numpy as np
import pytest

from ipc_articulation.compiled import compiled
from ipc_articulation.engine.newton import stages, touching
from tests.engine.parts import begin_at, core_of, look_around
from tests.engine.scenes import BoxScene, translation


@compiled
def look_ahead(work, dx):
    """Look at a step (N, 3) of all, of which the energy of nobody is found to be low."""
    B = len(work.moving)
    stages.aim(work, ~work.scene.points.is_fixed, dx)
    work.labels, work.done, work.E_ahead, work.highest = (
        work.start,
        np.zeros(B, dtype=np.bool_),
        np.ones(B),
        np.zeros(B),
    )


@compiled
def turned(work):
    return work.at


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize(("way", "is_free"), [(0.3, True), (0.7995, False), (1.2, False)])
def test_a_body_that_another_comes_near_does_not_turn(tmp_path, order, way, is_free):
    """Boxes of 0.2 m, 1 m apart: one turns, the other comes straight: near it, or through it."""
    scene = BoxScene(tmp_path, gravity=(0, 0, 0), contact__d_hat=1e-3)
    for x in order:
        scene.add_box(translation(float(x), 0, 0))
    core, q = core_of(scene.start()), scene.engine.cpu.state.q
    begin_at(core, q)
    look_around(core)
    turning, coming = order.index(0), order.index(1)
    step = np.zeros((2, 12))
    step[turning, [4, 6]] = -1e-4, 1e-4
    step[coming, 0] = -way
    look_ahead(core.work, core.nodes(q + step) - core.nodes(q))
    straight, circles, which = touching.bend(core.work, *core.tree)
    assert which.all()
    one = np.arange(2) == turning
    np.testing.assert_array_equal(touching.turn(core.work, straight, circles, one), one & is_free)
    of_turning, of_coming = (slice(4 * b, 4 * b + 4) for b in (turning, coming))
    at = turned(core.work)
    np.testing.assert_array_equal(at[of_coming], straight[of_coming])
    assert np.any(at[of_turning] != straight[of_turning])
    np.testing.assert_allclose(at[of_turning], straight[of_turning], rtol=0.0, atol=1e-8)
