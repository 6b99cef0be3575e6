"""`ipc-articulation replay`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ipc_articulation.cli.arguments import add, count

if TYPE_CHECKING:
    from ipc_articulation.recording import Recording

HELP = "play a run in the browser"
DESCRIPTION = """\
Serve a run to the browser, with a slider for time, contact forces and curves of all joints, until Ctrl-C;
or write it as one HTML file that opens from disk without a server."""
EXAMPLES = """\
examples:
  ipc-articulation replay out/panda_push
  ipc-articulation replay out/panda_push --port 9000 --colours link
  ipc-articulation replay out/panda_push --html panda_push.html
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add(parser, "folder", "--environment")
    parser.add_argument("--port", type=count, metavar="N", default=8080, help="8080, or the next free port")
    parser.add_argument(
        "--host", default="127.0.0.1", help="0.0.0.0: also for other machines (default: only this machine)"
    )
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a file and serve nothing")
    add(parser, "--camera", "--colours", "--show", "--fps", "--every")
    add(parser, "--quiet", help="no progress bar while a file is written")


def execute(options: argparse.Namespace) -> None:
    """Execute the command."""
    from ipc_articulation.recording import read_recording
    from ipc_articulation.recording.environments import looked_at

    recording = looked_at(read_recording(options.folder), options.environment)
    if options.html:
        _write(options, recording)
        return
    from ipc_articulation.viewing.replaying import replay

    try:
        replay(
            recording, options.port, options.colours, options.host, ready=tell, show=options.show, camera=options.camera
        )
    except KeyboardInterrupt:  # how it is ended
        print()


def tell(address: str) -> None:
    """Say where a page is."""
    print(f"{address}   open this in a browser; Ctrl-C ends", flush=True)


def _write(options: argparse.Namespace, recording: Recording) -> None:
    from ipc_articulation.progress import progress
    from ipc_articulation.viewing.moments import film_rows
    from ipc_articulation.viewing.replaying import write_page

    moments = len(film_rows(recording, options.fps, options.every))
    with progress(options.html.name, moments, options.quiet) as show:
        looks = options.colours, options.fps, options.every, show, options.show, options.camera
        write_page(recording, options.html, *looks)
    if not options.quiet:
        print(options.html)
