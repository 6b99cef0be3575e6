"""Code of functions that only compiled functions call is in their callers; Python can call each all the same."""

import gc
import inspect
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from numba import njit, types

from ipc_articulation import linking
from ipc_articulation.compiled import compiled
from tests.test_compiled import CALL, CLOSURES, copy, run

pytestmark = pytest.mark.skipif(not linking.LINKS_WHOLE, reason="another version of numba")

__all__ = ["copy"]  # the fixture


@pytest.fixture(autouse=True)
def on_empty_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path / "disk"))


@compiled
def square_of_sum(x: float) -> float:
    return sum([x * k for k in range(3)]) ** 2


@compiled
def factorial(n: int) -> int:
    return n * factorial(n - 1) if n > 1 else 1


def test_only_what_python_calls_becomes_machine_code() -> None:
    @compiled
    def inner(x: float) -> float:
        return x + 1.0

    @compiled
    def outer(x: float) -> float:
        return 2.0 * inner(x)

    assert outer(1.0) == 4.0
    assert list(outer.entrances) == [(types.float64,)]
    assert not inner.entrances
    assert inner(1.0) == 2.0  # from the part
    assert list(inner.entrances) == [(types.float64,)]
    assert inner.stats.cache_misses == {(types.float64,): 1}
    assert list(Path(inner.stats.cache_path).glob("*inner*.nbc"))


def test_what_another_process_is_compiling_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    @compiled
    def f(x: float) -> float:
        return 3.0 * x

    begun, real = Event(), f._compiled
    monkeypatch.setattr(f, "_compiled", lambda *given: begun.set() or real(*given), raising=False)
    with f.disk.claim(), ThreadPoolExecutor(1) as pool:  # another file descriptor than the one below
        own = f.disk.__dict__.pop("_claim")
        waiting = pool.submit(f, 2.0)
        assert not begun.wait(0.5)
        own.release()
        assert waiting.result(60.0) == 6.0


def test_what_another_process_has_compiled_meanwhile_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    @compiled
    def f(x: float) -> float:
        return 5.0 * x

    f(1.0)
    f.entrances.clear()
    loaded = f._loaded
    answers = iter([lambda sig: None, loaded])
    monkeypatch.setattr(f, "_loaded", lambda sig: next(answers)(sig), raising=False)
    monkeypatch.setattr(f, "_compiled", None, raising=False)
    f.compile((types.float64,))
    assert f.stats.cache_hits == {(types.float64,): 1}


def test_nobody_waits_for_a_claim_for_ever() -> None:
    @compiled
    def f(x: float) -> float:
        return 7.0 * x

    with f.disk.claim() as is_free:
        assert is_free
        own = f.disk.__dict__.pop("_claim")
        with f.disk.claim(0.05) as is_free:
            assert not is_free
        own.release()
        with f.disk.claim(0.05) as is_free:
            assert is_free


def test_parts_in_machine_code_are_seen_by_no_other() -> None:
    """Else the code that is called would hang on what was loaded first."""

    @compiled
    def square(x: float) -> float:
        return square_of_sum(x) if x < 0.0 else x * x

    @compiled
    def caller(x: float) -> float:
        return square(x) + 1.0

    assert caller(2.0) == 5.0
    (part,) = caller.overloads.values()
    library, _ = part.entry_point.entrance(nogil=False)
    seen = [f.name for f in library._final_module.functions if not f.is_declaration and f.linkage.name != "internal"]
    assert seen == [part.fndesc.llvm_cpython_wrapper_name]


def test_a_part_that_makes_arrays_can_be_called_from_python() -> None:
    @compiled
    def zeros(count: int) -> np.ndarray:
        return np.zeros(count)

    @compiled
    def total(count: int) -> float:
        return zeros(count).sum()

    assert total(3) == 0.0
    np.testing.assert_array_equal(zeros(2), [0.0, 0.0])


def test_a_function_that_calls_itself() -> None:
    assert factorial(5) == 120


