"""Actuators whose damping chatters at the limit of their force: what `check` says, and what the engines do."""

import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from ipc_articulation.checking import check_file
from ipc_articulation.coupling.robots import Actuator, RobotSetup

INERTIA, DT, EFFORT, KP = 0.1, 0.01, 5.0, 1.0
ARM = """<robot name="arm"><link name="base"/>
<link name="rod"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
</link><joint name="turn" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 0 1"/>
<limit effort="{}" velocity="9" lower="-9" upper="9"/></joint></robot>"""
SCENE = """adapter: {}
dt: 0.01
steps: 1
integrator: {}
robot:
  model: arm.urdf
  base: fixed
  actuators:
    - {{joints: turn, kp: 1, kv: {}{}}}
"""
ENGINES = ["mujoco", "native", "pinocchio", "dart"]
PACKAGES = {"pinocchio": "pinocchio", "dart": "dartpy"}


def warnings(folder: Path, adapter: str, ratio: float, effort: float, max_force: str = "", integrator="implicitfast"):
    if adapter in PACKAGES:
        pytest.importorskip(PACKAGES[adapter])
    (folder / "arm.urdf").write_text(ARM.format(effort))
    (folder / "scene.yaml").write_text(SCENE.format(adapter, integrator, ratio * INERTIA / DT, max_force))
    report = check_file(folder / "scene.yaml")
    assert not report.errors
    return [fault for fault in report.warnings if "chatters" in fault.message]


@pytest.mark.parametrize("adapter", ENGINES)
@pytest.mark.parametrize(("effort", "max_force"), [(EFFORT, ""), (1e5, ", max_force: 5")])
def test_the_joint_the_number_and_what_helps_are_named(adapter, effort, max_force, tmp_path) -> None:
    (fault,) = warnings(tmp_path, adapter, 3.0, effort, max_force)
    assert (fault.line, fault.column) == (9, 7)
    said = r"joint 'turn' chatters where its force is at its limit 5: a step of 0\.01 s .* by 3 times"
    assert re.match(said, fault.message)
    assert fault.message.endswith("give it a kv up to 20, or a dt up to 0.0067")
    assert not warnings(tmp_path, adapter, 1.9, effort, max_force)
    assert not warnings(tmp_path, adapter, 3.0, 1e5)  # no joint gets so fast


@pytest.mark.parametrize("integrator", ["Euler", "implicit", "momentum"])
def test_gains_that_the_integrator_holds_are_no_inertia(integrator, tmp_path) -> None:
    assert len(warnings(tmp_path, "native", 2.1, EFFORT, integrator=integrator)) == 1
    assert not warnings(tmp_path, "native", 1.9, EFFORT, integrator=integrator)


def test_gains_of_an_actuator_at_its_limit_from_the_start_are_not_counted(tmp_path) -> None:
    fast = "\n  initial_velocity: {turn: 1.0}"
    for ratio, count in ((1.9, 0), (2.1, 1)):
        assert len(warnings(tmp_path, "native", ratio, EFFORT, "}" + fast + "  #")) == count


@pytest.mark.parametrize("adapter", ENGINES)
def test_the_engines_do_so(adapter, tmp_path) -> None:
    """v⁺ = v (1 - dt kv/m) at the limit: from 1.2 times the velocity there, the joint swings for ever or settles."""
    if adapter in PACKAGES:
        pytest.importorskip(PACKAGES[adapter])
    (tmp_path / "arm.urdf").write_text(ARM.format(EFFORT))
    module = import_module(f"ipc_articulation.adapters.{adapter}.scene_model")
    for ratio, swings in ((1.5, 0.0), (3.0, 1.2)):
        kv = ratio * INERTIA / DT
        driven = module.SceneModel(tmp_path / "arm.urdf", []).build(
            RobotSetup(
                DT,
                np.zeros(3),
                "implicitfast",
                actuators=(Actuator("turn", KP, kv),),
                start_velocity={"turn": 1.2 * EFFORT / kv},
            )
        )
        for _ in range(40):
            driven.command(driven.start)
            predicted = driven.adapter.predict().delta_theta_tilde
            driven.adapter.commit(predicted, np.zeros((0, 4, 4)), np.zeros((0, 4, 4)))
        np.testing.assert_allclose(driven.adapter.theta_dot() * kv / EFFORT, swings, atol=0.05)
