"""Compiled code is discarded when what it was made from changes, also in other files."""

import subprocess
import sys
from pathlib import Path

import pytest

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

FACTORY = """
from ipc_articulation.compiled import compiled

def summed(f, times):
    @compiled
    def run(x):
        total = 0
        for _ in range(times):
            total += f(x)
        return total
    return run
"""

OTHER = """
from ipc_articulation.compiled import compiled
from ipc_articulation.trial.callee import scaled
from ipc_articulation.trial.caller import twice
from ipc_articulation.trial.factory import summed

@compiled
def halved(x):
    return x // 2

sums = [summed(f, n) for f, n in [(scaled, 2), (twice, 2), (halved, 2), (halved, 3)]]
"""

TRIAL = {
    "__init__": "",
    "constants": "FACTOR = 3",
    "callee": CALLEE,
    "caller": CALLER,
    "factory": FACTORY,
    "other": OTHER,
}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A package of the same name that consists of some files and of what compiles them."""
    package = tmp_path / "ipc_articulation"
    trial = package / "trial"
    trial.mkdir(parents=True)
    (package / "__init__.py").touch()
    for file in ("compiled.py", "linking.py", "machine_code.py"):
        (package / file).write_text((PACKAGE / file).read_text())
    for name, text in TRIAL.items():
        (trial / f"{name}.py").write_text(text)
    return package


def run(package: Path, code: str) -> str:
    """What a script prints that imports from a package."""
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(package.parent)!r})\n{code}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


CALL = "from ipc_articulation.trial.caller import twice; print(twice(1), len(twice.stats.cache_hits))"


def change(source: Path, old: str, new: str) -> None:
    """Write a source of another length: within a second Python's own cache sees nothing else."""
    source.write_text(source.read_text().replace(old, new) + "\n")


@pytest.mark.slow
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
    change(source, old, new)
    assert run(copy, CALL) == f"{result} 0"


@pytest.mark.slow
def test_a_change_in_a_file_that_is_not_imported_discards_nothing(copy: Path) -> None:
    run(copy, CALL)
    (copy / "trial" / "other.py").write_text("FACTOR = 7\n")
    assert run(copy, CALL) == "6 1"


@pytest.mark.slow
@pytest.mark.parametrize("removed", ["Pair", "pairs"])
def test_code_of_a_class_that_no_longer_exists_is_discarded(copy: Path, removed: str) -> None:
    (copy / "trial" / "pairs.py").write_text("from typing import NamedTuple\nclass Pair(NamedTuple):\n    x: int\n")
    (copy / "trial" / "first.py").write_text(
        "from ipc_articulation.compiled import compiled\n\n@compiled\ndef first(pair):\n    return pair.x\n"
    )
    call = (
        "from ipc_articulation.trial.first import first; from ipc_articulation.trial.{} import {}; print(first({}(4)))"
    )
    assert run(copy, call.format("pairs", "Pair", "Pair")) == "4"
    text = (copy / "trial" / "pairs.py").read_text().replace("Pair", "Two")
    (copy / "trial" / "pairs.py").unlink()
    module = "pairs" if removed == "Pair" else "others"
    (copy / "trial" / f"{module}.py").write_text(text)
    for _ in range(2):
        assert run(copy, call.format(module, "Two", "Two")) == "4"


CLOSURES = """
from ipc_articulation.trial.other import sums
print(*[f(8) for f in sums], *[len(f.stats.cache_hits) for f in sums])
"""


@pytest.mark.slow
def test_closures_over_compiled_functions_are_kept_apart(copy: Path) -> None:
    assert run(copy, CLOSURES) == "48 96 8 12 0 0 0 0"
    assert run(copy, CLOSURES) == "48 96 8 12 1 1 1 1"
    assert run(copy, CLOSURES.replace("in sums", "in sums[::-1]")) == "12 8 96 48 1 1 1 1"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "old", "new", "result"),
    [
        ("callee", "* x", "* x + 1", "50 100 8 12 0 0 0 0"),
        ("constants", "3", "5", "80 160 8 12 0 0 0 0"),
        ("caller", "2 *", "3 *", "48 144 8 12 1 0 0 0"),
    ],
)
def test_a_change_of_what_it_calls_discards_a_closure(copy: Path, file: str, old: str, new: str, result: str) -> None:
    run(copy, CLOSURES)
    source = copy / "trial" / f"{file}.py"
    change(source, old, new)
    assert run(copy, CLOSURES) == result