def test_a_part_is_there_that_was_found_first_where_nothing_calls_it() -> None:
    @compiled
    def common(x: float) -> float:
        return x + 1.0

    @compiled
    def omitted(x: float) -> float:
        return 3.0 * common(x)

    @compiled
    def chosen(x: float) -> float:
        return 2.0 * common(x)

    @compiled
    def either(x: float, first: bool) -> float:
        return omitted(x) if first else chosen(x)

    @compiled
    def caller(x: float) -> float:
        return either(x, False)  # numba leaves out what is not for False

    assert caller(1.0) == 4.0


def test_errors_of_parts_reach_python() -> None:
    @compiled
    def checked(x: int) -> int:
        if x > 2:
            raise ValueError("too large")
        return x

    @compiled
    def caller(x: int) -> int:
        return checked(x)

    with pytest.raises(ValueError, match="too large"):
        caller(3)
    with pytest.raises(ValueError, match="too large"):
        checked(3)


@pytest.mark.slow
def test_functions_that_numba_compiles_link_parts_and_are_parts() -> None:
    @compiled
    def ordered(values: np.ndarray) -> np.ndarray:
        return np.sort(values)  # numba compiles its own as a part of this

    @njit
    def foreign(values: np.ndarray) -> float:
        return np.sort(ordered(values))[0]

    @compiled
    def caller(values: np.ndarray) -> float:
        return foreign(values)

    values = np.array([3.0, 1.0, 2.0])
    assert caller(values) == 1.0
    assert foreign(values) == 1.0  # compiled as a part, called from Python
    assert foreign(values.astype(int)) == 1.0  # compiled by numba alone, which links our part


def test_what_failed_to_compile_leaves_numba_as_it_was() -> None:
    @compiled
    def wrong(x: float) -> float:
        return x + "a"

    with pytest.raises(Exception, match="No implementation"):
        wrong(1.0)
    assert gc.isenabled()
    context = wrong.targetctx
    assert "get_executable" not in vars(context)
    assert "_library_class" not in vars(context.codegen())
    assert inspect.getsourcefile(wrong.add_overload).endswith("dispatcher.py")


ARRAYS = """
import numpy as np
from ipc_articulation.compiled import compiled

@compiled
def zeros(count):
    return np.zeros(count)

@compiled
def total(count):
    return zeros(count).sum()
"""

NUMBERED = """
from itertools import count
from numba.core.bytecode import FunctionIdentity
from ipc_articulation.trial.arrays import total, zeros

FunctionIdentity._unique_ids = count({})
def number():
    return next(iter(zeros.overloads.values())).fndesc.uid
"""


def test_functions_of_two_processes_with_equal_numbers_are_kept_apart(copy: Path) -> None:
    """One process writes what the other has as a part and then loads: its own part has no constants."""
    (copy / "trial" / "arrays.py").write_text(ARRAYS)
    assert run(copy, NUMBERED.format(12) + "print(zeros(2), number())") == "[0. 0.] 12"
    load = "print(total(3), number()); print(zeros(2), len(zeros.stats.cache_hits))"
    assert run(copy, NUMBERED.format(11) + load) == "0.0 12\n[0. 0.] 1"
    both = "print(total(3), zeros(2), len(total.stats.cache_hits), len(zeros.stats.cache_hits))"
    assert run(copy, NUMBERED.format(1) + both) == "0.0 [0. 0.] 1 1"


@pytest.mark.slow
def test_other_versions_of_numba_compile_as_usual(copy: Path) -> None:
    file = copy / "linking.py"
    file.write_text(file.read_text().replace('startswith("0.68.")', 'startswith("none")'))
    assert run(copy, "from ipc_articulation import linking; print(linking.LINKS_WHOLE)") == "False"
    assert run(copy, CALL) == "6 0"
    assert run(copy, CALL) == "6 1"
    assert run(copy, CLOSURES) == "48 96 8 12 0 0 0 0"
    assert run(copy, CLOSURES) == "48 96 8 12 1 1 1 1"
