"""The core beside the engine (see docs/core.md)."""

from __future__ import annotations

from functools import partialmethod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import uipc

from benchmarks import box_scenes
from benchmarks.stark.cases import converging
from benchmarks.stark.soft_cases import block_case, cloth_case
from ipc_articulation import Engine
from prototypes.core.__main__ import compare
from prototypes.core.switch import switch
from tests.engine.dumping_run import make as tumbling_hinge
from tests.engine.scenes import BoxScene
from tests.contact.contact_scenes import of_many_models

pytestmark = pytest.mark.slow


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
    (one, world), (other, by_core) = (started(make(), tmp_path / name) for name in ("engine", "core"))
    core, touched = switch(other.cpu), False
    for _ in range(12):
        world.advance()
        by_core.advance()
        report = other.statistics.newton
        touched |= report.iterations > 2
        assert report.converged
        np.testing.assert_allclose(other.cpu.state.q, one.cpu.state.q, rtol=0.0, atol=2e-7)
    assert touched
    assert core is other.cpu.workspace.core  # it has stepped by it, and not by its own


@pytest.mark.parametrize("law", ["lagged", "anchored"])
def test_a_step_depends_on_the_state_alone(law: str, monkeypatch: Any, tmp_path: Path) -> None:
    """And not on what a core has kept of the steps before."""
    monkeypatch.setattr(BoxScene, "start", partialmethod(BoxScene.start, friction=law))
    one, other = (tumbling_hinge(tmp_path / name) for name in ("lasting", "anew"))
    switch(one.engine.cpu)
    for _ in range(30):
        switch(other.engine.cpu)
        one.world.advance()
        other.world.advance()
        lasting, anew = one.engine.cpu.state, other.engine.cpu.state
        for field, left, right in zip(lasting._fields, lasting, anew, strict=True):
            assert left.tobytes() == right.tobytes(), field
    assert (len(anew.anchored) > 0) == (law == "anchored")


def test_an_affine_body_that_touches_itself_has_friction_that_holds(monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.setattr(BoxScene, "start", partialmethod(BoxScene.start, friction="anchored"))
    one, other = (of_many_models(tmp_path / name) for name in ("engine", "core"))
    switch(other.engine.cpu)
    for _ in range(8):
        one.world.advance()
        other.world.advance()
    np.testing.assert_allclose(other.engine.cpu.state.q, one.engine.cpu.state.q, rtol=0.0, atol=1e-5)
    pairs, rows = other.engine.cpu.state.anchored, len(one.engine.cpu.state.q) + 1
    assert np.any(pairs // rows == pairs % rows)  # it remembers its own contacts


@pytest.mark.parametrize("name", ["pendulum", "panda_push"])
def test_robots_move_as_with_the_engine(name: str) -> None:
    found = compare(name, 60)
    assert found.apart < 1e-9
    assert found.failed == 0
    assert found.iterations == pytest.approx(found.iterations_of_engine, abs=0.5)
