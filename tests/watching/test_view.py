"""A live view shows the scene as it is after each step, holds the script when its page says so, and costs little."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import uipc

from ipc_articulation import Engine, EngineError, Recorder, SceneError, View, extras, read_recording
from ipc_articulation.errors import MissingPackageError, ViewingError
from ipc_articulation.viewing.bodies import rigid_parts
from ipc_articulation.viewing.replaying import viser_scene
from ipc_articulation.viewing.replaying.server import free_port, quiet_server
from ipc_articulation.watching.live_scene import LiveScene
from tests.watching.scenes import add_box, config, move, step

viser = pytest.importorskip("viser")
PATIENCE = 10.0  # seconds


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a page were open."""
    monkeypatch.setattr(LiveScene, "is_watched", True)


def nodes(view: View) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Position and quaternion of each body in the page, by name."""
    frames = {name: body.frame for name, body in view._scene._stage._bodies.items()}
    return {name: (np.array(frame.position), np.array(frame.wxyz)) for name, frame in frames.items()}


def until(condition: Any) -> None:
    end = time.perf_counter() + PATIENCE
    while not condition():
        assert time.perf_counter() < end
        time.sleep(0.01)


def shown(view: View, name: str, pose: np.ndarray) -> bool:
    position, quaternion = nodes(view)[name]
    return all(np.allclose(*pair, atol=1e-9) for pair in zip((position, quaternion), rigid_parts(pose), strict=True))


def test_the_page_has_the_bodies_where_they_are(arm: tuple, watched: None) -> None:
    coupling, world, engine = arm
    with View(coupling, engine, fps=1000.0) as view:
        for _ in range(5):
            coupling.step(world)
            until(lambda: shown(view, "arm", coupling.body_poses[0]))
        assert "<td>step</td>" in view._scene._panel._table.content
        until(lambda: ">5</td>" in view._scene._panel._table.content)
        assert ">0.05 s</td>" in view._scene._panel._table.content
    assert coupling.observers == []


def test_a_plain_scene_is_updated_by_the_script(box: tuple, watched: None) -> None:
    scene, world, engine = box
    with View(scene, engine) as view:
        start = nodes(view)["box"][0]
        for _ in range(3):
            step(world)
            view.update()
        view.show()
        until(lambda: nodes(view)["box"][0][2] < start[2] - 1e-3)


def test_forces_are_shown_to_the_scale_of_the_last_seconds(tmp_path: Path, watched: None) -> None:
    scene = uipc.Scene(config())
    add_box(scene, "box", 0.1005)
    scene.objects().create("ground").geometries().create(uipc.geometry.ground(0.0, np.array([[0.0], [0.0], [1.0]])))
    engine = Engine("cpu", tmp_path / "engine")
    world = uipc.World(engine)
    world.init(scene)
    with View(scene, engine, fps=1000.0) as view:
        stage = view._scene._stage
        for _ in range(30):
            step(world)
            view.show()
            until(lambda: view._scene._shown is view._scene._newest)
        until(lambda: len(stage._forces) == 4)  # one at each corner of the box
        vectors = stage._forces[:, 1] - stage._forces[:, 0]
        assert np.all(vectors[:, 2] > 0.0)  # the ground pushes up
        assert 0.05 < np.linalg.norm(vectors, axis=1).max() / view._scene._arrow < 1.01
        stage.show_forces(False)
        assert not stage._arrows.visible


def test_moments_are_read_as_often_as_they_can_be_seen(
    arm: tuple, watched: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    coupling, world, engine = arm
    read = []
    with View(coupling, engine, fps=2.0) as view:
        monkeypatch.setattr(view._scene, "show", read.append)
        began = time.perf_counter()
        for _ in range(50):
            coupling.step(world)
            time.sleep(0.01)
        passed = time.perf_counter() - began
    assert 1 <= len(read) <= 2.0 * passed + 1


def test_a_step_without_a_page_is_slowed_by_less_than_a_millisecond(arm: tuple) -> None:
    coupling, _, engine = arm
    with View(coupling, engine) as view:
        times = []
        for _ in range(200):
            view._read = 0.0  # each call reads the scene, which happens twice a second
            began = time.perf_counter()
            view.update()
            times.append(time.perf_counter() - began)
    assert np.median(times) < 1e-3


def test_a_page_that_is_opened_late_shows_the_present(box: tuple, monkeypatch: pytest.MonkeyPatch) -> None:
    scene, world, engine = box
    with View(scene, engine) as view:
        start = nodes(view)["box"][0][2]
        for _ in range(3):
            step(world)
        view.show()
        assert nodes(view)["box"][0][2] == start  # nobody looks: nothing is sent
        view._scene._wake.set()  # as when a page is opened
        until(lambda: nodes(view)["box"][0][2] < start - 1e-3)


def test_bodies_come_and_go(box: tuple, watched: None) -> None:
    scene, world, engine = box
    with View(scene, engine, fps=1000.0) as view:
        add_box(scene, "later", 1.0, count=2)
        step(world)
        view.show()
        until(lambda: set(nodes(view)) == {"box", "later instance 0", "later instance 1"})
        (later,) = scene.objects().find("later")
        scene.objects().destroy(later.id())
        step(world)
        view.show()
        until(lambda: set(nodes(view)) == {"box"})
        step(world)
        view.update()


def test_a_fixed_body_that_the_script_moves(box: tuple, watched: None) -> None:
    scene, world, engine = box
    add_box(scene, "wall", 2.0, is_fixed=True)
    step(world)
    with View(scene, engine, fps=1000.0) as view:
        start = nodes(view)["wall"][0]
        move(engine, 1, 0.1)
        step(world)
        view.show()
        until(lambda: np.allclose(nodes(view)["wall"][0], start + np.array([0.1, 0.0, 0.0])))


def test_many_equal_bodies_are_shaded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = uipc.Scene(config())
    for number in range(3):
        add_box(scene, f"boxes {number}", 0.5 + 2.0 * number, count=5)
    engine = Engine("cpu", tmp_path / "engine")
    world = uipc.World(engine)
    world.init(scene)
    shaded = []
    original = viser_scene._shaded
    monkeypatch.setattr(viser_scene, "_shaded", lambda mesh: shaded.append(mesh) or original(mesh))
    with View(scene, engine) as view:
        assert len(nodes(view)) == 15
        assert len(shaded) == 1
        view._scene._stage.show_names(True)
        labels = [body._label.text for body in view._scene._stage._bodies.values()]
        assert labels == list(nodes(view))


@pytest.mark.slow
def test_a_view_that_is_left_open_ends_silently_with_the_script(tmp_path: Path) -> None:
    script = """
