"""Actuators of an MJCF file move the robot of our own dynamics as they move MuJoCo's."""

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import scene_model as of_mujoco
from ipc_articulation.adapters.native import scene_model as of_native

from ipc_articulation.coupling.robots import Actuator, DrivenRobot, RobotSetup
from ipc_articulation.repairs import RepairWarning, collected

ARM = """<mujoco>
  <worldbody>
    <body name="upper" pos="0 0 1">
      <joint name="shoulder" axis="0 1 0" armature="0.1" ref="10"/>
      <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02" mass="1"/>
      <body name="lower" pos="0.4 0 0">
        <joint name="slide" type="slide" axis="1 0 0" damping="1"/>
        <geom type="box" size="0.05 0.05 0.05" mass="0.5"/>
        <site name="tip"/>
      </body>
    </body>
  </worldbody>
  <actuator>{actuators}</actuator>
</mujoco>"""

SERVO = '<position name="servo" joint="shoulder" kp="20" kv="1" gear="2"/>'
CASES = {
    "position with a gear": SERVO,
    "position with a limit": '<position joint="shoulder" kp="20" kv="1" gear="-2" forcerange="-0.4 0.4"/>',
    "position with a range": '<position joint="shoulder" kp="20" kv="1" gear="2" ctrlrange="-0.2 0.2"/>',
    "velocity": '<velocity joint="shoulder" kv="3" gear="0.5"/>',
    "velocity with a limit": '<velocity joint="shoulder" kv="30" forcerange="-0.3 0.3"/>',
    "constant": '<general joint="slide" biastype="affine" biasprm="0.7 0 -2" gear="2"/>',
    "servo with a constant": '<general joint="shoulder" gainprm="9" biastype="affine" biasprm="0.5 -9 -1" gear="2"/>',
    "motor away from zero": '<motor joint="slide" ctrlrange="0.1 1"/>',
    "motor": '<motor joint="slide"/><motor joint="shoulder"/>',
    "velocity with a range": '<velocity joint="shoulder" kv="3" ctrlrange="-0.2 0.1" gear="-2"/>',
    "position and velocity with a range": f'{SERVO}<velocity joint="shoulder" kv="2" ctrlrange="-0.1 0.1"/>',
    "position and damper": f'{SERVO}<general joint="shoulder" biastype="affine" biasprm="0 0 -2"/>',
    "position and velocity": f'{SERVO}<velocity joint="shoulder" kv="2"/>',
}


def built(tmp_path: Path, module: ModuleType, own: str, dt: float = 5e-4, **keys: object) -> DrivenRobot:
    (tmp_path / "arm.xml").write_text(ARM.format(actuators=own))
    setup = RobotSetup(dt, np.array([0.0, 0.0, -9.81]), "implicitfast", **keys)
    return module.SceneModel(tmp_path / "arm.xml", []).build(setup)


def moved(driven: DrivenRobot, steps: int = 200, target: float = 0.3) -> np.ndarray:
    """Positions after some steps without contact."""
    driven.command(np.full(len(driven.actuated), target))
    for _ in range(steps):
        driven.push(np.zeros(len(driven.joints)))
        change = driven.adapter.predict().delta_theta_tilde
        driven.adapter.commit(change, np.zeros((0, 4, 4)), np.zeros((0, 4, 4)))
    return driven.adapter.theta()


@pytest.mark.parametrize("case", CASES)
def test_both_adapters_move_alike(tmp_path: Path, case: str) -> None:
    ours, theirs = (built(tmp_path, module, CASES[case]) for module in (of_native, of_mujoco))
    assert ours.actuated == theirs.actuated
    first, start = moved(theirs), built(tmp_path, of_mujoco, "").adapter.theta()
    assert np.abs(first - start).max() > 1e-3
    np.testing.assert_allclose(moved(ours), first, atol=3e-4)


@pytest.mark.parametrize("module", [of_native, of_mujoco])
def test_a_target_is_of_the_joint_whatever_its_gear(tmp_path: Path, module: ModuleType) -> None:
    driven = built(tmp_path, module, '<position joint="slide" kp="1000" kv="100" gear="5"/>', dt=0.01)
    assert driven.actuated == ["slide"]
    assert moved(driven, 100, target=0.1)[1] == pytest.approx(0.1, abs=5e-3)


@pytest.mark.parametrize("module", [of_native, of_mujoco])
def test_actuators_of_the_scene_are_added(tmp_path: Path, module: ModuleType) -> None:
    driven = built(tmp_path, module, SERVO, actuators=(Actuator("shoulder", 50.0, 1.0), Actuator("slide", 5.0, 1.0)))
    assert sorted(driven.actuated) == ["shoulder", "slide"]
    moved(driven, 1)


def test_the_sum_of_two_actuators_is_that_of_mujoco(tmp_path: Path) -> None:
    added = (Actuator("shoulder", 50.0, 1.0),)
    ours, theirs = (moved(built(tmp_path, m, SERVO, actuators=added)) for m in (of_native, of_mujoco))
    np.testing.assert_allclose(ours, theirs, atol=3e-4)


@pytest.mark.parametrize(
    ("actuator", "said"),
    [
        ('<motor name="puller" site="tip"/>', "actuator 'puller': it acts on a site"),
        ('<intvelocity name="i" joint="slide" kp="1" actrange="-1 1"/>', "actuator 'i': it has dynamics of its own"),
        ('<muscle name="m" joint="slide" lengthrange="0 1"/>', "actuator 'm': it has dynamics of its own"),
        (
            '<general name="odd" joint="slide" gainprm="5" biastype="affine" biasprm="0 -3 0"/>',
            "actuator 'odd': its force depends on the position but its gain is not that of a position actuator",
        ),
        (
            '<position name="p" joint="slide" kp="5" forcerange="-1 2"/>',
            "actuator 'p': its force has the limits 1 and 2 in its two directions",
        ),
    ],
)
def test_what_cannot_be_taken_over_is_reported(tmp_path: Path, actuator: str, said: str) -> None:
    with collected() as texts:
        built(tmp_path, of_native, actuator)
    assert [said in text for text in texts] == [True]


def test_a_fluid_is_left_out_with_a_report(tmp_path: Path) -> None:
    text = ARM.format(actuators="").replace("<worldbody>", '<option density="1000"/><worldbody>')
    (tmp_path / "swimmer.xml").write_text(text)
    with pytest.warns(RepairWarning, match="fluid"):
        of_native.SceneModel(tmp_path / "swimmer.xml", [])


def test_adhesion_is_left_out_with_one_warning(tmp_path: Path) -> None:
    with collected() as warnings:
        built(tmp_path, of_native, f'{SERVO}<adhesion name="pad" body="lower" ctrlrange="0 1" gain="9"/>')
    (warning,) = warnings
    assert "actuator 'pad': it is an adhesion actuator, and IPC contact does not know adhesion; left out" in warning
