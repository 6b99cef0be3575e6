"""Published robot files through `new`, `check` and 30 steps of `run`, with each adapter: how many run, and why not.

`python -m benchmarks.robots` tries every robot of example-robot-data and, after `python tools/fetch_robots.py`, of
gymnasium, dm_control and pybullet_data, untouched. A robot is a file of URDF or MJCF with a joint that moves. Each
attempt has its own process and folder, two minutes and four gigabytes. `--write` puts the table into docs/robots.md.
`--same` says whether the URDF files among them, and 200 random ones, are the same robots with all adapters.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.same_robots import compare, random_files, same

ROOT = Path(__file__).parents[1]
MODELS = ROOT / "models"
PAGE = ROOT / "docs" / "robots.md"
BY_HAND = "## What a URDF file means"  # begins what --write leaves
ADAPTERS = ("mujoco", "native")
STEPS = 30
RANDOM = 200  # robots for --same
SECONDS = 120
BYTES = 4 << 30

_MOVES = {
    "urdf": re.compile(r"<joint\b[^>]*\btype\s*=\s*[\"'](revolute|continuous|prismatic|floating|planar)"),
    "mjcf": re.compile(r"<(joint|freejoint)\b"),
}

_ASIDE = re.compile(r"<!--.*?-->|<default\b(?:(?!<default\b).)*?</default>", re.S)  # what is no part of the robot


@dataclass(frozen=True)
class Verdict:
    """What became of one file with one adapter."""

    file: str  # below the folder of its collection
    adapter: str
    stage: str  # "runs", or the command that failed: new, check, run
    reason: str  # the first error's message


def robots() -> list[tuple[str, Path]]:
    """Every robot file: its collection, its path."""
    folders = {name: MODELS / name for name in ("gymnasium", "dm_control", "pybullet_data")}
    prefixes = [Path(place) / "cmeel.prefix/share/example-robot-data/robots" for place in sys.path]
    folders["example-robot-data"] = next((place for place in prefixes if place.is_dir()), MODELS / "none")
    return [
        (name, file) for name, folder in sorted(folders.items()) for file in sorted(folder.rglob("*")) if moves(file)
    ]


def moves(file: Path) -> bool:
    """Whether a file is one of URDF or MJCF that has a joint that moves."""
    if file.suffix.lower() not in (".urdf", ".xml", ".mjcf") or not file.is_file():
        return False
    text, count = file.read_text(encoding="utf-8", errors="replace"), 1
    while count:  # the innermost defaults first
        text, count = _ASIDE.subn("", text)
    kind = (
        "urdf"
        if re.search(r"<robot\b", text)
        else "mjcf"
        if re.search(r"<mujoco\b.*<worldbody\b", text, re.S)
        else None
    )
    return kind is not None and _MOVES[kind].search(text) is not None


def tried(name: str, file: Path, adapter: str) -> Verdict:
    """One file with one adapter, in a process of its own."""
    label, _ = key(name, file, adapter)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.robots", "--one", str(file), "--adapter", adapter]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        try:
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return Verdict(label, adapter, "run", f"took more than {SECONDS} s")
    last = done.stdout.strip().rpartition("\n")[2]
    if done.returncode or not last.startswith("{"):
        return Verdict(
            label,
            adapter,
            "run",
            f"the process ended with {done.returncode}: {done.stderr.strip().rpartition(chr(10))[2]}",
        )
    return Verdict(label, adapter, **json.loads(last))


def key(name: str, file: Path, adapter: str) -> tuple[str, str]:
    """A file's name in verdicts, and the adapter."""
    return f"{name}/{file.relative_to(_home(name, file))}", adapter


def ran(file: Path) -> dict[tuple[str, str], Verdict]:
    """Verdicts in a file of those that run, by file and adapter."""
    verdicts = [Verdict(**verdict) for verdict in json.loads(file.read_text())]
    return {(verdict.file, verdict.adapter): verdict for verdict in verdicts if verdict.stage == "runs"}


def _home(name: str, file: Path) -> Path:
    """The folder of a file's collection."""
    return next(place for place in file.parents if place.name in (name, "robots") or place == MODELS)


def one(file: str, adapter: str) -> dict[str, str]:
    """New, check and run in this process's folder: stage and reason."""
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    stages = {
        "new": ["new", "scene.yaml", "--robot", file, "--adapter", adapter],
        "check": ["check", "scene.yaml"],
        "run": ["run", "scene.yaml", "--steps", str(STEPS), "--no-pictures", "--quiet", "--engine", "cpu"],
    }
    for stage, arguments in stages.items():
        code, said = command(arguments)
        if code:
            return {"stage": stage, "reason": reason(said)}
    return {"stage": "runs", "reason": ""}


