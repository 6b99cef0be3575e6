"""What an animator callback raises reaches the user."""

import traceback

import pytest
import uipc

from ipc_articulation.engine import Engine
from ipc_articulation.errors import EngineError
from ipc_articulation.frontend.callbacks import guard, raise_kept, run_callbacks
from tests.engine.scenes import BoxScene, translation


class BrokenError(Exception):
    pass


def broken(info):
    raise BrokenError(info)


def raises(guarded, *infos):
    for info in infos:
        with pytest.raises(BrokenError):
            guarded(info)


def test_the_first_exception_is_kept_as_itself_and_once():
    scene = uipc.Scene()
    raises(guard(broken, scene), "first", "second")
    with pytest.raises(BrokenError, match="first") as raised:
        raise_kept(scene)
    assert "broken" in [frame.name for frame in traceback.extract_tb(raised.value.__traceback__)]
    raise_kept(scene)  # nothing is left


def test_a_callback_that_works_returns_what_it_returns():
    scene = uipc.Scene()
    assert guard(len, scene)("four") == 4
    raise_kept(scene)


def test_scenes_keep_their_own():
    one, other = uipc.Scene(), uipc.Scene()
    raises(guard(broken, one), "of one")
    raise_kept(other)
    raise_kept(uipc.Scene())  # which has no callbacks
    with pytest.raises(BrokenError, match="of one"):
        raise_kept(one)


def test_a_step_raises_what_its_callbacks_raised_and_keeps_nothing():
    scene = uipc.Scene()
    guarded = guard(broken, scene)
    with pytest.raises(BrokenError, match="first"):
        run_callbacks(lambda: [guarded("first"), guarded("second")])
    raise_kept(scene)
    run_callbacks(lambda: None)


def test_a_step_within_a_callback_raises_its_own():
    """A callback steps another world: each step raises what its own callbacks raised."""
    inner, outer = (guard(broken, uipc.Scene()) for _ in range(2))

    def outer_callbacks():
        with pytest.raises(BrokenError, match="inner"):
            run_callbacks(lambda: inner("inner"))
        outer("outer")

    with pytest.raises(BrokenError, match="outer"):
        run_callbacks(outer_callbacks)


def test_one_world_never_raises_what_another_worlds_callbacks_raised(tmp_path):
    """The first world's error was swallowed by an engine that only logs it, say libuipc's."""

    def world(name):
        scene = BoxScene(tmp_path / name)
        scene.add_box(translation(0, 0, 0))
        return scene.start()

    mine, other = world("mine"), world("other")
    raises(guard(broken, other.scene), "of the other")
    mine.run(1)
    assert mine.world.frame() == 1
    with pytest.raises(BrokenError, match="of the other"):
        raise_kept(other.scene)


@pytest.mark.parametrize("kept", [True, False], ids=["guarded", "plain"])
def test_a_world_raises_what_its_own_callback_raised(tmp_path, kept):
    scene = BoxScene(tmp_path)
    scene.add_box(translation(0, 0, 0))
    owner = scene.scene.objects().find("box 0")[0]
    scene.scene.animator().insert(object=owner, callable=guard(broken, scene.scene) if kept else broken)
    engine = Engine("cpu", tmp_path)
    world = uipc.World(engine)
    world.init(scene.scene)
    with pytest.raises(BrokenError):
        world.advance()
    assert world.frame() == 0
    raise_kept(scene.scene)


def test_what_is_no_callback_is_named(tmp_path):
    scene = BoxScene(tmp_path)
    scene.add_box(translation(0, 0, 0))
    with pytest.raises(EngineError, match=r"animator\.insert: callable is None, must be a function"):
        scene.scene.animator().insert(scene.scene.objects().find("box 0")[0], None)
