"""What recorders and views watch."""

from pathlib import Path

import mujoco
import pytest
import uipc
from ipc_articulation.adapters.mujoco import MujocoAdapter

from ipc_articulation import Engine, couple
from tests.watching.scenes import ARM, add_box, config


@pytest.fixture
def arm(tmp_path: Path) -> tuple:
    """A falling arm and a box: coupling, world, engine."""
    model = mujoco.MjModel.from_xml_string(ARM)
    scene = uipc.Scene(config())
    coupling = couple(scene, MujocoAdapter(model, mujoco.MjData(model)))
    add_box(scene, "box", 3.0)
    engine = Engine("cpu", tmp_path / "engine")
    world = uipc.World(engine)
    world.init(scene)
    return coupling, world, engine


@pytest.fixture
def box(tmp_path: Path) -> tuple:
    """A falling box in a scene without a coupling: scene, world, engine."""
    scene = uipc.Scene(config())
    add_box(scene, "box", 0.5)
    engine = Engine("cpu", tmp_path / "engine")
    world = uipc.World(engine)
    world.init(scene)
    return scene, world, engine
