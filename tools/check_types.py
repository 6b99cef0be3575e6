"""Runs mypy over the whole package, `adapters/` too: `python tools/check_types.py`, or `make check`.

setuptools maps `adapters/` to `ipc_articulation.adapters` (`package-dir` in pyproject.toml), and mypy has no such
mapping. So it gets a tree of links in which every folder is where its package is imported from.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main(root: Path = ROOT) -> int:
    """Check the package of a checkout.

    Returns:
        mypy's exit status.
    """
    with tempfile.TemporaryDirectory() as folder:
        link(root, Path(folder))
        command = [sys.executable, "-m", "mypy", "--config-file", str(root / "pyproject.toml")]
        command += ["--cache-dir", str(root / ".mypy_cache"), "--package", "ipc_articulation"]
        done = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE)
    print(done.stdout.replace("ipc_articulation/adapters/", "adapters/"), end="")
    return done.returncode


def link(root: Path, tree: Path) -> None:
    """Make a folder for every package, with a link to each of its files."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    places = sorted(settings["package-dir"].items(), key=lambda item: -len(item[0]))
    for package in settings["packages"]:
        top, place = next((top, place) for top, place in places if f"{package}.".startswith(f"{top}."))
        target = tree / package.replace(".", "/")
        target.mkdir(parents=True, exist_ok=True)
        for file in (root / place / package.removeprefix(top).replace(".", "/").lstrip("/")).iterdir():
            if file.suffix in (".py", ".pyi", ".typed"):
                os.symlink(file, target / file.name)


if __name__ == "__main__":
    sys.exit(main())
