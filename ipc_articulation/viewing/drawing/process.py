"""Starts the process that draws, and watches it.

The process is separate because the drawing library may crash without OpenGL.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from ipc_articulation.errors import ViewingError
from ipc_articulation.extras import need
from ipc_articulation.viewing.drawing.shots import Shots
from ipc_articulation.viewing.writing import require_writable, writing

_PATIENCE = 120.0  # seconds without a picture
_COMMAND = (sys.executable, "-m", "ipc_articulation.viewing.drawing.worker")


def draw(shots: Shots, file: Path, show: Callable[[int], None] = lambda done: None) -> None:
    """Write a picture (.png) of the first moment, or a film (.mp4, .webp, .gif) of all.

    Args:
        shots: What is seen.
        file: The file to write; a missing folder is made.
        show: Called with the number of pictures drawn.

    Raises:
        MissingPackageError: pyvista, or imageio_ffmpeg for a film, is not installed.
        OutputError: The file cannot be written.
        ViewingError: The file's ending or its size is not valid, or OpenGL does not work here.
    """
    _check(shots, file)
    with writing(file):
        require_writable(file)
    with tempfile.TemporaryFile() as scene, tempfile.TemporaryFile() as words:
        pickle.dump(shots, scene)
        scene.seek(0)
        process = subprocess.Popen([*_COMMAND, str(file)], stdin=scene, stdout=subprocess.PIPE, stderr=words, text=True)
        is_late = _watch(process, show)
        words.seek(0)
        lines = words.read().decode(errors="replace").strip().splitlines() or [f"exit status {process.returncode}"]
    if is_late:
        raise ViewingError(f"{file.name}: drawing took more than {_PATIENCE:.0f} s for one picture")
    if process.returncode != 0 or not file.is_file():
        raise ViewingError(
            f"{file.name}: off-screen drawing does not work here (is OpenGL, libGL, installed?): {lines[-1]}"
        )


def refuse_other_format(file: Path, is_film: bool) -> None:
    """Refuse a film in a file for pictures, and a picture in one for films.

    Raises:
        ViewingError: It is one.
    """
    if is_film and file.suffix == ".png":
        raise ViewingError(f"{file.name}: a film is a .mp4, .webp or .gif file")
    if not is_film and file.suffix == ".mp4":
        raise ViewingError(f"{file.name}: a picture is a .png file; --film makes films")


def _check(shots: Shots, file: Path) -> None:
    need("pyvista")
    if shots.legend or shots.marks is not None:
        need("matplotlib")  # letters
    if file.suffix == ".mp4":
        need("imageio_ffmpeg")
        if any(side % 2 for side in shots.size):
            raise ViewingError(f"{file.name}: a film's width and height are even numbers, not {shots.size}")
    elif file.suffix not in (".png", ".webp", ".gif"):
        raise ViewingError(f"{file.name}: a picture is a .png file, a film a .mp4, .webp or .gif file")


def _watch(process: subprocess.Popen[str], show: Callable[[int], None]) -> bool:
    """Follow the process to its end.

    Returns:
        Whether it was killed because it took too long.
    """
    is_late = False

    def end() -> None:
        nonlocal is_late
        is_late = True
        process.kill()

    assert process.stdout is not None
    with process:
        timer = _started(end)
        try:
            for line in process.stdout:
                timer.cancel()
                if line.strip().isdecimal():
                    show(int(line))
                timer = _started(end)
        except BaseException:  # Ctrl-C
            process.kill()
            raise
        finally:
            timer.cancel()
    return is_late


def _started(end: Callable[[], None]) -> threading.Timer:
    timer = threading.Timer(_PATIENCE, end)
    timer.daemon = True
    timer.start()
    return timer