import sys
import uipc
from ipc_articulation import Engine, View
from tests.watching.scenes import add_box, config

scene = uipc.Scene(config())
add_box(scene, "box", 0.5)
world = uipc.World(Engine("cpu", sys.argv[1]))
world.init(scene)
view = View(scene)
"""
    command = [sys.executable, "-c", script, tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2], timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1].startswith("live view: ")


def test_several_views_and_recorders_of_one_coupling(arm: tuple, tmp_path: Path, watched: None) -> None:
    coupling, world, engine = arm
    with View(coupling, engine) as first, Recorder(coupling, tmp_path / "run", engine), View(coupling) as second:
        assert first.url != second.url
        coupling.step(world)
        first.close()
        coupling.step(world)
        second.show()
        until(lambda: shown(second, "arm", coupling.body_poses[0]))
    assert read_recording(tmp_path / "run").steps == 2


def test_the_script_is_held_and_takes_single_steps(arm: tuple) -> None:
    coupling, world, _ = arm
    taken: list[int] = []

    def script() -> None:
        for k in range(4):
            coupling.step(world)
            taken.append(k)

    with View(coupling, paused=True) as view:
        gate = view._scene.gate
        thread = threading.Thread(target=script, daemon=True)
        thread.start()
        time.sleep(0.3)
        assert taken == []
        assert view._scene._panel._hold.label == "Continue"
        gate.let_one_pass()
        until(lambda: taken == [0])
        time.sleep(0.3)
        assert taken == [0]
        assert view._scene._panel._step.visible
        gate.set(is_closed=False)
        thread.join(timeout=PATIENCE)
        assert taken == [0, 1, 2, 3]
        assert view._scene._panel._hold.label == "Pause"


def test_closing_the_last_page_lets_a_held_script_continue(arm: tuple, monkeypatch: pytest.MonkeyPatch) -> None:
    coupling, world, _ = arm
    monkeypatch.setattr("ipc_articulation.watching.live_scene._PATIENCE", 0.2)
    with View(coupling, paused=True) as view:
        view._scene._note_leaving()
        coupling.step(world)
        assert not view._scene.gate.is_closed


@pytest.mark.parametrize("plain", [False, True], ids=["coupling", "plain scene"])
def test_ctrl_c_works_while_the_script_is_held(arm: tuple, plain: bool) -> None:
    coupling, world, _ = arm
    coupling.step(world)  # the first one takes long
    theta = coupling.theta.copy()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    try:
        with View(coupling.scene if plain else coupling, paused=True) as view:
            timer.start()
            with pytest.raises(KeyboardInterrupt):
                view.update() if plain else coupling.step(world)
            assert plain or coupling.theta[0] != theta[0]  # the step is complete
            view._scene.gate.set(is_closed=False)
            coupling.step(world)
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


def test_the_page_stays_open_at_the_end(arm: tuple, capsys: pytest.CaptureFixture[str]) -> None:
    coupling, _, _ = arm
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with View(coupling) as view:
            began = time.perf_counter()
            view.wait(timeout=0.3)
            assert time.perf_counter() - began > 0.25
            for end in (lambda: view._scene.gate.set(is_closed=False), lambda: os.kill(os.getpid(), signal.SIGINT)):
                timer = threading.Timer(0.3, end)
                timer.start()
                view.wait(timeout=PATIENCE)
                timer.join()
            assert time.perf_counter() - began < PATIENCE
    finally:
        signal.signal(signal.SIGINT, before)
    said = capsys.readouterr().out
    assert said.count(f"live view: {view.url}\n") == 1
    assert f"{view.url} stays open until Continue is pressed there, or Ctrl-C" in said


def test_an_error_in_the_loop_ends_the_page(arm: tuple) -> None:
    coupling, world, _ = arm
    view = View(coupling)
    port = int(view.url.rpartition(":")[2])
    with pytest.raises(ZeroDivisionError), view:
        coupling.step(1 / 0)
    until(lambda: free_port(port) == port)
    assert coupling.observers == []
    coupling.step(world)
    for use in (view.update, view.show, view.wait, view.__enter__):
        with pytest.raises(ViewingError, match=rf"the view at {view.url} is closed; make another one"):
            use()
    view.close()


def test_an_error_of_the_page_is_raised_in_the_script(
    box: tuple, watched: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene, _, engine = box
    with View(scene, engine) as view:
        monkeypatch.setattr(view._scene._stage, "place", lambda *_: 1 / 0)
        view.show()
        until(lambda: view._scene.error is not None)
        with pytest.raises(ViewingError, match="failed: division by zero"):
            view.update()


def test_wrong_use_is_named(arm: tuple, tmp_path: Path) -> None:
    coupling, world, engine = arm
    with pytest.raises(SceneError, match=r"must be a coupling, made by `couple`, or a uipc.Scene; is World"):
        View(world)
    with pytest.raises(EngineError, match=r"a view's engine must be the Engine of the world, is str"):
        View(coupling, "cpu")
    with pytest.raises(EngineError, match=r"a view with an engine begins after world.init\(scene\)"):
        View(coupling, Engine("cpu", tmp_path / "other"))
    for port in (-1, 65536, "8080", True):
        with pytest.raises(ViewingError, match=r"a port must be an integer from 0 \(any free port\) to 65535, is"):
            View(coupling, engine, port=port)
    with pytest.raises(ViewingError, match=r"no page can be served at 203.0.113.1, ports 8080 to 8179: "):
        View(coupling, engine, host="203.0.113.1")
    for host in ("", 5, None):
        with pytest.raises(ViewingError, match=f"^a host must be an address or a name of this machine, is {host!r}$"):
            View(coupling, engine, host=host)
    with pytest.raises(ViewingError, match="no page can be served at no such host, ports 8080 to 8179: "):
        View(coupling, engine, host="no such host")
    with pytest.raises(ViewingError, match=r"^View: paused is 'no', must be True or False$"):
        View(coupling, engine, paused="no")
    for fps in (0.0, -1.0, float("inf"), "30", 10**400):
        with pytest.raises(ViewingError, match="fps must be a positive number"):
            View(coupling, engine, fps=fps)
    assert coupling.observers == []


def test_a_wait_that_is_no_time_is_named(arm: tuple) -> None:
    with View(arm[0], port=0) as view:
        for timeout in ("x", float("nan"), -1.0, True):
            with pytest.raises(ViewingError, match=f"^View.wait: timeout is {timeout!r}, must be a number of seconds"):
                view.wait(timeout)


def test_the_extra_that_is_missing_is_named(arm: tuple, monkeypatch: pytest.MonkeyPatch) -> None:
    coupling, _, _ = arm
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match=r"viser is missing; install it with: .*ipc_articulation\[view\]"):
        View(coupling)


def test_any_free_port(arm: tuple) -> None:
    coupling, _, _ = arm
    with View(coupling, port=0) as view:
        assert int(view.url.rpartition(":")[2]) > 0


def test_a_world_that_is_recovered_is_followed(box: tuple, watched: None) -> None:
    scene, world, engine = box
    world.dump()
    with View(scene, engine, fps=1000.0) as view:
        step(world)
        view.update()
        world.recover(0)
        world.retrieve()
        view.update()
        assert (view._clock.steps, view._clock.time) == (0, 0.0)
        step(world)
        view.update()
        assert view._clock.steps == 1


def test_a_server_prints_nothing_and_leaves_the_output_of_other_threads_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[Any] = []

    class Spying(viser.ViserServer):
        def __init__(self, **options: Any) -> None:
            seen.append(sys.stdout)
            super().__init__(**options)

        def stop(self) -> None:
            seen.append(sys.stdout)
            super().stop()

    monkeypatch.setattr(viser, "ViserServer", Spying)
    with quiet_server(0, "one"):
        print("ours")
    assert seen == [sys.stdout, sys.stdout]
    assert capsys.readouterr().out == "ours\n"


def test_a_server_that_has_stopped_before_ends_silently(capsys: pytest.CaptureFixture[str]) -> None:
    with quiet_server(0, "one") as server:
        server.stop()
    assert "Error" not in "".join(capsys.readouterr())
