"""A script's recording is that of a run of a scene file; what goes wrong is named."""

from pathlib import Path

import numpy as np
import pytest
import uipc

from ipc_articulation import (
    Engine,
    EngineError,
    OutputError,
    Recorder,
    RecordingError,
    SceneError,
    cli,
    read_recording,
)
from ipc_articulation.watching.subject import distinct
from tests.watching.scenes import add_box, config


def test_every_committed_step_is_a_row(arm: tuple, tmp_path: Path) -> None:
    coupling, world, engine = arm
    angles = [coupling.theta.copy()]
    with Recorder(coupling, tmp_path / "run", engine) as recorder:
        for _ in range(5):
            coupling.step(world)
            angles.append(coupling.theta.copy())
        assert recorder.rows == 6
    coupling.step(world)  # after its end nothing is recorded
    recording = read_recording(tmp_path / "run")
    np.testing.assert_array_equal(recording.theta, angles)
    np.testing.assert_allclose(recording.time, 0.01 * np.arange(6))
    assert np.isnan(recording.contact_force[0]).all()
    np.testing.assert_allclose(recording.contact_force[1:], 0.0, atol=1e-6)
    assert recording.joint_names == ("shoulder",)
    assert recording.body_names == ("arm", "box")
    assert recording.free_names == ("box",)
    heights = recording.body_poses[:, 1, 2, 3]
    np.testing.assert_allclose(heights[-1], 3.0 - 9.81 * 0.01**2 * 15, rtol=1e-9)
    assert {surface.name: surface.role for surface in recording.scenery.surfaces} == {"arm": "link", "box": "free"}
    assert (recording.newton_iterations[1:] >= 0).all()
    assert recording.stage_times.shape == (6, len(recording.stages))


def test_an_error_in_the_script_ends_the_recording_and_passes(arm: tuple, tmp_path: Path) -> None:
    coupling, world, _ = arm

    def script() -> None:
        with Recorder(coupling, tmp_path / "run"):
            coupling.step(world)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        script()
    assert read_recording(tmp_path / "run").steps == 1


def test_a_plain_scene(tmp_path: Path) -> None:
    scene = uipc.Scene(config())
    add_box(scene, "box", 0.5, count=2)
    ground = uipc.geometry.ground(0.0, [0.0, 0.0, 1.0])
    scene.objects().create("floor").geometries().create(ground)
    engine = Engine("cpu", tmp_path / "engine")
    world = uipc.World(engine)
    world.init(scene)
    with Recorder(scene, tmp_path / "run", engine) as recorder:
        for _ in range(40):
            world.advance()
            world.retrieve()
            world.advance()
            world.retrieve()
            recorder.append()  # every second step
    recording = read_recording(tmp_path / "run")
    np.testing.assert_allclose(recording.time, 0.02 * np.arange(41))
    assert recording.body_names == ("box instance 0", "box instance 1")
    assert recording.joint_names == ()
    (plane,) = recording.scenery.planes
    np.testing.assert_array_equal(plane[1], [0.0, 0.0, 1.0])
    assert 0.0 < recording.minimum_distance[-1] < 0.001
    assert len(recording.contacts(40).forces) > 0


