"""The sketch of the core beside the engine (see docs/core.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import uipc

from benchmarks import box_scenes
from benchmarks.stark.cases import converging
from benchmarks.stark.soft_cases import block_case, cloth_case
from ipc_articulation import Engine
from prototypes.core import layout, newton
from prototypes.core.__main__ import compare_robots

pytestmark = pytest.mark.slow

DT = 0.01  # [s]


def columns() -> uipc.Scene:
    return box_scenes.make_scene(box_scenes.box(), box_scenes.pile(4))


def tumbled() -> uipc.Scene:
    return box_scenes.make_scene(box_scenes.box(), box_scenes.tumbled(10))


def cloth() -> uipc.Scene:
    return cloth_case(8, 30).make()


def block() -> uipc.Scene:
    return block_case(3, 30).make()


def started(scene: uipc.Scene, folder: Path) -> tuple[Any, Any]:
    engine = Engine("cpu", str(folder))
    world = uipc.World(engine)
    world.init(converging(scene))
    return engine, world


@pytest.mark.parametrize("make", [columns, tumbled, cloth, block])
def test_steps_end_where_those_of_the_engine_end(make: Any, tmp_path: Path) -> None:
    engine, world = started(make(), tmp_path)
    *given, x, v = layout.read(engine.cpu, DT)
    held, touched = newton.hold(*given, x), False
    for _ in range(12):
        world.advance()
        x, v, iterations = newton.advance(held, x, v)
        touched |= iterations > 2
        assert iterations > 0
        np.testing.assert_allclose(x, layout.read(engine.cpu, DT)[3], rtol=0.0, atol=2e-7)
    assert touched


@pytest.mark.parametrize("name", ["pendulum", "panda_push"])
def test_robots_move_as_with_the_engine(name: str) -> None:
    found = compare_robots(name, 60)
    assert found.apart < 1e-9
    assert found.failed == 0
    assert found.iterations == pytest.approx(found.iterations_of_engine, abs=0.5)
