"""`environments` in scene files: many copies of a robot in one scene."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ipc_articulation import cli, read_recording, resume, run
from ipc_articulation.checking import check_file
from ipc_articulation.errors import IpcArticulationError, RecordingError, SceneFileError
from ipc_articulation.recording import Recording, environment_of
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.simulation.environments_simulation import EnvironmentsSimulation

ARM = """
<mujoco>
  <option timestep="0.01" integrator="implicitfast"/>
  <worldbody>
    <body name="arm" pos="0 0 0.1">
      <joint name="shoulder" axis="0 0 1" damping="0.1" limited="true" range="-90 90"/>
      <geom type="box" pos="0.2 0 0" size="0.2 0.02 0.03" mass="1"/>
    </body>
  </worldbody>
</mujoco>
"""
BOX = {"type": "box", "size": [0.1, 0.1, 0.1]}
CRATE = {"name": "crate", "shape": BOX, "mass": 0.5, "friction": 0.5, "pose": {"position": [0.3, 0.09, 0.052]}}
DRAWN = [
    {"path": "bodies.crate.pose.position", "uniform": [0, 0.01]},
    {"path": "bodies.crate.mass", "uniform": [-0.2, 0.2], "relative": True},
    {"path": "bodies.crate.friction", "uniform": [-0.2, 0.2]},
    {"path": "robot.initial.shoulder", "uniform": [-0.1, 0.0]},
]
ROBOT = {"model": "arm.xml", "initial": {"shoulder": 0.0}, "actuators": [{"joints": "shoulder", "kp": 20, "kv": 2}]}
SCENE: dict[str, Any] = {
    "adapter": "mujoco",
    "dt": 0.01,
    "steps": 40,
    "seed": 5,
    "contact": {"d_hat": 0.001},
    "robot": ROBOT,
    "controller": {"type": "sine", "joints": "shoulder", "amplitude": 0.6, "frequency": 0.6},
    "ground": {},
    "bodies": [CRATE],
    "randomise": DRAWN,
}


def write(folder: Path, environments: Any, **changes: Any) -> Path:
    (folder / "arm.xml").write_text(ARM)
    file = folder / "arms.yaml"
    file.write_text(json.dumps({**SCENE, "environments": environments, **changes}))
    return file


def recorded(file: Path, name: str, **options: Any) -> Recording:
    given = {"engine": "cpu", "out": file.parent / "out", "quiet": True, "pictures": False, **options}
    return run(file, name=name, **given).recording


@pytest.mark.slow
def test_an_environment_moves_alone_as_among_others(tmp_path: Path) -> None:
    file = write(tmp_path, 3)
    together = recorded(file, "together")
    assert together.joint_names == tuple(f"environment {k}: shoulder" for k in range(3))
    assert together.body_names[:2] == ("environment 0: arm", "environment 0: crate")
    for number in range(3):
        alone = recorded(file, f"alone{number}", settings={"environments": {"count": 1, "first": number}})
        own, only = environment_of(together, number), environment_of(alone, 0)
        assert own.joint_names == only.joint_names == ("shoulder",)
        for key in ("theta", "theta_dot", "body_poses", "contact_force", "delta_theta_tilde"):
            np.testing.assert_array_equal(getattr(own, key), getattr(only, key))
        assert own.moved("crate") > 0.01
        assert any({"arm", "crate"} == set(pair) for row in range(41) for pair in own.contacts(row).bodies)
    starts = together.body_poses[0, 1::2, :3, 3]
    assert len(np.unique(starts)) == starts.size
    surfaces = {surface.name: surface for surface in environment_of(together, 2).scenery.surfaces}
    assert set(surfaces) == {"arm", "crate"}
    np.testing.assert_array_equal(surfaces["crate"].pose[:3, 3], starts[2])


@pytest.mark.parametrize("adapter", ["mujoco", "native"])
def test_robots_that_differ_in_starts_share_a_model(tmp_path: Path, adapter: str) -> None:
    scene, document = read_scene(write(tmp_path, 3, adapter=adapter))
    simulation = EnvironmentsSimulation(scene, document, "cpu", tmp_path / "work", 1)  # type: ignore[arg-type]
    adapters = simulation.environments.adapters
    assert len({id(one.model) for one in adapters}) == 1
    assert len({float(one.theta()[0]) for one in adapters}) == 3
    damped = [*DRAWN, {"path": "robot.damping", "uniform": [0.0, 0.1]}]
    scene, document = read_scene(write(tmp_path, 3, adapter=adapter, randomise=damped, robot=ROBOT | {"damping": 0.1}))
    simulation = EnvironmentsSimulation(scene, document, "cpu", tmp_path / "work", 1)  # type: ignore[arg-type]
    assert len({id(one.model) for one in simulation.environments.adapters}) == 3


@pytest.mark.slow
def test_a_resumed_run_is_that_of_an_uninterrupted_one(tmp_path: Path) -> None:
    file = write(tmp_path, 2)
    whole = recorded(file, "whole")
    recorded(file, "resumed", steps=15)
    resume(tmp_path / "out/resumed", steps=25, quiet=True, pictures=False)
    resumed = read_recording(tmp_path / "out/resumed")
    for key in ("theta", "body_poses", "contact_force"):
        np.testing.assert_array_equal(getattr(whole, key), getattr(resumed, key))


def failing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lose the state of the robot of environment 1 in step 11."""
    step = EnvironmentsSimulation.step

    def lose(self: EnvironmentsSimulation, index: int) -> None:
        if index == 10:
            self.environments.adapters[1].data.qvel[0] = np.nan  # type: ignore[attr-defined]
        step(self, index)

    monkeypatch.setattr(EnvironmentsSimulation, "step", lose)


