"""Fetches STARK, the peer of `benchmarks.stark`, into `models/stark/`.

`python tools/fetch_stark.py` fetches one commit of https://github.com/InteractiveComputerGraphics/stark (Apache-2.0)
with git, which checks it. `--clone DIR` takes it from a clone instead. What is there already is not fetched again.
`python -m benchmarks.stark.build` builds it; all that it needs is part of the source.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "models" / "stark"
COMMIT = "16197f7a8e457790be73529d54bd525a67651862"  # version 0.1.0
REPOSITORY = "https://github.com/InteractiveComputerGraphics/stark"


def main() -> None:
    """Fetch it if it is not there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clone", type=Path, metavar="DIR", help=f"a clone of STARK that has the commit {COMMIT}")
    clone = parser.parse_args().clone
    if not FOLDER.exists():
        fetch(REPOSITORY if clone is None else str(clone.resolve()), FOLDER)
    print(FOLDER)


def fetch(origin: str, folder: Path) -> None:
    """Check the commit out into a new folder.

    Raises:
        SystemExit: Git is not installed, or the repository cannot be reached or has no such commit.
    """
    if shutil.which("git") is None:
        raise SystemExit("git is not installed; STARK is fetched with it")
    folder.mkdir(parents=True)
    commands = (["init", "--quiet"], ["fetch", "--quiet", "--depth", "1", origin, COMMIT], ["checkout", "-q", COMMIT])
    for command in commands:
        done = subprocess.run(["git", "-C", str(folder), *command], capture_output=True, text=True, check=False)
        if done.returncode:
            shutil.rmtree(folder)
            reason = (done.stderr.splitlines() or ["git failed"])[0]
            raise SystemExit(
                f"commit {COMMIT} could not be fetched from {origin}: {reason}; use --clone with a clone of STARK"
            )


if __name__ == "__main__":
    main()
