"""The command's entry: which subcommands there are, and which exit status an error gives."""

from __future__ import annotations

import argparse
import gc
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.metadata import version
from typing import Any

from ipc_articulation.errors import (
    EngineError,
    IpcArticulationError,
    MissingPackageError,
    ModelError,
    NoRecordingError,
    OutputError,
    SceneFileError,
    SweepError,
    ViewingError,
)
from ipc_articulation.repairs import RepairWarning, strict
from ipc_articulation.signals import interrupts_deferred

WRONG_BEFORE_IT_BEGAN = (
    EngineError,
    MissingPackageError,
    ModelError,
    NoRecordingError,
    OutputError,
    SceneFileError,
    SweepError,
    ViewingError,
)
OK, FAILED, WRONG_USE, STOPPED = 0, 1, 2, 130

# Each a module beside this one, with HELP, DESCRIPTION, EXAMPLES, add_arguments and execute.
COMMANDS = (
    "run",
    "resume",
    "check",
    "new",
    "show",
    "render",
    "replay",
    "report",
    "export",
    "sweep",
    "inspect",
    "doctor",
    "warm",
)

_CHECKING = ("ipc_articulation.checking", "ipctk", "mujoco", "trimesh")
_RUNNING = ("ipc_articulation.running", "ipc_articulation.engine")
# Modules that take long to import, and are imported before a command executes; those that only some scenes need are
# imported at their first use.
LARGE = {
    "check": _CHECKING,
    "new": ("ipc_articulation.starting", *_CHECKING),
    "resume": _RUNNING,
    "run": _RUNNING,
    "show": ("ipc_articulation.showing", *_CHECKING),
    "sweep": ("ipc_articulation.sweeps", *_RUNNING),
}

_EXIT_CODES = """
exit status of every command:
  0    done
  1    the run failed; what was recorded until then is written
  2    wrong use, a wrong scene or robot file, an engine or package that is not
       here, or a folder that holds a run already
  130  stopped by Ctrl-C; what was recorded until then is written
"""

_START = """\
examples:
  ipc-articulation run scenes/panda_push.yaml
  ipc-articulation COMMAND --help
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    try:
        with _uncollected(), interrupts_deferred:  # an interrupted import leaves half a module, or goes unseen
            parser = _parser()
            options = parser.parse_args(arguments)
            if options.command is None:
                parser.print_help()
                return OK
            for module in LARGE.get(options.command, ()):
                with suppress(ImportError):  # the command says what it lacks
                    import_module(module)
        with _plain_warnings(), strict(getattr(options, "strict", False)):
            return options.execute(options) or OK
    except WRONG_BEFORE_IT_BEGAN as error:
        return _complain(error, WRONG_USE)
    except IpcArticulationError as error:
        return _complain(error, FAILED)
    except KeyboardInterrupt:
        return _complain("stopped by Ctrl-C", STOPPED)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Look for no garbage: imports leave next to none, and looking for it would take a tenth of their time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _complain(message: object, status: int) -> int:
    print(f"ipc-articulation: {message}", file=sys.stderr)
    return status


@contextmanager
def _plain_warnings() -> Iterator[None]:
    """Print each warning for users once, on a line of its own, without the line of code that Python shows."""
    with warnings.catch_warnings():
        shown, told = warnings.showwarning, set[str]()
        warnings.simplefilter("always", UserWarning)

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if not issubclass(category, UserWarning):
                shown(message, category, *place, **more)
            elif str(message) not in told:
                told.add(str(message))
                _complain(f"{'repaired' if issubclass(category, RepairWarning) else 'warning'}: {message}", OK)

        setattr(warnings, "showwarning", show)  # noqa: B010  # typed with names of its arguments
        yield


def _parser() -> argparse.ArgumentParser:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="ipc-articulation",
        description="Robots in an intersection-free (IPC) simulation.",
        epilog=_START + _EXIT_CODES,
        formatter_class=form,
    )
    parser.add_argument("--version", action="version", version=version("ipc_articulation"))
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name in COMMANDS:
        module = import_module(f"ipc_articulation.cli.{name}")
        command = commands.add_parser(
            name,
            help=module.HELP,
            description=module.DESCRIPTION,
            epilog=module.EXAMPLES,
            formatter_class=form,
        )
        module.add_arguments(command)
        command.set_defaults(execute=module.execute)
    return parser