@pytest.mark.slow
def test_an_environment_that_fails_is_reset_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path, {"count": 2, "failing": "reset"})
    before = recorded(file, "before", steps=30)
    failing(monkeypatch)
    after = recorded(file, "after", steps=30, quiet=False)
    assert [(f["environment"], f["step"]) for f in after.extra["failures"]] == [(1, 11)]
    told = capsys.readouterr().out
    assert "failed            1 steps of 1 environments" in told
    assert "environment 1, step 11: AdapterError" in told
    np.testing.assert_array_equal(environment_of(after, 0).theta, environment_of(before, 0).theta)
    again, first = environment_of(after, 1), environment_of(before, 1)
    np.testing.assert_array_equal(again.theta[11:], first.theta[1:21])


@pytest.mark.slow
def test_an_environment_that_fails_is_stopped_or_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch)
    stopped = environment_of(recorded(write(tmp_path, {"count": 2, "failing": "stop"}), "stopped", steps=20), 1)
    assert abs(stopped.theta[12:] - stopped.theta[0]).max() < 1e-6
    resume(tmp_path / "out/stopped", steps=5, quiet=True, pictures=False)
    further = environment_of(read_recording(tmp_path / "out/stopped"), 1)
    assert abs(further.theta[12:] - stopped.theta[0]).max() < 1e-6
    with pytest.raises(IpcArticulationError, match="environment 1: "):
        recorded(write(tmp_path, 2), "raised")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bodies": [CRATE | {"push": {"force": [1, 0, 0]}}]}, "the push on 'crate' would act in no"),
        ({"bodies": [CRATE | {"environment": "left"}]}, "each copy has an environment of its own"),
        ({"randomise": [{"path": "gravity", "uniform": [0, 1]}]}, "all environments of a scene have this value in com"),
        ({"randomise": [{"path": "bodies.crate.mass", "uniform": [-0.6, -0.6]}]}, "for environment 0 is not valid"),
        ({"environments": {"count": 0}}, "environments.count should be greater than 0, got 0"),
        ({"environments": 1.5}, "should be a whole number, or a mapping with the key `count`; got 1.5"),
    ],
)
def test_what_many_environments_cannot_have_is_refused(tmp_path: Path, changes: Any, message: str) -> None:
    file = write(tmp_path, **{"environments": 2, **changes})
    with pytest.raises(SceneFileError, match=message):
        recorded(file, "refused")
    assert message in str(check_file(file).errors[0])


def test_a_right_file_is_checked(tmp_path: Path) -> None:
    assert not check_file(write(tmp_path, 3)).errors


def test_wrong_numbers_of_environments_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recording = recorded(write(tmp_path, 2), "two", steps=1)
    assert cli.main(["report", str(tmp_path / "out/two"), "--environment", "1", "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)["moved"]) == ["crate"]
    assert cli.main(["report", str(tmp_path / "out/two"), "--environment", "2"]) == 1
    with pytest.raises(RecordingError, match=r"has no environment 2; valid: 0 to 1"):
        environment_of(recording, 2)
    with pytest.raises(RecordingError, match="has no environments"):
        environment_of(environment_of(recording, 0), 0)


def test_a_python_controller_that_fails_is_named_with_its_environment(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("def act(state):\n    return {'shoulder': 'far'}\n")
    file = write(tmp_path, 3, controller={"type": "python", "python": "own.py:act"})
    with pytest.raises(IpcArticulationError, match=r"environment 0: step \d+: Python controller 'own.py:act'"):
        recorded(file, "run")


@pytest.mark.slow
def test_each_environment_has_a_friction_of_its_own(tmp_path: Path) -> None:
    """Crates that slide: all their deceleration is μ g."""
    sliding = {key: value for key, value in CRATE.items() if key != "friction"}
    sliding |= {"velocity": {"linear": [2.0, 0, 0]}, "pose": {"position": [3, 0, 0.0512]}}
    drawn = [{"path": "contact.friction", "uniform": [-0.2, 0.4]}]
    scene = {"bodies": [sliding], "randomise": drawn, "contact": {"d_hat": 0.001, "friction": 0.3}}
    together = recorded(write(tmp_path, 3, **scene), "sliding")
    for number in range(3):
        speeds = np.diff(environment_of(together, number).body_poses[:, 1, 0, 3]) / 0.01
        friction = together.extra["drawn"][f"environment {number}: contact.friction"]
        assert (speeds[5] - speeds[25]) / 0.2 == pytest.approx(9.81 * friction, rel=0.03)
    scene_of_all, document = read_scene(tmp_path / "arms.yaml")
    simulation = EnvironmentsSimulation(scene_of_all, document, "cpu", tmp_path / "work", 1)  # type: ignore[arg-type]
    for number, coupling in enumerate(simulation.environments.couplings):
        friction = simulation.drawn[f"environment {number}: contact.friction"]
        assert {part.friction for part in (*coupling.robot.links, *coupling.robot.free)} == {friction}
    one = recorded(tmp_path / "arms.yaml", "one", settings={"environments": {"count": 1, "first": 2}})
    np.testing.assert_array_equal(environment_of(one, 0).body_poses, environment_of(together, 2).body_poses)
