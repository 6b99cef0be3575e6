"""Machine code on disk: whole files, those of older sources replaced, and those that a wheel brings."""

import os
from pathlib import Path

import pytest
from llvmlite.binding import get_host_cpu_features

from ipc_articulation import linking
from ipc_articulation.machine_code import _HAS, KIND, MADE_FOR
from tests.test_compiled import copy, run

__all__ = ["copy"]  # the fixture

CALL = "from ipc_articulation.trial.callee import scaled; print(scaled(2), len(scaled.stats.cache_hits))"
COMPILED, FOUND = "6 0", "6 1"

runs_here = pytest.mark.skipif(
    not all(get_host_cpu_features().get(name) for name in _HAS) or "NUMBA_CPU_NAME" in os.environ,
    reason=f"this processor is no {KIND}",
)


def on_disk(package: Path) -> list[Path]:
    return sorted(package.rglob("*scaled*.nbc"))


def test_code_of_older_sources_is_replaced(copy: Path) -> None:
    assert run(copy, CALL) == COMPILED
    (before,) = on_disk(copy)
    (copy / "trial" / "constants.py").write_text("FACTOR = 4\n")  # longer: Python sees it within a second
    assert run(copy, CALL) == "8 0"
    (after,) = on_disk(copy)
    assert before != after


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX permissions")
def test_others_may_read_what_one_has_compiled(copy: Path) -> None:
    """An image whose builder has compiled ahead runs as another user."""
    run(copy, f"import os; os.umask(0o022)\n{CALL}")
    (file,) = on_disk(copy)
    assert file.stat().st_mode & 0o777 == 0o644


def test_code_of_another_processor_is_kept(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(copy, CALL)
    monkeypatch.setenv("NUMBA_CPU_NAME", "generic")
    assert [run(copy, CALL), run(copy, CALL)] == [COMPILED, FOUND]
    monkeypatch.delenv("NUMBA_CPU_NAME")
    assert run(copy, CALL) == FOUND


@pytest.mark.parametrize("cut", [0, 9, 100])
def test_a_file_that_is_cut_short_is_compiled_anew(copy: Path, cut: int) -> None:
    run(copy, CALL)
    (file,) = on_disk(copy)
    file.write_bytes(file.read_bytes()[:cut])
    assert [run(copy, CALL), run(copy, CALL)] == [COMPILED, FOUND]


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        ("m.os.replace = refuse", "No space left on device"),
        ("m.CompileResultCacheImpl = lambda function: refuse2()", "no locator available"),
    ],
)
def test_where_no_file_can_be_written_each_run_compiles(copy: Path, broken: str, why: str) -> None:
    """A full disk; a folder and a home that are read-only."""
    code = f"""
import logging
logging.basicConfig(format="%(message)s", stream=sys.stdout)
import ipc_articulation.machine_code as m

def refuse(*_):
    raise OSError(28, "No space left on device")

def refuse2():
    raise RuntimeError("no locator available")

{broken}
{CALL}
"""
    said = run(copy, code).splitlines()
    assert said[-1] == COMPILED
    assert len(said) == 2, said
    assert said[0].startswith("compiled code cannot be kept, so each run compiles: ")
    assert why in said[0]
    assert not [file for file in copy.rglob("*") if file.suffix in (".nbc", ".part")]


@pytest.fixture
def wheel(copy: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package with machine code that it brings, and an empty folder for what is compiled."""
    with monkeypatch.context() as context:
        context.setenv("NUMBA_CPU_NAME", KIND)
        context.setenv("NUMBA_CPU_FEATURES", "")
        assert run(copy, CALL) == COMPILED
    folder = copy / "wheel_code"
    folder.mkdir()
    (file,) = on_disk(copy)
    file.rename(folder / file.name)
    (folder / "made_for.txt").write_text(f"{MADE_FOR}\n")
    return copy


@runs_here
@pytest.mark.skipif(not linking.LINKS_WHOLE, reason="another version of numba")
def test_code_that_a_wheel_brings_is_used(wheel: Path) -> None:
    assert run(wheel, CALL) == FOUND
    assert [file.parent.name for file in on_disk(wheel)] == ["wheel_code"], "nothing is compiled"


@runs_here
def test_a_changed_source_is_compiled_though_a_wheel_brings_code(wheel: Path) -> None:
    (wheel / "trial" / "constants.py").write_text("FACTOR = 4\n")  # longer: Python sees it within a second
    assert run(wheel, CALL) == "8 0"


@pytest.mark.parametrize(
    ("made_for", "change", "why"),
    [
        ("numba 0.1 and Python 3.2", "", f"but here is {MADE_FOR}"),
        (MADE_FOR, "m.get_host_cpu_features = lambda: dict.fromkeys(m._HAS[1:], True)", "this processor has no avx:"),
    ],
)
def test_where_the_code_of_a_wheel_does_not_run_it_is_said_once(
    wheel: Path, made_for: str, change: str, why: str
) -> None:
    (wheel / "wheel_code" / "made_for.txt").write_text(made_for)
    log = "import logging; logging.basicConfig(format='%(message)s', stream=sys.stdout)\n"
    other = "\nfrom ipc_articulation.trial.caller import twice; twice(1)"
    said = run(wheel, f"{log}import ipc_articulation.machine_code as m; {change}\n{CALL}{other}").splitlines()
    assert said[-1] == COMPILED
    assert len(said) == 2, said
    assert said[0].startswith(f"the package brings machine code for {made_for} on {KIND}, but ")
    assert why in said[0]
