"""A recording as one HTML file that any browser opens from disk, with nothing else beside it and no server."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path

from ipc_articulation.recording import Recording
from ipc_articulation.viewing.forces import ForceArrows
from ipc_articulation.viewing.meshes import Show
from ipc_articulation.viewing.moments import film_rows, last_row
from ipc_articulation.viewing.palette import PictureBy
from ipc_articulation.viewing.plotting import svg
from ipc_articulation.viewing.replaying.looks import title_of
from ipc_articulation.viewing.replaying.played import Played
from ipc_articulation.viewing.replaying.server import quiet_server
from ipc_articulation.viewing.writing import writing

_PORT = 8180  # any free one from here, for the moment in which the page is made
_PANEL = """
<details style="position: fixed; top: 0; right: 0; width: min(34rem, 45vw); max-height: 80vh; overflow: auto;
    z-index: 10; background: #ffffffe8; font: 14px sans-serif; padding: 0.6rem 1rem; border-bottom-left-radius: 8px">
  <summary style="cursor: pointer">{title}: plots</summary>{plot}
</details>
"""


def write_page(
    recording: Recording,
    file: Path,
    by: PictureBy = "role",
    fps: float = 30.0,
    every: int | None = None,
    show: Callable[[int], None] = lambda done: None,
    shapes: Show = "visual",
    camera: str | None = None,
) -> None:
    """Write the page: viser's own player with a time slider, and the plots of the run.

    Args:
        recording: What is shown.
        file: The file to write; a missing folder is made.
        by: Meaning of a body's colour.
        fps: Moments per second, in real time.
        every: Number of rows from one moment to the next, shown at `fps`, instead of real time.
        show: Called with the number of moments done.
        shapes: Which surfaces of the bodies.
        camera: Name of the camera through which it looks at first.

    Raises:
        MissingPackageError: viser or matplotlib is not installed.
        OutputError: The file cannot be written.
        ViewingError: The recording is empty, has no such camera, or no soft bodies whose strain colours
            could show.
    """
    last_row(recording)
    plot, title = svg(recording), escape(title_of(recording))
    with quiet_server(_PORT, title_of(recording)) as server:
        played = Played(server, recording, by, ForceArrows(recording), shapes, camera)
        film = server.get_scene_serializer()
        for done, row in enumerate(film_rows(recording, fps, every), start=1):
            played.show(int(row))
            film.insert_sleep(1.0 / fps)
            show(done)
        page = film.as_html().replace("<title>Viser</title>", f"<title>{title}</title>", 1)
    panel = _PANEL.format(title=title, plot=plot)
    head, foot = page.rsplit("</body>", 1)
    with writing(file):
        file.write_text(f"{head}{panel}</body>{foot}", encoding="utf-8")
