"""Compiling ahead: what is refused, what is told, and what processes do at the same time."""

import os
import subprocess
import sys
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from signal import SIGINT, default_int_handler, signal
from threading import Timer
from time import perf_counter

import pytest
from filelock import FileLock

from ipc_articulation import cli
from ipc_articulation.errors import EngineError
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.warming import KINDS, Compiled, entrances, helping, kinds_of, pool, warm
from ipc_articulation.warming.entrances import Entrance, entrances_of

CHEAP = [
    "affine ipc_articulation.contact.barrier barrier (float64, float64, float64, )\n",
    "soft ipc_articulation.contact.readouts largest (float64[::1], )\n",
]


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A list of two entrances, and an empty folder for what is compiled."""
    file = tmp_path / "entrances.txt"
    file.write_text("".join(CHEAP))
    monkeypatch.setattr(entrances, "LIST", file)
    monkeypatch.setattr(pool, "_PROGRAM", ("-c", _WORKER.format(file=str(file))))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "disk"))
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path / "disk"))
    return file


_WORKER = """
import sys
from pathlib import Path
from ipc_articulation.warming import entrances, worker
entrances.LIST = Path({file!r})
sys.exit(worker.work(int(sys.argv[1]), sys.argv[2:]) > 0)
"""


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the functions look for their files anew."""
    for entrance in entrances_of(KINDS):
        _, disk = entrance._found()
        disk.__dict__.pop("_kept", None)
        disk.__dict__.pop("_claim", None)


def test_an_unknown_kind_is_named_with_those_that_there_are():
    with pytest.raises(EngineError, match=r"^kind 'rigid' of scenes is unknown; kinds: affine, soft, dynamics$"):
        warm(["affine", "rigid"])


def test_the_command_refuses_it_as_wrong_use(capsys):
    assert cli.main(["warm", "rigid"]) == 2
    assert "kind 'rigid' of scenes is unknown" in capsys.readouterr().err


@pytest.mark.slow
def test_what_is_compiled_is_found_by_all(cheap, monkeypatch):
    forget(monkeypatch)
    done = warm(["affine"], quiet=True)
    assert (done.functions, done.processes) == (1, 1)
    assert [entrance.is_on_disk() for entrance in entrances_of(KINDS)] == [True, False]
    assert warm(["affine"], quiet=True).functions == 0
    assert warm(quiet=True).functions == 1


@pytest.mark.slow
def test_a_process_leaves_out_what_another_is_compiling(cheap, monkeypatch):
    forget(monkeypatch)
    first, second = entrances_of(KINDS)
    with FileLock(first._found()[1]._claim.lock_file):
        done = warm(quiet=True)
        assert (done.functions, done.missing) == (1, 1)
        assert (first.is_on_disk(), second.is_on_disk()) == (False, True)
    assert warm(quiet=True).functions == 1


@pytest.mark.slow
def test_a_function_that_cannot_be_compiled_is_named_and_the_others_are(cheap, monkeypatch):
    cheap.write_text(CHEAP[0].replace("float64, float64, ", "") + CHEAP[1])
    forget(monkeypatch)
    with pytest.raises(
        EngineError, match=r"^compiling failed: ipc_articulation\.contact\.barrier\.barrier: TypeError: "
    ):
        warm(quiet=True)
    assert entrances_of(["soft"])[0].is_on_disk()


def test_helpers_end_with_the_block(monkeypatch):
    monkeypatch.setattr(pool, "cores", lambda: 3)
    monkeypatch.setattr(pool, "_PROGRAM", ("-c", "import time; time.sleep(60)"))
    begun: list[subprocess.Popen[str]] = []
    real = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *given, **how: begun.append(real(*given, **how)) or begun[-1])
    with helping(["affine"]):
        assert [process.poll() for process in begun] == [None, None]
    assert not {None, 0} & {process.poll() for process in begun}  # ended, and not of themselves


def test_what_is_missing_is_compiled(cheap, monkeypatch):
    forget(monkeypatch)
    warm(quiet=True)
    entrances_of(KINDS)[0]._file().unlink()
    assert warm(quiet=True).functions == 1


