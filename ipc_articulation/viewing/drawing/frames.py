"""Pictures one after the other, as arrays, by a process that stays open: for simulations that go on meanwhile.

The process gets `Shots` once and then a `Shot` for each picture, all pickled, and answers each with its pixels.
It is separate because the drawing library may crash without OpenGL.

python -m ipc_articulation.viewing.drawing.frames
"""

from __future__ import annotations

import pickle
import subprocess
import sys
import tempfile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.errors import ViewingError
from ipc_articulation.extras import need
from ipc_articulation.viewing.drawing.shots import Shot, Shots

_COMMAND = (sys.executable, "-m", "ipc_articulation.viewing.drawing.frames")


class FrameDrawer:
    """Draws moments of a scene.

    Args:
        shots: The scene, its camera and its first moment.

    Raises:
        MissingPackageError: pyvista is not installed.
    """

    def __init__(self, shots: Shots) -> None:
        need("pyvista")
        self._shots, self._log = shots, tempfile.TemporaryFile()  # noqa: SIM115
        self._process: subprocess.Popen[bytes] | None = None

    def draw(self, shot: Shot) -> NDArray[np.uint8]:
        """The picture of a moment, (height, width, 3), whole numbers from 0 to 255.

        Raises:
            ViewingError: Off-screen drawing does not work here.
        """
        process = self._process or self._started()
        width, height = self._shots.size
        try:
            self._send(process, shot)
            assert process.stdout is not None
            pixels = process.stdout.read(3 * width * height)
        except OSError:
            pixels = b""
        if len(pixels) < 3 * width * height:
            self.close()
            self._log.seek(0)
            lines = self._log.read().decode(errors="replace").strip().splitlines() or ["the process has ended"]
            raise ViewingError(f"off-screen drawing does not work here (is OpenGL, libGL, installed?): {lines[-1]}")
        return np.frombuffer(pixels, dtype=np.uint8).reshape(height, width, 3).copy()

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:  # what was not sent
                    continue

    def _started(self) -> subprocess.Popen[bytes]:
        streams: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self._log}
        self._process = process = subprocess.Popen(_COMMAND, **streams)
        self._send(process, self._shots)
        return process

    @staticmethod
    def _send(process: subprocess.Popen[bytes], part: object) -> None:
        assert process.stdin is not None
        pickle.dump(part, process.stdin)
        process.stdin.flush()


def main() -> None:
    """Draw what comes on standard input until it ends."""
    from ipc_articulation.viewing.drawing.pyvista_scene import PyvistaScene

    stage = PyvistaScene(pickle.load(sys.stdin.buffer))
    while True:
        try:
            shot = pickle.load(sys.stdin.buffer)
        except EOFError:
            break
        stage.show(shot)
        stage.plotter.render()  # a screenshot alone draws only the first time
        pixels = np.ascontiguousarray(stage.plotter.screenshot(return_img=True), dtype=np.uint8)
        sys.stdout.buffer.write(pixels.tobytes())
        sys.stdout.buffer.flush()
    stage.plotter.close()


if __name__ == "__main__":
    main()
