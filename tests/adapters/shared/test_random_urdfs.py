"""A URDF file is the same robot with every adapter: M̂ and the steps of random robots with joints of every type."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import numpy as np
import pytest

from ipc_articulation import couple
from ipc_articulation.coupling.robots import RobotSetup
from ipc_articulation.errors import UnsupportedError
from tests.adapters.shared.engines import NAMES
from tests.adapters.shared.random_urdfs import random_urdf
from tests.coupling.worlds import make_scene, make_world

NONE = np.zeros((0, 4, 4))
STEPS = 20
SINGLE = ("revolute", "continuous", "prismatic")
SEEDS = range(18)


def answer(name: str, file: Path, types: dict[str, str], seed: int) -> tuple[np.ndarray, np.ndarray]:
    """What M̂ makes of forces on the links, and the poses of the links after some steps.

    Freedoms are other ones with other adapters. So with J the rates of the links' poses for those of the freedoms, this
    is J M̂⁻¹ Jᵀ, (12 n, 12 n), and (n, 4, 4), by the names of the links.
    """
    rng = np.random.default_rng(seed)
    single = [joint for joint, kind in types.items() if kind in SINGLE]
    start, velocity = ({joint: float(rng.uniform(-0.5, 0.5)) for joint in single} for _ in range(2))
    setup = RobotSetup(0.005, np.array([0.3, -0.2, -9.81]), "Euler", start=start, start_velocity=velocity)
    module = importlib.import_module(f"ipc_articulation.adapters.{name}.scene_model")
    adapter = module.SceneModel(file, []).build(setup).adapter
    links = [link.name for link in adapter.describe().links]
    moved = sorted(f"link{joint[5:]}" for joint, kind in types.items() if kind != "fixed")
    rows = [links.index(link) for link in moved]
    mass, theta = adapter.predict().mass, adapter.theta()
    J = np.array([adapter.link_motion(theta, unit)[1][rows, :3].ravel() for unit in np.eye(len(mass))])
    for _ in range(STEPS):
        adapter.commit(adapter.predict().delta_theta_tilde, NONE, NONE)
    return J.T @ np.linalg.solve(mass, J), adapter.link_poses()[rows]


def moving_above(text: str, types: dict[str, str]) -> dict[int, set[int]]:
    """Links between each link, which the joint of its number carries, and the base, whose own joints are not fixed."""
    above = {
        int(k): int(parent) for parent, k in re.findall(r'<parent link="link(\d+)"/><child link="link(\d+)"', text)
    }
    found: dict[int, set[int]] = {0: set()}
    for link, parent in sorted(above.items()):
        found[link] = found[parent] | ({parent} if types.get(f"joint{parent}", "fixed") != "fixed" else set())
    return found


@pytest.mark.parametrize("name", [name for name in NAMES if name != "native"])
def test_random_robots_are_the_same_with_every_adapter(name, tmp_path) -> None:
    pytest.importorskip(f"tests.adapters.shared.{name}_side")
    compared, file = set[int](), tmp_path / "robot.urdf"
    for seed in SEEDS:
        text, types = random_urdf(seed)
        file.write_text(text)
        above = moving_above(text, types)
        floating = {int(joint[5:]) for joint, kind in types.items() if kind == "floating"}
        moving = {int(joint[5:]) for joint, kind in types.items() if kind != "fixed"}
        if name == "mujoco" and any(above[link] for link in floating):
            with pytest.raises(UnsupportedError, match=r"joint .joint\d. floats, which MuJoCo lets only"):
                answer(name, file, types, seed)
            continue
        if name == "mujoco" and any(all(link not in above[other] for other in moving) for link in floating):
            continue  # a body that floats and carries nothing is IPC's
        inverse, poses = answer(name, file, types, seed)
        wanted, places = answer("native", file, types, seed)
        np.testing.assert_allclose(inverse, wanted, rtol=0, atol=1e-9 * np.abs(wanted).max(), err_msg=text)
        np.testing.assert_allclose(poses, places, rtol=0, atol=1e-9, err_msg=text)
        compared.add(seed)
    assert len(compared) >= (5 if name == "mujoco" else len(SEEDS))


FOLLOWING = """<robot name="r">{}
  <joint name="lead" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
    <limit effort="9" velocity="9" lower="-2" upper="2"/><dynamics damping="0.02"/></joint>
  <joint name="follow" type="revolute"><parent link="arm"/><child link="hand"/><axis xyz="0 1 0"/>
    <origin xyz="0.3 0 0"/><limit effort="9" velocity="9" lower="-0.4" upper="0.8"/>
    <dynamics damping="0.3" friction="0.5"/><mimic joint="lead" multiplier="-0.5" offset="0.1"/></joint></robot>"""
LINK = """<link name="{}"><inertial><origin xyz="0.15 0 0"/><mass value="1"/>
  <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>"""


@pytest.mark.parametrize("name", ["native", "pinocchio", "mujoco"])
def test_what_resists_a_follower_resists_its_leader(name, tmp_path) -> None:
    pytest.importorskip(f"tests.adapters.shared.{name}_side")
    file = tmp_path / "robot.urdf"
    file.write_text(FOLLOWING.format("".join(LINK.format(link) for link in ("base", "arm", "hand"))))
    soft = 0.1 if name == "mujoco" else 1e-6  # MuJoCo's limits and equalities give
    assert hanging(name, file) == pytest.approx((-0.4 - 0.1) / -0.5, abs=soft)
    if name != "mujoco":
        file.write_text(file.read_text().replace('friction="0.5"', 'friction="50"'))
        assert hanging(name, file) == pytest.approx(0.0, abs=soft)  # half of 50 N m hold it


def hanging(name: str, file: Path) -> float:
    """Where the leading joint is after a second under its weight, in a scene."""
    module = importlib.import_module(f"ipc_articulation.adapters.{name}.scene_model")
    setup = RobotSetup(0.01, np.array([0.0, 0.0, -9.81]), "Euler")
    adapter = module.SceneModel(file, []).build(setup).adapter
    scene = make_scene(0.01, setup.gravity)
    coupling = couple(scene, adapter)
    world = make_world(scene, file.parent)
    for _ in range(100):
        coupling.step(world)
    return float(coupling.theta[0])
