"""`ipc-articulation render`."""

from __future__ import annotations

import argparse

from ipc_articulation.cli.arguments import add, positive, size

HELP = "draw a picture or film of a run"
DESCRIPTION = "Draw the end of a run, one moment of it, or a film of all; needs no display."
EXAMPLES = """\
examples:
  ipc-articulation render out/panda_push
  ipc-articulation render out/panda_push --at 1.4 --forces --colours link --out push.png
  ipc-articulation render out/panda_push --film --size 1920x1080
  ipc-articulation render out/panda_push --film --forces-of "crate" --out push.webp
  ipc-articulation render out/panda_sponge --colours strain
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add(parser, "folder", "--environment")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--at", type=float, metavar="TIME", help="the moment [s], instead of the end")
    what.add_argument("--film", action="store_true", help="a film of the whole run (MP4, or as --out says)")
    parser.add_argument("--forces", action="store_true", help="draw contact forces as arrows")
    pairs = "draw those of some pairs only: a regular expression that matches a body's name, or 'a on b'"
    parser.add_argument("--forces-of", metavar="PATTERN", help=pairs)
    scale = "length of forces, such as 0.01 (default: chosen; forces that are much larger than the others are cut)"
    parser.add_argument("--arrow-scale", type=positive, metavar="M_PER_N", help=scale)
    parser.add_argument("--size", type=size, metavar="WxH", help="pixels (default: 1600x1000; a film: 1280x800)")
    add(parser, "--camera", "--colours", "--show", "--fps", "--every")
    add(parser, "--out", help="a .png file; a .mp4, .webp or .gif file for a film")
    add(parser, "--quiet", help="no progress bar; print nothing")


def execute(options: argparse.Namespace) -> None:
    """Execute the command."""
    from ipc_articulation.progress import progress
    from ipc_articulation.recording import read_recording
    from ipc_articulation.recording.environments import looked_at
    from ipc_articulation.viewing.drawing import draw, refuse_other_format, shots_of
    from ipc_articulation.viewing.drawing.shots import FILM_SIZE, PICTURE_SIZE
    from ipc_articulation.viewing.forces import ForceArrows
    from ipc_articulation.viewing.moments import film_rows, last_row, row_at

    recording = looked_at(read_recording(options.folder), options.environment)
    wanted = options.forces or options.forces_of or options.arrow_scale
    forces = ForceArrows(recording, options.forces_of, options.arrow_scale) if wanted else None
    if options.film:
        rows, default = film_rows(recording, options.fps, options.every).tolist(), "film.mp4"
    elif options.at is not None:
        rows, default = [row_at(recording, options.at)], f"at_{options.at:g}s.png"
    else:
        rows, default = [last_row(recording)], "picture.png"
    size = options.size or (FILM_SIZE if options.film else PICTURE_SIZE)
    file = options.out or options.folder / default
    refuse_other_format(file, options.film)
    shots = shots_of(recording, rows, options.colours, forces, size, options.fps, options.show, options.camera)
    with progress(file.name, len(rows), options.quiet) as show:
        draw(shots, file, show)
    if not options.quiet:
        print(file)
        if forces and forces.note:
            print(forces.note)
