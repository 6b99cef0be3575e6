"""Make the pictures of the documentation's first page: `docs/images/first.webp` and `docs/images/gallery/`.

    python tools/make_landing_page.py [--out FOLDER] [NAME ...]

Scenes run into FOLDER (out/gallery) where they have not yet; with NAMEs only those pictures are made.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from make_gallery import IMAGES, ROOT, recorded
from PIL import Image

from ipc_articulation.recording import Recording
from ipc_articulation.viewing.drawing import shots_of
from ipc_articulation.viewing.drawing.camera import eye_and_target
from ipc_articulation.viewing.drawing.pyvista_scene import PyvistaScene
from ipc_articulation.viewing.drawing.shots import Shots
from ipc_articulation.viewing.forces import ForceArrows
from ipc_articulation.viewing.moments import film_rows, last_row, row_at
from ipc_articulation.viewing.palette import By

DRAWN, SHOWN = (960, 600), (480, 300)  # pixels of a gallery picture, which is drawn larger to be smooth
FILM_SIZE = (960, 460)
FPS, PAUSE = 20, 1500  # of the film; the last picture stays for PAUSE milliseconds
QUALITY = 80


@dataclass(frozen=True)
class Moment:
    """A moment of a scene and how it is seen; the eye comes nearer by the factor `zoom`."""

    time: float | None = None  # s; the end
    zoom: float = 1.0
    by: By = "role"
    has_own_camera: bool = False  # that of the scene file


GALLERY = {
    "panda_grasp": Moment(2.8),
    "panda_push": Moment(2.0, by="link"),
    "pendulum": Moment(0.7),
    "four_bar_press": Moment(zoom=1.1, has_own_camera=True),
    "force_control": Moment(),
    "recorded_motion": Moment(1.5, by="link"),
    "linkage": Moment(0.5),
    "materials": Moment(zoom=1.15, has_own_camera=True),
    "random_drop": Moment(),
    "environments": Moment(0.6),
    "hinge_pair": Moment(),
    "hinge_slider": Moment(),
    "go2_stand": Moment(has_own_camera=True),
    "drone_landing": Moment(1.4, has_own_camera=True),
    "wrecking_ball": Moment(1.0, has_own_camera=True),
    "two_pandas_handover": Moment(3.85, has_own_camera=True),
    "allegro_ball": Moment(has_own_camera=True),
    "g1_fall": Moment(0.95, has_own_camera=True),
    "cloth_over_arm": Moment(0.9),
    "panda_sponge": Moment(),
    "panda_towel": Moment(4.75, zoom=1.1, has_own_camera=True),
    "cable_through_eye": Moment(),
    "soft_pads_glass": Moment(),
    "push_crate": Moment(has_own_camera=True),
    "peg_in_hole": Moment(has_own_camera=True),
}


def main() -> None:
    """Make what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(["first", *GALLERY]))
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "gallery")
    options = parser.parse_args()
    for name in options.names or ["first", *GALLERY]:
        file = IMAGES / "first.webp" if name == "first" else IMAGES / "gallery" / f"{name}.webp"
        if name == "first":
            draw_film(recorded("panda_grasp", options.out), file)
        else:
            draw_moment(recorded(name, options.out), GALLERY[name], file)
        print(f"{file.relative_to(ROOT)}  {file.stat().st_size / 1000:.0f} kB")


def draw_film(recording: Recording, file: Path) -> None:
    """The moving picture: the whole run with its contact forces, over and over."""
    shots = shots_of(recording, film_rows(recording, FPS), forces=ForceArrows(recording), size=FILM_SIZE)
    scenery = replace(shots.scenery, eye=(1.42, -1.04, 0.74), target=(0.31, 0.04, 0.335))
    first, *others = drawn(replace(shots, scenery=scenery))
    durations = [1000 // FPS] * len(others) + [PAUSE]
    first.save(file, save_all=True, append_images=others, duration=durations, loop=0, quality=QUALITY, method=6)


def draw_moment(recording: Recording, moment: Moment, file: Path) -> None:
    """A picture of the gallery."""
    row = last_row(recording) if moment.time is None else row_at(recording, moment.time)
    shots = shots_of(recording, [row], moment.by, ForceArrows(recording), DRAWN)
    (image,) = drawn(seen(shots, moment))
    image.resize(SHOWN, Image.Resampling.LANCZOS).save(file, quality=QUALITY, method=6)


def seen(shots: Shots, moment: Moment) -> Shots:
    """The shots from the moment's camera."""
    scenery = shots.scenery if moment.has_own_camera else replace(shots.scenery, eye=None, target=None)
    eye, target = eye_and_target(scenery, shots.outline, DRAWN[0] / DRAWN[1])
    x, y, z = np.asarray(target + (eye - target) / moment.zoom).tolist()
    return replace(shots, scenery=replace(scenery, eye=(x, y, z), target=tuple(target.tolist())))


def drawn(shots: Shots) -> Iterator[Image.Image]:
    """Each shot as an image."""
    stage = PyvistaScene(shots)
    for shot in shots.shots:
        stage.show(shot)
        stage.plotter.render()  # a screenshot alone draws only the first time
        yield Image.fromarray(stage.plotter.screenshot(return_img=True))
    stage.plotter.close()


if __name__ == "__main__":
    main()
