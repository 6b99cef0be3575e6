"""`ipc-articulation warm`."""

from __future__ import annotations

import argparse

from ipc_articulation.cli.arguments import add

HELP = "compile ahead what scenes need"
DESCRIPTION = """\
Compile what scenes need, on all cores, and keep it on disk; otherwise the first run does so. Run it where a container
image is made, with the same user and the same kind of CPU as later: compiled code is kept in the package's folders, or
in NUMBA_CACHE_DIR, and is found only on CPUs with the same name and instructions.

kinds of scenes:
  affine    rigid bodies and robots with contact
  soft      soft bodies, cloth and rods
  dynamics  robots that the package's own dynamics moves (adapter: native)"""
EXAMPLES = """\
examples:
  ipc-articulation warm
  ipc-articulation warm affine soft
  RUN NUMBA_CACHE_DIR=/opt/compiled ipc-articulation warm affine    (in a Dockerfile, with ENV NUMBA_CACHE_DIR)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="kinds of scenes (default: all)")
    add(parser, "--quiet", help="no progress bar, and no word about what was done")


def execute(options: argparse.Namespace) -> None:
    """Execute the command."""
    from ipc_articulation.engine.output.first_run import compiled_folder
    from ipc_articulation.errors import EngineError
    from ipc_articulation.warming import KINDS, warm

    if compiled_folder() is None:
        raise EngineError("nothing is compiled while NUMBA_DISABLE_JIT is set; unset it")
    done = warm(options.kinds or KINDS, options.quiet)
    if not options.quiet:
        print(f"{done.functions} functions compiled in {done.seconds:.1f} s by {done.processes} processes")
        if done.missing:
            print(f"{done.missing} functions are not on disk: another process compiles them, or the disk is full")
        print("compiled code is in " + str(compiled_folder()) + " and the folders beside it")
