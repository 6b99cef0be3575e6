"""How long engines live: as long as their worlds, and no longer."""

import gc
import sys
import weakref
from pathlib import Path

import pytest
import uipc

from ipc_articulation.engine import Engine
from ipc_articulation.errors import EngineError
from tests.engine.scenes import BoxScene, translation


def stepped(workspace):
    """A world that has taken a step, and weak references to its engine and the Python part of that."""
    scene = BoxScene(workspace)
    scene.add_ground()
    scene.add_box(translation(0, 0, 0.105))
    engine = Engine("cpu", scene.workspace)
    references = weakref.ref(engine), weakref.ref(engine.cpu)
    world = uipc.World(engine)
    del engine
    world.init(scene.scene)
    world.advance()
    world.retrieve()
    return world, references


def test_a_world_keeps_its_engine(tmp_path):
    world, references = stepped(tmp_path)
    gc.collect()
    assert all(reference() is not None for reference in references)
    world.advance()
    assert world.frame() == 2


def test_an_engine_dies_with_its_world(tmp_path):
    world, references = stepped(tmp_path)
    del world
    gc.collect()
    assert [reference() for reference in references] == [None, None]


def test_an_engine_that_somebody_holds_outlives_its_world(tmp_path):
    world, references = stepped(tmp_path)
    engine = references[0]()
    del world
    gc.collect()
    assert engine.statistics.frame == 1


def test_worlds_of_other_engines_are_as_ever(tmp_path):
    engine = uipc.Engine("none", str(tmp_path))
    world, reference = uipc.World(engine), weakref.ref(engine)
    del world, engine
    gc.collect()
    assert reference() is None


def resident():
    """Resident memory of this process [MiB]."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_thousand_engines_leave_nothing_behind(tmp_path):
    for _ in range(50):
        stepped(tmp_path)
    gc.collect()
    before, references = resident(), []
    for _ in range(1000):
        references += stepped(tmp_path)[1]
    gc.collect()
    assert not any(reference() for reference in references)
    assert resident() - before < 5.0


def test_an_engine_moves_one_world(tmp_path):
    engine = Engine("cpu", str(tmp_path))
    first, second = uipc.World(engine), uipc.World(engine)
    first.init(uipc.Scene(uipc.Scene.default_config()))
    with pytest.raises(EngineError, match="moves another world already; make an Engine for each World"):
        second.init(uipc.Scene(uipc.Scene.default_config()))
    first.advance()
    assert first.frame() == 1