def test_ctrl_c_ends_the_processes_at_once(cheap, monkeypatch):
    forget(monkeypatch)
    monkeypatch.setattr(pool, "_PROGRAM", ("-c", "import time; print('compiled f', flush=True); time.sleep(60)"))

    def interrupted(done: int, seconds: float = 0.0) -> None:
        if done == 1:  # once: a second one would end the wait for threads
            Timer(0.5, os.kill, (os.getpid(), SIGINT)).start()

    monkeypatch.setattr(pool, "progress", lambda *given, **how: nullcontext(interrupted))
    start, handler = perf_counter(), signal(SIGINT, default_int_handler)  # a shell may have had it ignored
    try:
        with pytest.raises(KeyboardInterrupt):
            warm(quiet=True)
    finally:
        signal(SIGINT, handler)
    assert perf_counter() - start < 30.0


@pytest.mark.slow
def test_modules_in_the_current_folder_are_not_imported(cheap, monkeypatch, tmp_path):
    forget(monkeypatch)
    (tmp_path / "llvmlite.py").write_text("raise ImportError('my own')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place])
    assert warm(quiet=True).functions == 2


def test_where_no_process_starts_a_run_goes_on_alone_and_the_command_says_so(cheap, monkeypatch):
    forget(monkeypatch)
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with helping(["affine"]):
        pass
    with pytest.raises(EngineError, match=r"^the system starts no process that compiles$"):
        warm(quiet=True)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="a process is not told that its parent has ended")
def test_a_worker_ends_when_the_process_that_began_it_has(cheap):
    def said(parent: int) -> str:
        command = [sys.executable, *pool._PROGRAM, str(parent), "affine"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert said(os.getpid() + 1) == ""
    assert said(os.getpid()) == "compiled barrier\n"


@pytest.mark.parametrize(
    ("scene", "kinds"),
    [
        ("panda_push.yaml", ("affine",)),
        ("hinge_pair.yaml", ("affine",)),
        ("panda_sponge.yaml", ("affine", "soft")),
        ("four_bar_press.yaml", ("affine", "dynamics")),
    ],
)
def test_a_scene_needs_some_kinds(scene, kinds):
    read, _ = read_scene(Path("scenes") / scene)
    assert kinds_of(read) == kinds


def test_the_command_says_what_it_did(monkeypatch, capsys):
    monkeypatch.setattr("ipc_articulation.warming.warm", lambda kinds, quiet: Compiled(7, 0, 2, 2.04))
    assert cli.main(["warm", "affine"]) == 0
    assert "7 functions compiled in 2.0 s by 2 processes" in capsys.readouterr().out
    assert cli.main(["warm", "affine", "--quiet"]) == 0
    assert capsys.readouterr().out == ""


def test_every_entrance_of_the_list_is_there():
    for entrance in entrances_of(KINDS):
        assert entrance.is_known(), entrance.name
        entrance.is_on_disk()  # reads the signature


def test_no_function_is_compiled_again_for_arrays_that_lie_otherwise_in_memory():
    """Let the caller make them contiguous: each signature takes up to ten seconds."""
    alike = Counter((*entrance[1:3], entrance.signature.replace("::1", ":")) for entrance in entrances_of(KINDS))
    assert [entrance[:2] for entrance, number in alike.items() if number > 1] == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_list_is_what_scenes_call(kind):
    """Write it anew by `python -m ipc_articulation.warming.record`."""
    found = subprocess.run(
        [sys.executable, "-m", "ipc_articulation.warming.record", kind], capture_output=True, text=True, check=True
    ).stdout
    called = [Entrance(*line.split(" ", 3)) for line in found.splitlines()]
    listed = entrances_of(KINDS)
    known, names = {entrance[1:] for entrance in listed}, {entrance[1:3] for entrance in listed}
    changed = [entrance for entrance in called if entrance[1:3] in names and entrance[1:] not in known]
    assert not changed
    new = [entrance for entrance in called if entrance.is_known() and entrance[1:3] not in names]
    assert len(new) <= 5, new  # what is called only now and then, on another CPU
