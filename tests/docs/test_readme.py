"""What the README and the first page of the documentation show works as it stands there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, README, ROOT, code_blocks, name_of

TEXT = README.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("page", [README, DOCS / "README.md"], ids=name_of)
def test_the_script_runs_as_it_stands(page: Path, tmp_path: Path) -> None:
    (script,) = code_blocks(page, "python")
    (tmp_path / "script.py").write_text(script)
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    steps = re.findall(r"^\[\s*(\S+?)\s*\] (\S+)$", done.stdout, re.MULTILINE)
    assert len(steps) == 300
    assert all(float(distance) > 0.0 for _, distance in steps)
    assert float(steps[-1][0]) < -0.1  # the crate holds the arm up, against +y


def test_the_commands_are_there() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    shown = set(re.findall(r"^make ([a-z]+)", TEXT, re.MULTILINE))
    assert {"demo", "test"} <= shown <= targets
    (example,) = re.findall(r"ipc-articulation run example:(\w+)", TEXT)
    assert (ROOT / "scenes" / f"{example}.yaml").is_file()


def test_the_map_names_what_there_is() -> None:
    (tree,) = [block for block in code_blocks(README, "") if "adapters/" in block]
    for line in tree.splitlines():
        name = line.split()[0]
        assert (ROOT / name).exists() or (ROOT / "ipc_articulation" / name).exists(), name


def test_ci_calls_check_and_test() -> None:
    assert "make check test" in (ROOT / ".ci" / "run").read_text()
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
