"""`ipc-articulation run`."""

from __future__ import annotations

import argparse

from ipc_articulation.cli.arguments import add_ending, add_engine, add_out, add_scene_file, count

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
    add_scene_file(parser)
    add_engine(parser)
    parser.add_argument("--steps", type=count, metavar="N", help="number of steps, instead of the file's")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="PATH=VALUE",
        dest="settings",
        help="put a value over the file's, such as contact.friction=0.2 or bodies.crate.mass=5; may be given often",
    )
    add_out(parser)
    parser.add_argument("--name", help="of the run's folder below OUT; else the file's")
    parser.add_argument("--force", action="store_true", help="replace the results of an earlier run")
    add_ending(parser)


def execute(options: argparse.Namespace) -> int | None:
    """Execute the command.

    Returns:
        The exit status; None for success.
    """
    from ipc_articulation.running import run
    from ipc_articulation.running.summary import print_json
    from ipc_articulation.scenefile.settings import parse_setting

    result = run(
        options.file,
        engine=options.engine,
        steps=options.steps,
        out=options.out,
        quiet=options.quiet or options.json,
        settings=dict(parse_setting(text) for text in options.settings),
        name=options.name,
        force=options.force,
        pictures=options.pictures,
        time_limit=options.time_limit,
    )
    if options.json:
        print_json(result)
    return None
