"""A script's recording is that of a run of a scene file; what goes wrong is named."""

import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import uipc
from uipc.backend import SceneVisitor
from uipc.constitution import AffineBodyFixedJoint

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
from ipc_articulation.naming import distinct
from ipc_articulation.viewing.forces import forces_on
from ipc_articulation.viewing.reporting.pair_forces import pair_forces
from tests.watching.scenes import add_box, config, move, step


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


@pytest.mark.slow
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
    for folder in ("", None, 5):
        with pytest.raises(OutputError, match=f"^Recorder: folder is {folder!r}, must be a path$"):
            Recorder(coupling, folder)
    with pytest.raises(OutputError, match=r"^Recorder: force is 'no', must be True or False$"):
        Recorder(coupling, tmp_path / "run", force="no")
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


def test_bodies_that_come_or_go_end_the_recording(box: tuple, tmp_path: Path) -> None:
    scene, world, engine = box
    with Recorder(scene, tmp_path / "run", engine) as recorder:
        step(world)
        recorder.append()
        add_box(scene, "later", 1.0, count=2)
        step(world)
        came = r"ends with row 1 \(created later instance 0, later instance 1\); begin another recording in another"
        with pytest.raises(RecordingError, match=came):
            recorder.append()
    assert read_recording(tmp_path / "run").steps == 1
    with Recorder(scene, tmp_path / "second", engine) as recorder:
        (first,) = scene.objects().find("box")
        scene.objects().destroy(first.id())
        ground = uipc.geometry.ground(0.0, [0.0, 0.0, 1.0])
        scene.objects().create("floor").geometries().create(ground)
        step(world)
        with pytest.raises(RecordingError, match=r"ends with row 0 \(created floor; destroyed box\); begin"):
            recorder.append()
    assert read_recording(tmp_path / "second").body_names == ("box", "later instance 0", "later instance 1")


def test_a_joint_that_comes_ends_the_recording_by_its_energy(tmp_path: Path) -> None:
    scene = uipc.Scene(config())
    add_box(scene, "box", 0.5, count=2)
    engine = Engine("cpu", tmp_path / "engine")
    world = uipc.World(engine)
    world.init(scene)
    with Recorder(scene, tmp_path / "run", engine) as recorder:
        step(world)
        recorder.append()
        (boxes,) = (slot for slot in SceneVisitor(scene).geometries())
        joint = AffineBodyFixedJoint().create_geometry([boxes], [0], [boxes], [1], [100.0])
        scene.objects().create("joint").geometries().create(joint)
        step(world)
        with pytest.raises(RecordingError, match=r"ends with row 1 \(new energies joint\); begin"):
            recorder.append()


def test_a_fixed_body_that_is_moved_is_named(box: tuple, tmp_path: Path) -> None:
    scene, world, engine = box
    add_box(scene, "wall", 2.0, is_fixed=True)
    step(world)
    with Recorder(scene, tmp_path / "run", engine) as recorder:
        step(world)
        recorder.append()
        move(engine, 1, 0.1)
        step(world)
        message = r"^wall did not move at the start of the recording .*run, and was moved after row 1; record a body"
        with pytest.raises(RecordingError, match=message):
            recorder.append()
    assert read_recording(tmp_path / "run").steps == 1


def test_a_recording_that_is_deleted_is_named(box: tuple, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene, world, engine = box
    monkeypatch.setattr("ipc_articulation.watching.flusher._SOON", 0.05)
    recorder = Recorder(scene, tmp_path / "run", engine)
    while recorder._writer.flushed_rows < 1:
        time.sleep(0.01)
    shutil.rmtree(tmp_path / "run")
    step(world)
    recorder.append()
    while recorder._flusher.error is None:
        time.sleep(0.01)
    step(world)
    message = r"recording .*run/recording.zarr was deleted while it was written: its rows are lost"
    with pytest.raises(RecordingError, match=message):
        recorder.append()
    with pytest.raises(RecordingError, match=message):
        recorder.close()
    assert not (tmp_path / "run" / "recording.zarr").exists()


def test_rows_are_on_disk_within_a_second_or_so_while_the_script_does_nothing(box: tuple, tmp_path: Path) -> None:
    scene, world, engine = box
    with Recorder(scene, tmp_path / "run", engine) as recorder:
        for _ in range(3):
            step(world)
            recorder.append()
        end = time.perf_counter() + 4.0
        while read_recording(tmp_path / "run").rows < 4:
            assert time.perf_counter() < end
            time.sleep(0.05)


@pytest.mark.slow
def test_a_script_that_ends_without_closing_loses_nothing(tmp_path: Path) -> None:
    script = """
import sys
from pathlib import Path
import uipc
from ipc_articulation import Engine, Recorder
from tests.watching.scenes import add_box, config

scene = uipc.Scene(config())
add_box(scene, "box", 0.5)
engine = Engine("cpu", Path(sys.argv[1]) / "engine")
world = uipc.World(engine)
world.init(scene)
recorder = Recorder(scene, Path(sys.argv[1]) / "run", engine)
for _ in range(3):
    world.advance()
    world.retrieve()
    recorder.append()
"""
    subprocess.run([sys.executable, "-c", script, tmp_path], check=True, cwd=Path(__file__).parents[2])
    assert read_recording(tmp_path / "run").rows == 4


def test_equal_names_are_numbered_alike_everywhere(tmp_path: Path) -> None:
    assert distinct(["a", "b", "a"]) == ("a (1)", "b", "a (2)")
    assert distinct(["a", "a", "a (1)"]) == ("a (2)", "a (3)", "a (1)")
    assert distinct(["a", "b"], ["a"]) == ("a (1)", "b")
    scene = uipc.Scene(config())
    add_box(scene, "crate", 0.1005)
    add_box(scene, "crate", 0.3010)
    scene.objects().create("crate").geometries().create(uipc.geometry.ground(0.0, [0.0, 0.0, 1.0]))
    engine = Engine("cpu", tmp_path / "engine")
    world = uipc.World(engine)
    world.init(scene)
    with Recorder(scene, tmp_path / "run", engine) as recorder:
        for _ in range(20):
            step(world)
            recorder.append()
    recording = read_recording(tmp_path / "run")
    assert recording.body_names == ("crate (1)", "crate (2)")
    assert recording.contact_names == ("crate (1)", "crate (2)", "crate (3)")
    assert {surface.name for surface in recording.scenery.surfaces} == {"crate (1)", "crate (2)"}
    pairs = {frozenset(pair) for row in range(21) for pair in recording.contacts(row).bodies}
    assert frozenset({"crate (1)", "crate (3)"}) in pairs
    points, forces, _ = forces_on(recording.contacts(20), recording.body_names, 0.1)
    assert (forces[points[:, 2] < 0.01][:, 2] > 0.0).all()  # the ground pushes up
    assert set(pair_forces(recording)[0]) <= {"crate (1) on crate (3)", "crate (1) on crate (2)"}
