"""`ipc-articulation run`."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from ipc_articulation.cli.arguments import add

HELP = "run a scene file"
DESCRIPTION = "Run a scene file headless; write its recording and pictures to OUT/NAME/."
EXAMPLES = """\
examples:
  ipc-articulation run scenes/panda_push.yaml
  ipc-articulation run scenes/pendulum.yaml --engine cpu --steps 50 --out results
  ipc-articulation run scenes/panda_push.yaml --set bodies.crate.mass=5 --name heavy_crate
  ipc-articulation run scenes/hinge_pair.yaml --quiet && python -c "
    from ipc_articulation import read_recording
    print(read_recording('out/hinge_pair').theta[-1])"
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add(parser, "file", "--engine", "--steps", "--set")
    add(parser, "--out", metavar="OUT", default=Path("out"), help="folder of results (default: out)")
    text = "name of the run's folder in OUT (default: that of the file; where that holds a run, NAME_2, NAME_3, ...)"
    parser.add_argument("--name", help=text)
    add(parser, "--force", "--time-limit", "--strict", "--no-pictures", "--show", "--quiet", "--json")


def execute(options: argparse.Namespace) -> None:
    """Execute the command."""
    from ipc_articulation.running import run
    from ipc_articulation.running.summary import print_json
    from ipc_articulation.scenefile.settings import parse_setting

    settings = dict(parse_setting(text) for text in options.settings)
    with _helped(options, settings):
        result = run(
            options.file,
            engine=options.engine,
            steps=options.steps,
            out=options.out,
            quiet=options.quiet or options.json,
            settings=settings,
            name=options.name,
            force=options.force,
            pictures=options.pictures,
            time_limit=options.time_limit,
            show=options.show,
        )
    if options.json:
        print_json(result)


def _helped(options: argparse.Namespace, settings: Mapping[str, Any]) -> AbstractContextManager[None]:
    """Processes on the other cores that compile, too, in the first run on a machine."""
    from ipc_articulation.warming import KINDS, are_compiled, helping, kinds_of

    if options.engine == "none" or are_compiled():
        return nullcontext()
    from ipc_articulation.scenefile.reading import read_scene

    can_be_read_again = options.file.is_file()  # a pipe cannot
    return helping(kinds_of(read_scene(options.file, settings)[0]) if can_be_read_again else KINDS)