def command(arguments: Sequence[str]) -> tuple[int, str]:
    """Exit code and output of a subcommand of `ipc-articulation`."""
    from ipc_articulation.cli import main

    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            code = main(list(arguments))
        except SystemExit as end:
            code = int(end.code or 0)
    return code, said.getvalue()


def reason(said: str) -> str:
    """The first error of a command's output."""
    dull = (
        "cannot be simulated",
        "UserWarning",
        "warnings.warn",
        "ipc-articulation: repaired: ",
        "ipc-articulation: warning: ",
    )
    lines = [line.strip() for line in said.splitlines() if line.strip() and not any(part in line for part in dull)]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or ["nothing was said"])[0]


def kind(text: str) -> str:
    """A reason without the names, numbers and paths of one file, so that equal reasons can be counted."""
    text = re.sub(r"(/[^\s:,;]+)+", "FILE", text)
    text = re.sub(r"[\"'«][^\"'»]*[\"'»]", "NAME", text)
    return re.sub(r"-?\d+(\.\d+)?(e-?\d+)?", "N", text)[:160]


def page(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Lines of docs/robots.md."""
    files = sorted({v.file for v in verdicts})
    runs = {v.adapter: {w.file for w in verdicts if w.adapter == v.adapter and w.stage == "runs"} for v in verdicts}
    either = set().union(*runs.values())
    yield "# Published robots"
    yield ""
    yield f"{len(files)} robot files, untouched, through `new`, `check` and {STEPS} steps of `run`"
    yield "(`python -m benchmarks.robots --write`):"
    yield f"{len(either)} run with one adapter at least ({len(either) / len(files):.0%})."
    yield ""
    yield "| collection | files | " + " | ".join(runs) + " | either |"
    yield "|---|---|" + "---|" * (len(runs) + 1)
    for name in sorted({file.partition("/")[0] for file in files}):
        own = {file for file in files if file.startswith(f"{name}/")}
        counts = [len(own & ran) for ran in (*runs.values(), either)]
        yield f"| {name} | {len(own)} | " + " | ".join(map(str, counts)) + " |"
    yield ""
    yield "## Why others do not"
    yield ""
    yield "| files | adapter | command | reason, with its names replaced | such as |"
    yield "|---|---|---|---|---|"
    counts = Counter((v.adapter, v.stage, kind(v.reason)) for v in verdicts if v.stage != "runs")
    for (adapter, stage, why), number in counts.most_common():
        such = next(v.file for v in verdicts if (v.adapter, v.stage, kind(v.reason)) == (adapter, stage, why))
        yield f"| {number} | {adapter} | `{stage}` | {why.replace('|', '/')} | {such} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--one", metavar="FILE", help="try one file in this folder and print its verdict as JSON")
    parser.add_argument("--adapter", choices=ADAPTERS, help="default: each in turn")
    parser.add_argument("--only", default="", metavar="PART", help="only files with this in their path")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the verdicts to a file")
    parser.add_argument("--again", action="store_true", help="try only what does not run by the verdicts of --json")
    parser.add_argument("--write", action="store_true", help="write docs/robots.md")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="default: one a core")
    parser.add_argument("--same", action="store_true", help="compare the robots that the adapters make of a file")
    arguments = parser.parse_args()
    if arguments.same and arguments.one:
        print(json.dumps(same(Path(arguments.one))))
        return
    if arguments.same:
        with tempfile.TemporaryDirectory() as folder:
            files = [file for _, file in robots() if file.suffix == ".urdf"] + random_files(Path(folder), RANDOM)
            compare([file for file in files if arguments.only in str(file)], arguments.workers)
        return
    if arguments.one:
        print(json.dumps(one(arguments.one, arguments.adapter)))
        return
    adapters = [arguments.adapter] if arguments.adapter else ADAPTERS
    tries = [(name, file, adapter) for name, file in robots() if arguments.only in str(file) for adapter in adapters]
    wanted = {key(*each) for each in tries}
    known = {
        each: verdict for each, verdict in (ran(arguments.json) if arguments.again else {}).items() if each in wanted
    }
    verdicts = list(known.values())
    with ThreadPoolExecutor(arguments.workers) as pool:
        for verdict in pool.map(lambda each: tried(*each), [each for each in tries if key(*each) not in known]):
            print(verdict.adapter, verdict.stage, verdict.file, verdict.reason[:140], sep="\t", flush=True)
            verdicts.append(verdict)
            if arguments.json:
                arguments.json.write_text(json.dumps([asdict(v) for v in verdicts], indent=1) + "\n")
    lines = list(page(verdicts))
    print("\n".join(lines))
    if arguments.write:
        _, mark, rest = PAGE.read_text().partition(BY_HAND)
        PAGE.write_text("\n".join(lines) + "\n\n" + mark + rest)


if __name__ == "__main__":
    main()
