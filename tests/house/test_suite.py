"""The suite itself: it uses all cores and reports what it skipped."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import conftest

ROOT = Path(__file__).parents[2]

SKIPPING = """
import pytest

@pytest.mark.parametrize("number", range(3))
def test_with_a_gpu(number):
    pytest.skip("no NVIDIA GPU")

@pytest.mark.skipif(True, reason="needs models/a.osim")
def test_with_a_model(): pass

def test_with_a_package():
    pytest.importorskip("no_such_package", reason="needs the extra 'view'")
"""


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 2])
def test_what_was_skipped_is_said_with_its_reason(tmp_path: Path, workers: int) -> None:
    (tmp_path / "test_skipping.py").write_text(SKIPPING)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("PYTEST_XDIST_WORKER", None)
    plain = [sys.executable, "-m", "pytest", "-q", "-p", "tests.conftest", "-p", "no:cacheprovider", "-n", str(workers)]
    done = subprocess.run(plain, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    skipped = done.stdout[done.stdout.index("= skipped =") :].splitlines()[1:4]
    assert skipped == ["    3 no NVIDIA GPU", "    1 needs models/a.osim", "    1 needs the extra 'view'"]


def test_workers_are_as_many_as_cores_and_memory_allow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)), raising=False)
    monkeypatch.setattr(conftest, "memory", lambda: 24 << 30)
    assert conftest.pytest_xdist_auto_num_workers() == 12
    monkeypatch.setattr(conftest, "memory", lambda: 128 << 30)
    assert conftest.pytest_xdist_auto_num_workers() == 16


def test_the_tests_target_fetches_models_and_uses_all_cores() -> None:
    makefile = (ROOT / "Makefile").read_text()
    recipe = makefile.partition("\ntest:")[2].partition("\n\n")[0]
    assert "tools/fetch_models.py" in recipe
    assert "\t$(PYTEST) " in recipe
    assert "\nPYTEST := $(BIN)/python -m pytest -n auto " in makefile
