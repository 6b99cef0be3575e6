"""The process that draws: `Shots` come pickled on standard input, a line a picture goes to standard output.

python -m ipc_articulation.viewing.drawing.worker FILE
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ipc_articulation.extras import need
from ipc_articulation.viewing.drawing.names import with_names
from ipc_articulation.viewing.drawing.pyvista_scene import PyvistaScene
from ipc_articulation.viewing.drawing.shots import Shots


def main() -> None:
    """Draw the picture (.png), or the film (.mp4), that is asked for."""
    shots: Shots = pickle.load(sys.stdin.buffer)
    file = sys.argv[1]
    stage = PyvistaScene(shots)
    with _writer(file, shots.fps) as write:
        for count, shot in enumerate(shots.shots, start=1):
            stage.show(shot)
            stage.plotter.render()  # a screenshot alone draws only the first time
            pixels = stage.plotter.screenshot(return_img=True)
            write(pixels if shots.marks is None else with_names(pixels, stage.plotter, shots.marks))
            print(count, flush=True)
    stage.plotter.close()


@contextmanager
def _writer(file: str, fps: float) -> Iterator[Callable[[Any], None]]:
    """A function that takes one image (height, width, 3) after the other."""
    if file.endswith(".png"):
        image = need("PIL.Image")
        yield lambda pixels: image.fromarray(pixels).save(file)
        return
    imageio = need("imageio.v2")
    writer = imageio.get_writer(file, fps=fps, codec="libx264", quality=8, macro_block_size=2)
    yield writer.append_data
    writer.close()


if __name__ == "__main__":
    main()
