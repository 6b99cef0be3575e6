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
from ipc_articulation.viewing.palette import By

FORMATS = {"gltf": write_gltf, "usd": write_usd, "obj": write_obj}
_NAMES = {"gltf": "{}.glb", "usd": "{}.usdc", "obj": "obj"}


def export(
    recording: Recording,
    form: str,
    out: Path | None,
    folder: Path,
    rows: Ints,
    by: By = "role",
    show: Callable[[int], None] = lambda done: None,
) -> str:
    """Write a recording for another program.

    Args:
        recording: What is written.
        form: A key of `FORMATS`.
        out: The file, or the folder of a sequence.
        folder: Where they go under the recording's name when `out` is not given.
        rows: Which moments, rising.
        by: What a body's colour says.
        show: Called with the number of moments done.

    Returns:
        What was written, in words.

    Raises:
        MissingPackageError: The format's library is not installed.
        ViewingError: The file's ending is another format's.
    """
    file = out or folder / _NAMES[form].format(recording.name)
    file.parent.mkdir(parents=True, exist_ok=True)
    return FORMATS[form](film_of(recording, rows, by), file, show)
