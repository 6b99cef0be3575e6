"""`export`: a recording as OBJ sequence, animated glTF or USD."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ipc_articulation.arrays import Ints
from ipc_articulation.recording import Recording
from ipc_articulation.viewing.exporting.film import film_of
from ipc_articulation.viewing.exporting.gltf import write_gltf
from ipc_articulation.viewing.exporting.obj import write_obj
from ipc_articulation.viewing.exporting.usd import write_usd
from ipc_articulation.viewing.meshes import Show
from ipc_articulation.viewing.palette import PictureBy
from ipc_articulation.viewing.writing import writing

FORMATS = {"gltf": write_gltf, "usd": write_usd, "obj": write_obj}
_NAMES = {"gltf": "{}.glb", "usd": "{}.usdc", "obj": "obj"}


def export(
    recording: Recording,
    form: str,
    out: Path | None,
    folder: Path,
    rows: Ints,
    by: PictureBy = "role",
    show: Callable[[int], None] = lambda done: None,
    shapes: Show = "visual",
) -> str:
    """Write a recording for another program.

    Args:
        recording: The recording to write.
        form: A key of `FORMATS`.
        out: The file, or the folder of a sequence.
        folder: Folder for a file or folder with the recording's name, if `out` is not given.
        rows: Which moments, rising.
        by: Meaning of a body's colour; by strain, vertices of soft bodies have their own colours at each moment.
        show: Called with the number of moments done.
        shapes: Which surfaces of the bodies.

    Returns:
        A sentence that describes the written files.

    Raises:
        MissingPackageError: The format's library is not installed.
        OutputError: A file cannot be written.
        ViewingError: The file's ending belongs to another format, or there is no strain for colours to show.
    """
    file = out or folder / _NAMES[form].format(recording.name)
    film = film_of(recording, rows, by, shapes)
    with writing(file):
        return FORMATS[form](film, file, show)