def test_the_commands_for_recordings_take_it(arm: tuple, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    coupling, world, engine = arm
    with Recorder(coupling, tmp_path / "run", engine):
        for _ in range(3):
            coupling.step(world)
    run = str(tmp_path / "run")
    assert cli.main(["report", run]) == 0
    assert cli.main(["export", run, "--format", "gltf"]) == 0
    assert cli.main(["resume", run]) == 2
    assert "run.json" in capsys.readouterr().err


def test_a_recording_that_is_there_is_kept(arm: tuple, tmp_path: Path) -> None:
    coupling, world, _ = arm
    with Recorder(coupling, tmp_path / "run"):
        coupling.step(world)
    with pytest.raises(OutputError, match=r"holds a recording already; replace it with force=True, or choose another"):
        Recorder(coupling, tmp_path / "run")
    with Recorder(coupling, tmp_path / "run", force=True):
        pass
    assert read_recording(tmp_path / "run").steps == 0


def test_a_row_is_a_step(arm: tuple, tmp_path: Path) -> None:
    coupling, world, engine = arm
    with Recorder(coupling, tmp_path / "run", engine) as recorder:
        coupling.step(world)
        with pytest.raises(RecordingError, match="no step was taken since row 1; a row is the state after a step"):
            recorder.append()
    with pytest.raises(RecordingError, match=r"the recorder of .*run is closed; begin another one"):
        recorder.append()
    with pytest.raises(RecordingError, match="is closed"), recorder:
        pass
    assert read_recording(tmp_path / "run").steps == 1


def test_time_follows_a_time_step_that_changes(arm: tuple, tmp_path: Path) -> None:
    coupling, world, engine = arm
    with Recorder(coupling, tmp_path / "run", engine):
        coupling.step(world)
        coupling.adapter.model.opt.timestep = 0.004
        uipc.view(coupling.scene.config().find("dt"))[:] = 0.004
        coupling.step(world)
    np.testing.assert_allclose(read_recording(tmp_path / "run").time, [0.0, 0.01, 0.014])


def test_a_world_that_is_recovered_ends_the_recording(tmp_path: Path) -> None:
    scene = uipc.Scene(config())
    add_box(scene, "box", 0.5)
    engine = Engine("cpu", tmp_path / "engine")
    world = uipc.World(engine)
    world.init(scene)
    world.dump()
    with Recorder(scene, tmp_path / "run", engine) as recorder:
        world.advance()
        world.retrieve()
        recorder.append()
        world.recover(0)
        world.retrieve()
        with pytest.raises(RecordingError, match="recovered to an earlier step; end this recording and begin another"):
            recorder.append()


def test_two_recorders_never_write_into_one_folder(arm: tuple, tmp_path: Path) -> None:
    coupling, world, _ = arm
    with Recorder(coupling, tmp_path / "run"):
        with pytest.raises(OutputError, match=r"another process runs in .*run; wait for it, or choose another folder"):
            Recorder(coupling, tmp_path / "run", force=True)
        coupling.step(world)
    assert read_recording(tmp_path / "run").steps == 1


def test_what_cannot_be_recorded_is_named(arm: tuple, tmp_path: Path) -> None:
    coupling, world, _ = arm
    other = uipc.Scene(config())
    add_box(other, "cube", 0.5)
    engine = Engine("cpu", tmp_path / "other")
    for engine_given, message in (
        (engine, r"begins after world.init\(scene\); this engine has no scene yet"),
        ("cpu", "must be the Engine of the world, is str"),
    ):
        with pytest.raises(EngineError, match=message):
            Recorder(coupling, tmp_path / "run", engine_given)
    second = uipc.World(engine)
    second.init(other)
    with pytest.raises(EngineError, match=r"the engine moves another scene \(of cube\)"):
        Recorder(coupling, tmp_path / "run", engine)
    with pytest.raises(SceneError, match=r"must be a coupling, made by `couple`, or a uipc.Scene; is World"):
        Recorder(world, tmp_path / "run")
    for folder in (5, "a" * 300, "a\0b"):
        with pytest.raises(OutputError, match="folder"):
            Recorder(coupling, folder)
    assert not (tmp_path / "run").exists()


def test_a_scene_without_bodies(tmp_path: Path) -> None:
    scene = uipc.Scene(config())
    engine = Engine("cpu", tmp_path / "engine")
    world = uipc.World(engine)
    world.init(scene)
    with Recorder(scene, tmp_path / "run", engine) as recorder:
        world.advance()
        world.retrieve()
        recorder.append()
    assert read_recording(tmp_path / "run").minimum_distance[-1] == np.inf


def test_equal_names_are_numbered() -> None:
    assert distinct(["a", "b", "a"]) == ("a (1)", "b", "a (2)")
