"""OpenSim models in scene files."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ipc_articulation.errors import SceneFileError
from tests.dynamics.reading.osim_documents import bodies, body, coordinate, document, joint
from tests.simulation.scene_texts import simulation

MODEL = document(bodies(body("shank", joint("PinJoint", "knee", [coordinate("bend")], at="0 0 0", turned="0 0 0"))))


def scene(folder: Path, **keys: Any) -> dict[str, Any]:
    (folder / "leg.osim").write_text(MODEL)
    robot = {"model": "leg.osim", "initial": {"bend": 0.3}, "initial_velocity": {"bend": -2.0}}
    return {"adapter": "native", "dt": 0.01, "steps": 10, "robot": robot, **keys}


def test_an_opensim_model_moves_by_its_coordinates(tmp_path: Path) -> None:
    made = simulation(tmp_path, scene(tmp_path, gravity=[0, 0, 0]))
    assert made.joint_names == ("bend",)
    for step in range(10):
        made.step(step)
    np.testing.assert_allclose(made.measure(is_start=False)["theta"], [0.3 - 2.0 * 0.1], atol=1e-3)


def test_mujoco_refuses_it_by_name(tmp_path: Path) -> None:
    with pytest.raises(SceneFileError, match="MuJoCo reads no OpenSim files; adapter native does") as caught:
        simulation(tmp_path, scene(tmp_path, adapter="mujoco"))
    assert caught.value.line is not None
