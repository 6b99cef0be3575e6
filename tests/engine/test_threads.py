"""One thread steps a world: others read beside it without changing a bit, and are refused when they step too."""

import sys
from functools import partial
from threading import Event, Thread

import numpy as np
import pytest

from ipc_articulation.engine.newton import newton
from ipc_articulation.errors import EngineError, SceneError
from tests.engine.scenes import BoxScene, translation
from tests.engine.threads import ends, falling_boxes, read_beside


def measure(engine):
    statistics = engine.statistics
    return statistics and (statistics.energies, statistics.collisions, statistics.contacts, statistics.minimum_distance)


def accessor_reads(engine):
    state = engine.state_accessor.create_geometry()
    state.instances().create("transform", np.eye(4))
    engine.state_accessor.copy_to(state)


READERS = [measure, lambda engine: engine.frame_stats(), accessor_reads]


def assert_readers_change_no_bit(folder, runs):
    wanted, seen = ends(falling_boxes(folder)), 0
    for run in range(runs):
        scene = falling_boxes(folder)
        with read_beside(partial(READERS[run % len(READERS)], scene.engine)) as found:
            assert (ends(scene) == wanted).all()
        assert set(found) <= {"read", "the next step has begun"}, found
        seen += found["read"]
    assert seen > runs


def test_readers_change_no_bit(tmp_path):
    assert_readers_change_no_bit(tmp_path, 3)


@pytest.mark.stress
def test_no_reader_of_two_hundred_changes_a_bit(tmp_path):
    assert_readers_change_no_bit(tmp_path, 200)


def test_a_read_out_in_the_middle_of_a_step_waits_for_its_end(tmp_path, monkeypatch):
    """The reader begins while Newton's method assembles; a read-out that did not wait would end before the step."""
    scene, order = falling_boxes(tmp_path).run(1), []
    assemble, started = newton._assemble, Event()

    def read():
        started.set()
        frame = scene.engine.frame_stats()["frame"]
        order.append(frame)

    thread = Thread(target=read)

    def assemble_slowly(*given, **options):
        if not thread.ident:
            thread.start()
            started.wait()
            thread.join(0.2)
            order.append("step")
        return assemble(*given, **options)

    monkeypatch.setattr(newton, "_assemble", assemble_slowly)
    scene.run(1)
    thread.join()
    assert order == ["step", 2]


def test_figures_of_one_moment(tmp_path):
    scene = falling_boxes(tmp_path).run(1)

    def read():
        with scene.engine.between_steps():
            frame, statistics = scene.world.frame(), scene.engine.statistics
            assert statistics.as_dict()["frame"] == frame or scene.engine.cpu.turn.is_calling
            assert statistics.contacts is not None

    with read_beside(read) as seen:
        scene.run(10)
    assert set(seen) == {"read"}


def test_a_callback_may_wait_for_a_thread_that_reads(tmp_path):
    scene, found = BoxScene(tmp_path), []
    scene.add_ground()
    scene.add_box(translation(0, 0, 0.105))

    def callback(info):
        if scene.engine.statistics:
            thread = Thread(target=lambda: found.append(scene.engine.frame_stats()["frame"]))
            thread.start()
            thread.join(30.0)

    scene.scene.animator().insert(scene.scene.objects().find(0), callback)
    scene.start().run(3)
    assert found == [1, 2]


def test_a_second_thread_that_steps_is_refused_at_once(tmp_path):
    scene, taken, refused = falling_boxes(tmp_path), [], []

    def step():
        for _ in range(10):
            try:
                scene.world.advance()
                taken.append(1)
            except EngineError as error:
                refused.append(str(error))

    threads, interval = [Thread(target=step) for _ in range(3)], sys.getswitchinterval()
    sys.setswitchinterval(0.0002)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.setswitchinterval(interval)
    assert scene.world.frame() == len(taken)
    assert len(taken) + len(refused) == 30
    assert all("world.advance(): another thread is in the middle of a step of this scene" in text for text in refused)
    scene.run(len(taken))
    other = falling_boxes(tmp_path)
    other.run(2 * len(taken))
    assert (scene.q == other.q).all()


def test_two_worlds_in_two_threads_have_the_bits_of_one(tmp_path):
    wanted, found = ends(falling_boxes(tmp_path)), []
    scenes = [falling_boxes(tmp_path) for _ in range(3)]
    threads = [Thread(target=lambda scene=scene: found.append(ends(scene))) for scene in scenes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3
    assert all((one == wanted).all() for one in found)


CALLS = {
    "world.advance()": lambda scene: scene.world.advance(),
    "world.retrieve()": lambda scene: scene.world.retrieve(),
    "world.recover()": lambda scene: scene.world.recover(),
    "world.dump()": lambda scene: scene.world.dump(),
    "world.init()": lambda scene: scene.world.init(scene.scene),
    "StateAccessor.copy_from()": lambda scene: scene.engine.state_accessor.copy_from(None),
    "VertexAccessor.copy_from()": lambda scene: scene.engine.vertex_accessor.copy_from(None),
    "PropertyAccessor.set_masses()": lambda scene: scene.engine.properties.set_masses({}),
    "PropertyAccessor.set_frictions()": lambda scene: scene.engine.properties.set_frictions({}),
}


@pytest.mark.parametrize("call", CALLS)
def test_what_changes_the_world_is_refused_in_a_callback(tmp_path, call):
    """libuipc logs what a callback raises and goes on; the step raises it all the same."""
    scene, asks = BoxScene(tmp_path), [True]
    scene.add_box(translation(0, 0, 0.3))
    scene.scene.animator().insert(
        scene.scene.objects().find(0), lambda info: CALLS[call](scene) if asks.pop() else None
    )
    scene.start()
    before = scene.q
    with pytest.raises(EngineError) as caught:
        scene.world.advance()
    assert str(caught.value).startswith(f"{call} was called in an animator callback: the step that runs the callback")
    assert scene.world.frame() == 0
    asks.append(False)
    scene.run(1)
    assert scene.world.frame() == 1
    assert (scene.q != before).any()


@pytest.mark.parametrize("count", [5, 20])
def test_a_callback_that_resizes_a_mesh_is_refused_before_anything_moves(tmp_path, count):
    scene = BoxScene(tmp_path)
    resized, other = scene.add_box(np.eye(4)), scene.add_box(translation(1, 0, 0))
    scene.scene.animator().insert(
        scene.scene.objects().find(0), lambda info: resized.geometry().vertices().resize(count)
    )
    scene.start()
    before = scene.q
    named = f"affine-body geometry {resized.id()} has {count} vertices now, but had 8 when the scene was read"
    with pytest.raises(SceneError, match=named):
        scene.world.advance()
    with pytest.raises(SceneError, match=named):
        scene.world.retrieve()
    assert (scene.q == before).all()
    assert scene.world.frame() == 0
    assert other.id() == 1