NESTED = """
from ipc_articulation.trial.caller import twice
from ipc_articulation.trial.factory import summed

many = summed(summed(twice, 2), 2)
"""

TUPLE = """
from ipc_articulation.compiled import compiled
from ipc_articulation.trial.caller import twice
from ipc_articulation.trial.factory import summed

def added(functions):
    @compiled
    def run(x):
        return functions[0](x) + functions[1](x)
    return run

many = added((twice, summed(twice, 3)))
"""


@pytest.mark.slow
@pytest.mark.parametrize("text", [NESTED, TUPLE])
@pytest.mark.parametrize(
    ("file", "old", "new", "result"),
    [("constants", "3", "5", "40"), ("callee", "* x", "* x + 1", "32"), ("caller", "2 *", "3 *", "36")],
)
def test_a_change_below_the_functions_of_a_closure_discards_it(
    copy: Path, text: str, file: str, old: str, new: str, result: str
) -> None:
    """Closures whose variables are closures, or tuples of functions."""
    (copy / "trial" / "user.py").write_text(text)
    code = "from ipc_articulation.trial.user import many; print(many(1), len(many.stats.cache_hits))"
    assert run(copy, code) == "24 0"
    assert run(copy, code) == "24 1"
    source = copy / "trial" / f"{file}.py"
    change(source, old, new)
    assert run(copy, code) == f"{result} 0"


@pytest.mark.slow
def test_a_change_elsewhere_keeps_a_closure(copy: Path) -> None:
    (copy / "trial" / "user.py").write_text(
        "from ipc_articulation.trial.factory import summed\n"
        "from ipc_articulation.trial.callee import scaled\nmany = summed(scaled, 9)"
    )
    code = "from ipc_articulation.trial.user import many; print(many(1), len(many.stats.cache_hits))"
    assert run(copy, code) == "27 0"
    source = copy / "trial" / "caller.py"
    change(source, "2 *", "3 *")
    assert run(copy, code) == "27 1"


def test_every_function_of_the_package_is_compiled_so() -> None:
    users = [file for file in PACKAGE.rglob("*.py") if "njit" in file.read_text(encoding="utf-8")]
    assert users == [PACKAGE / "compiled.py"]


@pytest.mark.slow
def test_what_is_loaded_can_be_called_by_what_is_compiled_later(copy: Path) -> None:
    """To run a function that is on disk, no compiler is loaded."""
    scaled = "from ipc_articulation.trial.callee import scaled; print(scaled(2), len(scaled.stats.cache_hits))"
    assert run(copy, scaled) == "6 0"
    assert run(copy, f"{scaled}; print('numba.np.linalg' in sys.modules)") == f"6 1\n{not compiled.LINKS_WHOLE}"
    assert run(copy, f"{scaled}\n{CALL}") == "6 1\n6 0"


@pytest.mark.parametrize("folder", ["", "ipc_articulation/"])
def test_imports_are_followed_within_adapters(copy: Path, folder: str) -> None:
    """They are beside the package in a checkout, and in it where it is installed."""
    adapters = copy.parent / f"{folder}adapters"
    adapters.mkdir()
    (adapters / "constants.py").write_text("FACTOR = 3")
    (adapters / "user.py").write_text(CALLEE.replace("trial", "adapters"))
    shown = f"import ipc_articulation; ipc_articulation.__path__.append({str(copy.parent)!r})\n"
    call = f"{shown}from ipc_articulation.adapters.user import scaled; print(scaled(2), len(scaled.stats.cache_hits))"
    assert [run(copy, call), run(copy, call)] == ["6 0", "6 1"]
    (adapters / "constants.py").write_text("FACTOR = 4\n")
    assert run(copy, call) == "8 0"
