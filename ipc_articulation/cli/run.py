"""`ipc-articulation run`."""

from __future__ import annotations

import argparse
from pathlib import Path

from ipc_articulation.cli.arguments import add_engine, add_out, count

HELP = "run a scene file"
DESCRIPTION = "Run a scene file headless; write its recording and pictures to OUT/NAME/, NAME being the file's."
EXAMPLES = """\
examples:
  ipc-articulation run scenes/panda_push.yaml
  ipc-articulation run scenes/pendulum.yaml --engine cpu --steps 50 --out results
  ipc-articulation run scenes/hinge_pair.yaml --quiet && python -c "
    from ipc_articulation import read_recording
    print(read_recording('out/hinge_pair').theta[-1])"
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("file", metavar="FILE", type=Path, help="the scene file (YAML), see docs/scene_files.md")
    add_engine(parser)
    parser.add_argument("--steps", type=count, metavar="N", help="number of steps, instead of the file's")
    add_out(parser)
    parser.add_argument("--quiet", action="store_true", help="no progress bar and no summary")


def execute(options: argparse.Namespace) -> int | None:
    """Do it; the exit status, None where all is well."""
    from ipc_articulation.running import run

    run(options.file, engine=options.engine, steps=options.steps, out=options.out, quiet=options.quiet)
    return None
