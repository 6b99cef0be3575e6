"""How far bodies may go on their way, whatever was known before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.contact.cores import read

from ipc_articulation.arrays import Array
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.search import nothing
from ipc_articulation.contact.ways import positions
from ipc_articulation.engine.newton import stages, touching
from tests.engine.dumping_run import make as tumbling_hinge

pytestmark = pytest.mark.slow


def free(work: Any, x: Array, ahead: Array) -> Any:
    """The fractions (B,) of the way from nodes x to others, (N, 3), that bodies may go."""
    stages.stand(work, x)
    for _ in range(2):  # without anything near that is known, and with it
        _aim(work, ahead)
        touching.collide(work)
        touching.touch(work)
    return _free(work)


@compiled
def _aim(work, x):
    work.at, work.y_at = x, positions(work.scene.points, work.scene.rows, x, stages.needed(work))


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
        at, step = x + 1e-7 * rng.normal(size=x.shape), rng.normal(size=(len(x) // 4, 4, 3)) * of_nodes
        step = 10.0 ** rng.uniform(-5.0, -1.5) * step.reshape(x.shape)
        step *= free(lasting.work, at, at + step).min() * rng.choice([1.0, 1.001, 1.01, 1.1])
        _forget(anew.work)
        one, other = (free(core.work, at, at + step) for core in (lasting, anew))
        np.testing.assert_array_equal(one, other)
        cut += one.min() < 1.0
    assert 40 < cut < 360
