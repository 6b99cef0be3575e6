"""Optional packages: what is missing is named with the extra that brings it."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from ipc_articulation import extras
from ipc_articulation.errors import MissingPackageError

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]


def test_what_is_installed_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(extras.EXTRAS, "json", "view")
    assert extras.need("json.decoder").JSONDecoder


def test_what_is_missing_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(extras.EXTRAS, "no_such_package", "view")
    with pytest.raises(MissingPackageError) as caught:
        extras.need("no_such_package.part")
    assert str(caught.value) == ("no_such_package is missing; install it with: pip install 'ipc_articulation[view]'")


def test_an_extra_is_added_without_looking_for_the_package_itself() -> None:
    """The command of the message, where no index has `ipc_articulation`."""
    command = [sys.executable, "-m", "pip", "install", "--no-index", "--dry-run", "ipc_articulation[view]"]
    done = subprocess.run([*command, "--no-deps"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Requirement already satisfied: ipc_articulation[view]" in done.stdout


def test_every_extra_is_one_of_the_project() -> None:
    assert set(extras.EXTRAS.values()) <= set(PROJECT["optional-dependencies"])
