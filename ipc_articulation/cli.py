"""The command `ipc-articulation`. Nothing heavy is imported before the arguments are understood."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from ipc_articulation.errors import EngineError, IpcArticulationError, ModelError, SceneFileError

OK, FAILED, WRONG_USE, STOPPED = 0, 1, 2, 130

_EXIT_CODES = """\
exit status:
  0    done
  1    the run failed; what was recorded until then is written
  2    wrong use, a wrong scene or robot file, or an engine that is not here
  130  stopped by Ctrl-C; what was recorded until then is written
"""

_EXAMPLES = """\
examples:
  ipc-articulation run scenes/panda_push.yaml
  ipc-articulation inspect scenes/four_bar_press.urdf
  ipc-articulation run scenes/pendulum.yaml --engine cpu --steps 50 --out results
  ipc-articulation run scenes/hinge_pair.yaml --quiet && python -c "
    from ipc_articulation.scenefile import read_recording
    print(read_recording('out/hinge_pair').theta[-1])"

"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        _run(options)
    except (SceneFileError, EngineError, ModelError) as error:
        return _complain(error, WRONG_USE)
    except IpcArticulationError as error:
        return _complain(error, FAILED)
    except KeyboardInterrupt:
        return _complain("stopped by Ctrl-C", STOPPED)
    return OK


def _run(options: argparse.Namespace) -> None:
    if options.command == "inspect":
        from ipc_articulation.inspection import inspect

        inspect(options.file)
        return
    from ipc_articulation.scenefile import run

    run(options.file, engine=options.engine, steps=options.steps, out=options.out, quiet=options.quiet)


def _complain(message: object, status: int) -> int:
    print(f"ipc-articulation: {message}", file=sys.stderr)
    return status


def _parser() -> argparse.ArgumentParser:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="ipc-articulation",
        description="Robots in an intersection-free (IPC) simulation.",
        epilog=_EXAMPLES + _EXIT_CODES,
        formatter_class=form,
    )
    parser.add_argument("--version", action="version", version=version("ipc_articulation"))
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    run = commands.add_parser(
        "run",
        help="run a scene file",
        description="Run a scene file headless; write its recording and pictures to OUT/NAME/, NAME being the file's.",
        epilog=_EXAMPLES + _EXIT_CODES,
        formatter_class=form,
    )
    run.add_argument("file", metavar="FILE", type=Path, help="the scene file (YAML), see docs/scene_files.md")
    run.add_argument(
        "--engine",
        choices=("auto", "cpu", "cuda", "none"),
        default="auto",
        help="auto (default): cuda where there is an NVIDIA GPU, else cpu",
    )
    run.add_argument("--steps", type=_count, metavar="N", help="number of steps, instead of the file's")
    run.add_argument("--out", type=Path, metavar="OUT", default=Path("out"), help="folder of results (default: out)")
    run.add_argument("--quiet", action="store_true", help="no progress bar and no summary")
    inspect = commands.add_parser(
        "inspect",
        help="tell what a robot's file holds",
        description="Print the bodies, joints, degrees of freedom, loops and mass of a robot.",
    )
    inspect.add_argument("file", metavar="FILE", type=Path, help="URDF (.urdf), MJCF (.xml) or OpenSim (.osim)")
    return parser


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no number of steps: 1, 2, 3, ...")
    return int(text)
