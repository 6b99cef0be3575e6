"""The process that draws: `Shots` come pickled on standard input, a line a picture goes to standard output.

python -m ipc_articulation.viewing.drawing.worker FILE
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.extras import need
from ipc_articulation.viewing.drawing.names import with_texts
from ipc_articulation.viewing.drawing.pyvista_scene import PyvistaScene
from ipc_articulation.viewing.drawing.shots import Shots


def main() -> None:
    """Draw the picture or film that is asked for, in the format of its suffix."""
    shots: Shots = pickle.load(sys.stdin.buffer)
    file = Path(sys.argv[1])
    stage = PyvistaScene(shots)
    _WRITERS[file.suffix](_pictures(stage, shots), file, shots)
    stage.plotter.close()


def _pictures(stage: PyvistaScene, shots: Shots) -> Iterator[NDArray[np.uint8]]:
    """The pictures (height, width, 3); a line is printed once one is taken."""
    for count, shot in enumerate(shots.shots, start=1):
        stage.show(shot)
        stage.plotter.render()  # a screenshot alone draws only the first time
        yield with_texts(stage.plotter.screenshot(return_img=True), stage.plotter, shots)
        print(count, flush=True)


def _write_picture(pictures: Iterator[NDArray[np.uint8]], file: Path, shots: Shots) -> None:
    for pixels in pictures:
        need("PIL.Image").fromarray(pixels).save(file)


def _write_video(pictures: Iterator[NDArray[np.uint8]], file: Path, shots: Shots) -> None:
    writer = need("imageio.v2").get_writer(file, fps=shots.fps, codec="libx264", quality=8, macro_block_size=2)
    for pixels in pictures:
        writer.append_data(pixels)
    writer.close()


def _write_animation(pictures: Iterator[NDArray[np.uint8]], file: Path, shots: Shots) -> None:
    """WebP or GIF, endlessly repeated; each picture ends at the whole time nearest to k/fps, so that none adds up."""
    tick = 10.0 if file.suffix == ".gif" else 1.0  # [ms]
    ends = tick * np.round(1e3 / (tick * shots.fps) * np.arange(len(shots.shots) + 1))
    first, *rest = (need("PIL.Image").fromarray(pixels) for pixels in pictures)
    durations = np.maximum(np.diff(ends), tick).astype(int).tolist()
    first.save(file, save_all=True, append_images=rest, duration=durations, loop=0, quality=80)


_WRITERS = {".png": _write_picture, ".mp4": _write_video, ".webp": _write_animation, ".gif": _write_animation}


if __name__ == "__main__":
    main()
