"""Compiled code is discarded when what it was made from changes, also in other files; writers do not mix it up."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from numba.core.caching import FunctionCache

from ipc_articulation import compiled

PACKAGE = Path(compiled.__file__).parent

CALLEE = """
from ipc_articulation.compiled import compiled
from ipc_articulation.trial.constants import FACTOR

@compiled
def scaled(x):
    return FACTOR * x
"""

CALLER = """
from ipc_articulation.compiled import compiled
from ipc_articulation.trial.callee import (
    scaled,
)

@compiled
def twice(x):
    return 2 * scaled(x)
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A package of the same name that consists of three files and of what compiles them."""
    package = tmp_path / "ipc_articulation"
    trial = package / "trial"
    trial.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "compiled.py").write_text((PACKAGE / "compiled.py").read_text())
    for name, text in {"__init__": "", "constants": "FACTOR = 3", "callee": CALLEE, "caller": CALLER}.items():
        (trial / f"{name}.py").write_text(text)
    return package


def run(package: Path, code: str) -> str:
    """What a script prints that imports from a package."""
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(package.parent)!r})\n{code}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


CALL = "from ipc_articulation.trial.caller import twice; print(twice(1), len(twice.stats.cache_hits))"


def test_compiled_code_is_kept(copy: Path) -> None:
    assert run(copy, CALL) == "6 0"
    assert run(copy, CALL) == "6 1"


@pytest.mark.parametrize(
    ("file", "old", "new", "result"), [("constants", "3", "5", "10"), ("callee", "* x", "* x + 1", "8")]
)
def test_a_change_in_another_file_discards_compiled_code(
    copy: Path, file: str, old: str, new: str, result: str
) -> None:
    assert run(copy, CALL) == "6 0"
    source = copy / "trial" / f"{file}.py"
    source.write_text(source.read_text().replace(old, new))
    assert run(copy, CALL) == f"{result} 0"


def test_a_change_in_a_file_that_is_not_imported_discards_nothing(copy: Path) -> None:
    (copy / "trial" / "other.py").touch()
    run(copy, CALL)
    (copy / "trial" / "other.py").write_text("FACTOR = 7")
    assert run(copy, CALL) == "6 1"


def test_a_process_locks_the_cache_while_it_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    events = []

    @contextmanager
    def lock(file: Path) -> Iterator[None]:
        events.append(f"lock {file.name}")
        yield
        events.append("unlock")

    monkeypatch.setattr(compiled, "FileLock", lock)
    monkeypatch.setattr(FunctionCache, "save_overload", lambda self, signature, data: events.append("save"))
    assert compiled.compiled(lambda x: 2 * x)(3) == 6
    assert events == ["lock .numba.lock", "save", "unlock"]


def test_every_function_of_the_package_is_compiled_so() -> None:
    users = [file for file in PACKAGE.rglob("*.py") if "njit" in file.read_text(encoding="utf-8")]
    assert users == [PACKAGE / "compiled.py"]
