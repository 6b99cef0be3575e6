"""`ipc-articulation export`."""

from __future__ import annotations

import argparse

from ipc_articulation.cli.arguments import add

HELP = "write a run for Blender and other programs"
DESCRIPTION = """\
Write the bodies of a run and their motion as one animated glTF file (.glb), one USD file, or a sequence
of OBJ files."""
EXAMPLES = """\
examples:
  ipc-articulation export out/panda_push --format gltf
  ipc-articulation export out/panda_push --format usd --every 1 --out panda_push.usda
  ipc-articulation export out/panda_push --format obj --fps 24
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add(parser, "folder", "--environment")
    parser.add_argument("--format", choices=("gltf", "usd", "obj"), required=True, help="what to write")
    add(parser, "--out", metavar="PATH", help="the file, or the folder of OBJ files (default: in OUT/NAME)")
    add(parser, "--colours", "--show", "--fps", "--every")
    add(parser, "--quiet", help="no progress bar; print nothing")


def execute(options: argparse.Namespace) -> None:
    """Execute the command."""
    from ipc_articulation.progress import progress
    from ipc_articulation.recording import read_recording
    from ipc_articulation.recording.environments import looked_at
    from ipc_articulation.viewing.exporting import export
    from ipc_articulation.viewing.moments import film_rows

    recording = looked_at(read_recording(options.folder), options.environment)
    rows = film_rows(recording, options.fps, options.every)
    with progress(options.format, len(rows), options.quiet) as show:
        done = export(recording, options.format, options.out, options.folder, rows, options.colours, show, options.show)
    if not options.quiet:
        print(done)
