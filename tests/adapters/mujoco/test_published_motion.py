"""Published robots that float, without contact: a second of the coupled motion is MuJoCo's own."""

import sys
from copy import copy
from pathlib import Path

import mujoco
import numpy as np
import pytest

from ipc_articulation.cli import main
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.simulation.building import build

MODELS = Path(__file__).parents[3] / "models"
ROBOTS = Path("cmeel.prefix/share/example-robot-data/robots")
FILES = {
    "go2": ROBOTS / "go2_description/urdf/go2.urdf",
    "g1": ROBOTS / "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "talos": ROBOTS / "talos_data/robots/talos_reduced.urdf",
    "drone": MODELS.parent / "scenes/drone.xml",
    "humanoid": MODELS / "dm_control/suite/humanoid.xml",
    "quadruped": MODELS / "dm_control/suite/quadruped.xml",
    "ant": MODELS / "gymnasium/envs/mujoco/assets/ant.xml",
}


def found(file: Path) -> Path:
    """A file below models/ or of the package example-robot-data."""
    places = [file] if file.is_absolute() else [Path(place) / file for place in sys.path]
    for place in places:
        if place.is_file():
            return place
    pytest.skip("python tools/fetch_robots.py, or the package example-robot-data, has it")


def positions(model: mujoco.MjModel, joints) -> list[tuple[int, int]]:
    """Where the coordinates of each of some joints begin and end in qpos."""
    ends = [*model.jnt_qposadr, model.nq]
    return [(ends[joint], ends[joint + 1]) for joint in joints]


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES.values(), ids=FILES)
def test_a_second_without_contact_is_mujocos_own(file, tmp_path):
    scene_file, robot = tmp_path / "scene.yaml", found(file)
    assert main(["new", str(scene_file), "--robot", str(robot), "--adapter", "mujoco"]) == 0
    changes = {"contact.enabled": False, "dt": 0.005, "steps": 200, "ground": None}
    scene, document = read_scene(scene_file, changes)
    simulation = build(scene, document, "cpu", tmp_path / "work", 200)
    adapter = simulation.coupling.adapter
    assert any(name.endswith("/rz") for name in adapter.freedom_names)  # it floats
    alone = copy(adapter.model)
    alone.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    own = mujoco.MjData(alone)
    rng = np.random.default_rng(0)
    adapter.data.qvel[adapter.dofs] = 0.5 * rng.normal(size=len(adapter.dofs))
    own.qpos[:], own.qvel[:], own.act[:] = adapter.data.qpos, adapter.data.qvel, adapter.data.act
    for step in range(200):
        simulation.step(step)
        own.ctrl[:] = adapter.data.ctrl
        mujoco.mj_step(alone, own)
    mine = np.concatenate([np.arange(start, end) for start, end in positions(alone, adapter.joint_ids)])
    assert np.abs(own.qpos - alone.qpos0)[mine].max() > 0.1
    np.testing.assert_allclose(adapter.data.qpos[mine], own.qpos[mine], rtol=0.0, atol=1e-6)
