"""How far bodies may go on their way, whatever was known before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ipc_articulation.arrays import Array
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.search import nothing
from ipc_articulation.engine.newton import stages, touching
from ipc_articulation.engine.newton.work import points_at
from tests.contact.cores import read
from tests.engine.dumping_run import make as tumbling_hinge
from tests.engine.scenes import BoxScene, translation

pytestmark = pytest.mark.slow


def go(work: Any, ahead: Array) -> Any:
    """The fractions (B,) of the way to nodes (N, 3) that bodies may go."""
    _aim(work, ahead)
    touching.collide(work)
    return _free(work)


def stand(work: Any, x: Array) -> None:
    """Stand with nodes at x (N, 3), and know what is near there."""
    stages.stand(work, x)
    go(work, x)
    touching.touch(work)


@compiled
def _aim(work, x):
    work.at, work.y_at = x, points_at(work, x)


@compiled
def _free(work):
    return work.free


@compiled
def _forget(work):
    work.candidates = nothing()


def test_fractions_of_ways_do_not_depend_on_searches_before(tmp_path: Path) -> None:
    """Ways end everywhere, and about where bodies may just go."""
    scene, rng, cut = tumbling_hinge(tmp_path).run(50).engine.cpu, np.random.default_rng(1), 0
    lasting, anew = read(scene), read(scene)
    x, of_nodes = lasting.nodes(scene.state.q), np.ones((4, 1))
    for _ in range(400):
        of_nodes[1:] = rng.choice([0.0, 1.0, 5.0])
        noise, step = rng.normal(size=x.shape), rng.normal(size=(len(x) // 4, 4, 3)) * of_nodes
        at, step = x + 1e-7 * noise, 10.0 ** rng.uniform(-5.0, -1.5) * step.reshape(x.shape)
        stand(lasting.work, at)
        step *= go(lasting.work, at + step).min() * rng.choice([1.0, 1.001, 1.01, 1.1])
        stand(lasting.work, x + 1e-3 * noise)
        for core in (lasting, anew):
            stand(core.work, at)
        _forget(anew.work)
        one, other = (go(core.work, at + step) for core in (lasting, anew))
        np.testing.assert_array_equal(one, other)
        cut += one.min() < 1.0
    assert 40 < cut < 360


def test_a_tenth_of_d_hat_is_enough_above_a_half_plane_whatever_was_known(tmp_path: Path) -> None:
    scene = BoxScene(tmp_path)  # d̂ = 10 mm
    scene.add_ground()
    scene.add_box(translation(0.0, 0.0, 0.1138))
    cpu, down, wider = scene.start().engine.cpu, np.zeros((4, 3)), np.zeros((4, 3))
    core, down[0, 2], wider[1, 0] = read(cpu), -1.0, 0.005
    x = core.nodes(cpu.state.q)
    stand(core.work, x + wider)
    go(core.work, x + wider + 0.0137 * down)  # with a bound of its gaps that is not sharp for other ways
    stand(core.work, x)
    assert go(core.work, x + 0.01255 * down) == [1.0]
    assert go(core.work, x + 0.0137 * down) == pytest.approx(0.0128 / 0.0137)
