"""`python -m benchmarks.rigid_ipc`: the scenes of rigid-ipc on the CPU engine, judged by ipctk.

They are fetched by `python tools/fetch_rigid_ipc.py`. Every scene gets a row: how many steps it ran, whether surfaces
intersect, how Newton's method fared, how wide the gaps of resting contacts are, and what a step costs.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.rigid_ipc.fixture import ROOT, fixture_files
from benchmarks.rigid_ipc.running import Limits, Verdict, run_scenes
from benchmarks.rigid_ipc.table import page, summary, terminal_table
from ipc_articulation.contact.materials import BY_LOAD

PAGE = Path(__file__).parents[2] / "docs" / "rigid_ipc.md"


def main() -> None:
    arguments = _parser().parse_args()
    limits = Limits(arguments.steps, arguments.seconds, arguments.resistance, arguments.friction)
    files = {name: file for name, file in fixture_files().items() if any(part in name for part in arguments.only)}
    if not files:
        raise SystemExit(_nothing(arguments.only))
    known = _known(arguments.json) if arguments.resume else {}
    verdicts = _run(files, limits, arguments.json, known)
    console = Console(width=None if sys.stdout.isatty() else 260)
    console.print(terminal_table(verdicts), *summary(verdicts))
    if arguments.write:
        commit = (ROOT / "COMMIT").read_text().strip()
        lines = page(verdicts, limits, commit, len(fixture_files()))
        PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--only",
        nargs="+",
        default=[""],
        metavar="PART",
        help="only scenes with one of these in their names, paths below fixtures/: `--only unit-tests pendulum`",
    )
    parser.add_argument("--steps", type=int, default=200, help="at most so many of each scene (default: 200)")
    parser.add_argument(
        "--seconds",
        type=float,
        default=60.0,
        help="of the clock for the steps of a scene; it ends after the step in which they are over (default: 60)",
    )
    parser.add_argument(
        "--resistance",
        type=_resistance,
        default=BY_LOAD,
        metavar="PA|auto|load",
        help="stiffness of the contact barrier. load, the default: every pair chooses its own by what it carries, see "
        "docs/resistance.md. A number [Pa]: bodies at rest are pressed into d̂ until the barrier carries them; too "
        "little leaves gaps that are a tiny part of d̂, and costs iterations; too much makes every contact a hard hit. "
        "libuipc's default is 1e9. auto: libuipc's adaptive resistance, from 1e8 to 1e11 by the forces at the start of "
        "each step",
    )
    parser.add_argument(
        "--friction",
        choices=("anchored", "lagged"),
        default="anchored",
        help="the law of friction, see docs/friction.md: that of scene files and couple (default), or libuipc's",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all figures, scene by scene as they come")
    parser.add_argument("--resume", action="store_true", help="do not run again what --json has")
    parser.add_argument("--write", action="store_true", help=f"write docs/{PAGE.name}")
    return parser


def _resistance(text: str) -> float:
    if text == "auto":
        return -1.0
    if text == "load":
        return BY_LOAD
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < float("inf"):
        raise argparse.ArgumentTypeError(
            f"'{text}' is no resistance; valid: a number of Pa above 0, such as 1e9, auto or load"
        )
    return value


def _nothing(only: list[str]) -> str:
    if not (ROOT / "fixtures").is_dir():
        return f"there is no {ROOT}; `python tools/fetch_rigid_ipc.py` fetches the scenes"
    return f"no scene has {' or '.join(map(repr, only))} in its name; all are in {ROOT / 'fixtures' / '3D'}"


def _known(json_file: Path | None) -> dict[str, Verdict]:
    """The verdicts of an earlier run, by their names."""
    if json_file is None or not json_file.exists():
        return {}
    return {each["name"]: Verdict(**each) for each in json.loads(json_file.read_text(encoding="utf-8"))}


def _run(files: dict[str, Path], limits: Limits, json_file: Path | None, known: dict[str, Verdict]) -> list[Verdict]:
    """Run the scenes that are not known yet, with a bar that shows how far they are; all verdicts, by name."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    verdicts, files = list(known.values()), {name: file for name, file in files.items() if name not in known}
    with Progress(*columns, console=Console(stderr=True)) as progress:
        scenes, steps = progress.add_task("scenes", total=len(files)), progress.add_task("", total=None)

        def tell(verdict: Verdict) -> None:
            progress.update(steps, description=verdict.name, total=verdict.wanted or None, completed=verdict.steps)

        for verdict in run_scenes(files, limits, tell):
            verdicts.append(verdict)
            progress.advance(scenes)
            if json_file is not None:
                json_file.write_text(json.dumps([each.as_json() for each in verdicts]) + "\n", encoding="utf-8")
    return sorted(verdicts, key=lambda verdict: verdict.name)


if __name__ == "__main__":
    main()
