"""A view, a recorder and a coupling's read-outs beside the thread that steps: the run keeps its bits."""

from functools import partial
from threading import Thread

import numpy as np
import pytest

from ipc_articulation import Recorder, View, couple, read_recording
from ipc_articulation.errors import EngineError
from ipc_articulation.frontend.worlds import ENGINES
from tests.coupling.robots import by_native
from tests.coupling.worlds import make_scene, make_world
from tests.engine.threads import STEPS, falling_boxes, read_beside

GRAVITY = (0.0, 0.0, -9.8)


def coupled(folder):
    adapter, scene = by_native(gravity=GRAVITY, gap=0.004), make_scene(gravity=GRAVITY)
    coupling = couple(scene, adapter)
    return coupling, make_world(scene, folder)


def steps(coupling, world):
    for _ in range(STEPS):
        coupling.step(world)
    return np.concatenate([coupling.theta, coupling.theta_dot, coupling.contact_force, coupling.body_poses.ravel()])


def read_all(coupling, world):
    if world.frame() > 1:
        read_out = coupling.read_out(world)
        with ENGINES[world].between_steps():
            force = coupling.read_out(world).contact_force
        return force, read_out.links, coupling.drift, coupling.minimum_distance, coupling.state(), coupling.theta
    return None


def show_and_read(view, coupling, world):
    view.show()
    view.update()
    return read_all(coupling, world)


def assert_watchers_change_no_bit(folder, runs):
    coupling, world = coupled(folder)
    wanted = steps(coupling, world)
    for _ in range(runs):
        coupling, world = coupled(folder)
        view = View(coupling, ENGINES[world], port=0)
        with view, read_beside(partial(show_and_read, view, coupling, world)) as seen:
            assert (steps(coupling, world) == wanted).all()
        assert set(seen) == {"read"}, seen


def test_a_view_and_read_outs_beside_the_steps_change_no_bit(tmp_path):
    assert_watchers_change_no_bit(tmp_path, 2)


@pytest.mark.stress
def test_no_view_of_two_hundred_changes_a_bit(tmp_path):
    assert_watchers_change_no_bit(tmp_path, 200)


def test_a_recorder_in_another_thread_records_whole_steps(tmp_path):
    """A plain scene: each row is the state after a step, and its energies are those of this step."""
    wanted = falling_boxes(tmp_path).run(STEPS).q
    scene = falling_boxes(tmp_path)
    recorder = Recorder(scene.scene, tmp_path / "run", scene.engine)
    frames = []

    def append():
        with scene.engine.between_steps():
            frame = scene.engine.cpu.frame
            if frame > (frames[-1] if frames else 0) and scene.engine.cpu.turn.is_calling:
                recorder.append()
                frames.append(frame)

    with read_beside(append) as seen:
        scene.run(STEPS)
    recorder.close()
    assert set(seen) == {"read"}, seen
    assert (scene.q == wanted).all()
    assert frames
    recording = read_recording(tmp_path / "run")
    np.testing.assert_allclose(recording.time[1:], 0.01 * np.array(frames), atol=1e-12)


def first_observer(coupling, call):
    """Call a function in another thread after each step, before a coupling's recorders and views hear of it."""

    def observe():
        thread = Thread(target=call)
        thread.start()
        thread.join(60.0)

    coupling.observers.insert(0, observe)


def test_a_row_that_another_thread_appends_is_that_of_the_step(tmp_path):
    coupling, world = coupled(tmp_path)
    with Recorder(coupling, tmp_path / "run", ENGINES[world]) as recorder:
        first_observer(coupling, recorder.append)
        coupling.step(world)
        coupling.step(world)
    np.testing.assert_allclose(read_recording(tmp_path / "run").time, [0.0, 0.01, 0.02], atol=1e-12)


def test_steps_go_on_when_another_thread_closes_what_follows_them(tmp_path):
    coupling, world = coupled(tmp_path)
    recorder, view = Recorder(coupling, tmp_path / "run", ENGINES[world]), View(coupling, ENGINES[world], port=0)
    for watcher in (recorder, view):
        first_observer(coupling, watcher.close)
    coupling.step(world)
    coupling.step(world)
    assert read_recording(tmp_path / "run").steps == 0


def test_a_second_thread_that_steps_a_coupling_is_refused(tmp_path):
    coupling, world = coupled(tmp_path)
    taken, refused = [], []

    def go():
        for _ in range(6):
            try:
                coupling.step(world)
                taken.append(1)
            except EngineError as error:
                refused.append(str(error))

    threads = [Thread(target=go) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60.0)
    assert not any(thread.is_alive() for thread in threads)
    assert world.frame() == len(taken)
    assert all("step: another thread is in the middle of a step of this scene" in text for text in refused)
    other, its_world = coupled(tmp_path)
    for _ in range(len(taken)):
        other.step(its_world)
    assert (coupling.body_poses == other.body_poses).all()
