"""`ipc-articulation show`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ipc_articulation.cli.arguments import add, count, size

if TYPE_CHECKING:
    from ipc_articulation.showing import Placed

HELP = "draw the start of a scene file, and list it"
DESCRIPTION = """\
Draw the start of a scene file before it runs: names of bodies, axes of joints, frames of links, and overlaps in red
with their depth; or show it in the browser. Lists bodies, joints (axis, range, start) and overlaps. Needs no engine,
and draws scenes that cannot start, too."""
EXAMPLES = """\
examples:
  ipc-articulation show scenes/panda_grasp.yaml
  ipc-articulation show scenes/panda_grasp.yaml --set "bodies.cube.pose.position=[0.45, 0.03, 0.16]" --out start.png
  ipc-articulation show scenes/panda_grasp.yaml --browser
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add(parser, "file", "--set", "--environment")
    place = "the picture, a .png file (default: out/NAME/start.png, in the folder that a run has)"
    parser.add_argument("-o", "--out", "--output", type=Path, metavar="FILE", help=place)
    parser.add_argument("--browser", action="store_true", help="serve it to the browser until Ctrl-C, and draw nothing")
    parser.add_argument("--port", type=count, metavar="N", default=8080, help="8080, or the next free port")
    parser.add_argument("--size", type=size, metavar="WxH", help="pixels (default: 1600x1000)")
    add(parser, "--colours", choices=("role", "link"), help="what colours show: role (default), or each link")
    add(parser, "--show")
    add(parser, "--camera", help="a camera of the scene or robot file (default: one that sees everything)")
    add(parser, "--quiet", help="print only where the picture is")


def execute(options: argparse.Namespace) -> None:
    """Execute the command."""
    from ipc_articulation.scenefile.reading import read_scene
    from ipc_articulation.scenefile.settings import parse_setting
    from ipc_articulation.showing import lines_of, place

    scene, document = read_scene(options.file, dict(parse_setting(text) for text in options.settings))
    placed = place(scene, document, options.environment)
    if not options.quiet:
        print(*lines_of(placed), sep="\n")
        if placed.refused:
            print(f"refused, and left out: {placed.refused}")
    if options.browser:
        _serve(options, placed)
        return
    from ipc_articulation.showing.picture import picture_of
    from ipc_articulation.viewing.drawing import draw, refuse_other_format
    from ipc_articulation.viewing.drawing.shots import PICTURE_SIZE

    file = options.out or Path("out") / options.file.stem / "start.png"
    refuse_other_format(file, is_film=False)
    draw(picture_of(placed, options.size or PICTURE_SIZE, options.colours, options.show, options.camera), file)
    print(file)


def _serve(options: argparse.Namespace, placed: Placed) -> None:
    from ipc_articulation.cli.replay import tell
    from ipc_articulation.showing.browser import serve

    try:
        title = placed.scene.title or options.file.stem
        serve(placed, title, options.port, options.colours, options.show, ready=tell)
    except KeyboardInterrupt:  # how it is ended
        print()
