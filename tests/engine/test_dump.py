"""Dumps: a run goes on bit for bit, whatever happened to the process; what does not fit is refused by name."""

import errno
import os
import random
import subprocess
import sys

import numpy as np
import pytest

from ipc_articulation.engine.persistence.dump_file import read_dump
from ipc_articulation.errors import DumpError
from tests.engine.dumping_run import make, run
from tests.engine.scenes import BoxScene, translation

STEPS = 40


def finish(scene, every=0):
    for _ in run(scene, STEPS, every):
        pass
    return scene.engine.cpu.state


def assert_same_bits(a, b):
    for name, ours, theirs in zip(a._fields, a, b, strict=True):
        assert ours.tobytes() == theirs.tobytes(), name


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The end of a run that never dumps; it has contact, friction and a hinge."""
    scene = make(tmp_path_factory.mktemp("undisturbed"))
    end = finish(scene)
    assert scene.engine.statistics.collisions > 10
    return end


@pytest.mark.parametrize("frame", [1, 17, 33])
def test_recovered_run_has_the_same_bits(tmp_path, undisturbed, frame):
    first = make(tmp_path)
    for reached in run(first, STEPS, every=0):
        if reached == frame:
            assert first.world.dump()
    assert_same_bits(finish(first), undisturbed)
    second = make(tmp_path)
    assert second.world.recover(frame)
    assert second.world.frame() == frame
    assert_same_bits(finish(second), undisturbed)


@pytest.mark.slow
def test_run_that_is_recovered_after_every_step(tmp_path, undisturbed):
    """Nothing but the dump lives from step to step: neither candidates nor anything else of the process."""
    make(tmp_path).world.dump()
    for _ in range(STEPS):
        scene = make(tmp_path)
        scene.world.recover()
        scene.run(1).world.dump()
    assert_same_bits(scene.engine.cpu.state, undisturbed)


def test_going_back_in_the_same_world(tmp_path, undisturbed):
    scene = make(tmp_path)
    finish(scene, every=10)
    assert scene.world.recover(20)
    assert_same_bits(finish(scene), undisturbed)


def test_dump_after_an_advance_that_was_not_retrieved(tmp_path):
    scene = make(tmp_path)
    scene.run(3)
    scene.world.advance()
    scene.world.dump()
    scene.world.retrieve()
    q = scene.q
    other = make(tmp_path)
    other.world.recover()
    other.world.retrieve()
    assert np.array_equal(other.q, q)


def test_newest_and_none(tmp_path):
    scene = make(tmp_path)
    assert not scene.world.recover()
    finish(scene, every=10)
    assert not scene.world.recover(11)
    assert scene.world.frame() == STEPS
    other = make(tmp_path)
    assert other.world.recover()
    assert other.world.frame() == STEPS


def test_damaged_dumps_are_refused_by_name_and_passed_over(tmp_path, caplog):
    scene = make(tmp_path)
    finish(scene, every=10)
    whole = (tmp_path / "dumps" / "frame_000040.dump").read_bytes()
    (tmp_path / "dumps" / "frame_000040.dump").write_bytes(whole[:-100])
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 1
    (tmp_path / "dumps" / "frame_000030.dump").write_bytes(flipped)
    for frame in (30, 40):
        with pytest.raises(DumpError, match=rf"frame_0000{frame}\.dump is damaged or truncated"):
            scene.world.recover(frame)
    assert scene.world.frame() == STEPS
    assert scene.world.recover()
    assert scene.world.frame() == 20
    assert "frame_000040.dump is damaged or truncated" in caplog.text
    assert "the next older one is tried" in caplog.text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"frame_000007\.dump is not a dump of this engine"),
        (b"ipc_articulation dump 9 sha256 0\n", r"frame_000007\.dump is of version 9; this engine reads 8"),
        (b"ipc_articulation dump 8 sha256 0\nabc", r"frame_000007\.dump is damaged or truncated"),
        (b"ipc_articulation dump ", r"frame_000007\.dump is damaged or truncated"),
        (b"ipc_articulation dump 8", r"frame_000007\.dump is damaged or truncated"),
    ],
)
def test_what_is_no_dump(tmp_path, content, message):
    scene = make(tmp_path)
    (tmp_path / "dumps").mkdir()
    (tmp_path / "dumps" / "frame_000007.dump").write_bytes(content)
    for arguments in ((), (7,)):
        with pytest.raises(DumpError, match=message):
            scene.world.recover(*arguments)
    assert scene.run(1).world.frame() == 1


def test_whatever_becomes_of_a_dump_is_named_and_passed_over(tmp_path):
    """Cut, with flipped bits, or of another frame."""
    draw, scene = random.Random(2), boxes(tmp_path)
    assert scene.run(1).world.dump()
    assert scene.run(1).world.dump()
    older, newer = (tmp_path / "dumps" / f"frame_00000{frame}.dump" for frame in (1, 2))
    whole = newer.read_bytes()
    begin = whole.index(b"\n") + 1
    damaged = [whole[:size] for size in (*range(begin), *draw.sample(range(begin, len(whole)), 40))]
    for _ in range(160):
        bits = bytearray(whole)
        for _ in range(draw.randint(1, 4)):
            bits[draw.randrange(draw.choice([begin, len(whole)]))] ^= 1 << draw.randrange(8)
        damaged.append(bytes(bits))
    for content in (*damaged, older.read_bytes()):
        newer.write_bytes(content)
        with pytest.raises(DumpError, match=r"frame_000002\.dump"):
            read_dump(newer)
    with pytest.raises(DumpError, match=r"frame_000002\.dump has the name of another: it holds frame 1"):
        scene.world.recover(2)
    for content in (whole[:22], damaged[-1]):
        newer.write_bytes(content)
        assert scene.world.recover()
        assert scene.world.frame() == 1


def test_a_dump_that_cannot_be_written_is_named_and_leaves_nothing(tmp_path, monkeypatch):
    scene = boxes(tmp_path)

    def fail(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(DumpError, match=r"frame_000000\.dump cannot be written: No space left on device"):
            scene.world.dump()
    assert not list((tmp_path / "dumps").iterdir())
    (tmp_path / "dumps").rmdir()
    (tmp_path / "dumps").touch()
    with pytest.raises(DumpError, match=r"dumps, the folder of dumps, cannot be written: File exists"):
        scene.world.dump()
    for frame in ((), (0,)):
        with pytest.raises(DumpError, match=r"dumps, the folder of dumps, cannot be read: Not a directory"):
            scene.world.recover(*frame)
    assert scene.run(1).world.frame() == 1


def boxes(workspace, count=2, height=-1.0, **settings):
    """Boxes above the ground; settings of the bodies, and of the scene."""
    of_bodies = {key: settings.pop(key) for key in ("density", "kappa", "is_fixed", "size") if key in settings}
    scene = BoxScene(workspace, **settings)
    scene.add_ground(height)
    for k in range(count):
        scene.add_box(translation(0, 0, 0.5 * k), **(of_bodies if k == 0 else {}))
    return scene.start()


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"count": 3}, r"frame_000000\.dump is of another scene: it has 2 bodies, the present scene 3"),
        ({"density": 900.0}, r"is of another scene: its mass of 'box 0' is 8\.0\d*, the present scene's 7\.\d+"),
        ({"kappa": 2e8}, r"another scene: its kappa of 'box 0' is 100000000\.0, the present scene's 200000000\.0"),
        ({"is_fixed": 1}, r"another scene: its is_fixed of 'box 0' is False, the present scene's True"),
        ({"friction": 0.3}, r"another scene: its largest friction of 'box 0' is 0\.5, the present scene's 0\.3"),
        ({"resistance": 2e9}, r"entry 0 of its contact resistance is 1000000000\.0, the present scene's 2000000000\.0"),
        ({"gravity": (0, 0, -1.6)}, r"entry 2 of its gravity is -9\.8, the present scene's -1\.6"),
        ({"contact__eps_velocity": 0.1}, r"its contact/eps_velocity is 0\.01, the present scene's 0\.1"),
        ({"height": -2.0}, r"entry 0 of its positions of half-planes is \[.*\], the present scene's \["),
        ({"size": (0.2, 0.2, 0.1)}, r"another scene: its mass of 'box 0' is"),
        ({"integrator__type": "bdf2"}, r"another scene: its integrator/type is bdf1, the present scene's bdf2"),
        ({"contact__d_hat": 0.02}, r"another scene: its contact/d_hat is 0\.01, the present scene's 0\.02"),
    ],
)
def test_dump_of_another_scene(tmp_path, other, message):
    boxes(tmp_path).world.dump()
    scene = boxes(tmp_path, **other)
    with pytest.raises(DumpError, match=message):
        scene.world.recover()
    assert scene.world.is_valid()


@pytest.mark.parametrize("other", [{"dt": 0.02}, {"newton__velocity_tol": 0.01}, {"line_search__max_iter": 20}])
def test_what_may_change(tmp_path, other):
    boxes(tmp_path).world.dump()
    assert boxes(tmp_path, **other).world.recover()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_killed_at_any_moment(tmp_path, undisturbed, seed):
    """Kill -9 after a random number of steps and a random pause, twice; the third process finishes."""
    chance = random.Random(seed)
    command = [sys.executable, "-m", "tests.engine.dumping_run", str(tmp_path), str(STEPS)]
    for _ in range(2):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        last = chance.randrange(5, STEPS - 5)
        for line in process.stdout:
            if line.split()[-1].isdigit() and int(line.split()[-1]) >= last:
                break
        try:
            process.wait(timeout=chance.uniform(0.0, 0.02))
        except subprocess.TimeoutExpired:
            process.kill()
        process.wait()
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout.startswith("recovered True")
    with np.load(tmp_path / "end.npz") as end:
        for name in end:
            assert end[name].tobytes() == getattr(undisturbed, name).tobytes(), name
