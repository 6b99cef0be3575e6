"""Runs libuipc's samples on the CPU engine and prints a table: `python tools/libuipc_samples.py [SAMPLE ...]`.

The scripts of https://github.com/spiriMirror/libuipc-samples run as they are, each in a process of its own; only
`Engine("cuda", ...)` makes a CPU engine, and a stand-in for polyscope presses their buttons (`libuipc_sample_runner`).
The samples are fetched into `models/libuipc_samples` at the first run, or read out of a clone (`--clone DIR`).

Columns: steps; how many converged, were ended early by newton/semi_implicit, and failed to converge; steps after
which labelled surfaces intersect that the sample's tables let touch each other; the median milliseconds of a step;
and why a sample stopped before its limit.
"""

from __future__ import annotations

import argparse
import io
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from textwrap import shorten
from typing import Any

from fetch_rigid_ipc import tree_hash

FOLDER = Path(__file__).parents[1] / "models" / "libuipc_samples"
RUNNER = Path(__file__).with_name("libuipc_sample_runner.py")
COMMIT = "eb13445c61029e73f6704201aa102aa6d2fe190a"
ARCHIVE = f"https://github.com/spiriMirror/libuipc-samples/archive/{COMMIT}.tar.gz"
TREES = {
    "examples": "3d1a78f7c1b0b012e57531b8614c1f2d90e0a46f",
    "assets": "3b97066f09cadce41ae96726cfdd8977830dcdd1",
}  # git's hashes of the folders in the commit
GRACE = 240  # seconds that a process has beyond its limit: for compilation and one long step
COLUMNS = ("sample", "steps", "converged", "ended early", "failed", "intersecting", "ms/step", "stopped by")


def main() -> None:
    """Fetch what is not there, run the samples, print a line for each as soon as it is done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("samples", nargs="*", metavar="SAMPLE", help="names or numbers, such as 11 or 11_bunny_cloth")
    parser.add_argument("--steps", type=int, default=100, help="at most so many steps of each (default: 100)")
    parser.add_argument("--seconds", type=float, default=60.0, help="at most so long for the steps of each (60)")
    parser.add_argument("--clone", type=Path, metavar="DIR", help=f"a clone of libuipc-samples with commit {COMMIT}")
    options = parser.parse_args()
    fetch(options.clone)
    print(line(COLUMNS), flush=True)
    for script in chosen(options.samples):
        print(line(row(script, run(script, options.steps, options.seconds))), flush=True)


def chosen(names: list[str]) -> list[Path]:
    """The main scripts of the samples with these names or numbers, of all without any, by their numbers.

    Raises:
        SystemExit: There is no such sample.
    """
    scripts = sorted((FOLDER / "examples").glob("*/main.py"), key=lambda path: int(path.parent.name.partition("_")[0]))
    known = {key: path for path in scripts for key in (path.parent.name, path.parent.name.partition("_")[0])}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SystemExit(f"no sample {', '.join(unknown)}; there are {', '.join(path.parent.name for path in scripts)}")
    return [known[name] for name in names] or scripts


def run(script: Path, steps: int, seconds: float) -> dict[str, Any]:
    """Run a sample in a process of its own; the result that it reports, or why there is none.

    What an earlier run has left in the sample's folder of results is removed first: samples read their dumps.
    """
    shutil.rmtree(script.parents[2] / "output" / script.parent.relative_to(script.parents[2]), ignore_errors=True)
    command = [sys.executable, str(RUNNER), str(script), str(steps), str(seconds)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + GRACE, check=False)
    except subprocess.TimeoutExpired:
        return {"reason": f"no step within {seconds + GRACE:g} s"}
    for text in reversed(done.stdout.splitlines()):
        if text.startswith("{"):
            return dict(json.loads(text))
    return {"reason": f"the process ended with status {done.returncode}"}


def row(script: Path, result: dict[str, Any]) -> tuple[str, ...]:
    """The cells of a sample's line; empty where it made no steps."""
    counts = [result.get(key, 0) for key in ("steps", "converged", "early", "failed", "intersecting")]
    cells = [str(count) if counts[0] else "" for count in counts[1:]]
    time = f"{result['milliseconds']:.1f}" if counts[0] else ""
    return (script.parent.name, str(counts[0]), *cells, time, shorten(result.get("reason", ""), 150, placeholder=" …"))


def line(cells: tuple[str, ...]) -> str:
    """A line of the table."""
    widths = (36, 6, 10, 12, 7, 13, 8)
    return "".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=False)) + cells[-1]


def fetch(clone: Path | None) -> None:
    """Put the samples into `FOLDER` if they are not there.

    Raises:
        SystemExit: They could not be had, or are others than expected.
    """
    if FOLDER.exists():
        return
    with tempfile.TemporaryDirectory() as place:
        with tarfile.open(fileobj=io.BytesIO(download() if clone is None else from_clone(clone))) as archive:
            for member in archive.getmembers():
                if clone is None:
                    member.name = member.name.partition("/")[2]  # below the archive's own folder
                if member.name.partition("/")[0] in TREES:
                    archive.extract(member, place, filter="tar")
        for name, wanted in TREES.items():
            found = tree_hash(Path(place) / name).hex()
            if found != wanted:
                raise SystemExit(f"{name}/ of libuipc-samples has the hash {found}, not {wanted}; it is not kept")
        FOLDER.mkdir(parents=True)
        for name in TREES:
            (Path(place) / name).rename(FOLDER / name)


def download() -> bytes:
    """GitHub's archive of the commit.

    Raises:
        SystemExit: It could not be downloaded.
    """
    try:
        with urllib.request.urlopen(ARCHIVE, timeout=60) as answer:
            return bytes(answer.read())
    except (urllib.error.URLError, TimeoutError) as error:
        raise SystemExit(f"{ARCHIVE} could not be downloaded: {error}; use --clone") from error


def from_clone(clone: Path) -> bytes:
    """An archive of the commit's folders, made by git.

    Raises:
        SystemExit: It is no clone, or lacks the commit.
    """
    command = ["git", "-C", str(clone), "archive", COMMIT, *TREES]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"{clone} has no commit {COMMIT}: {done.stderr.decode().strip()}")
    return done.stdout


if __name__ == "__main__":
    main()
