"""The pictures of a run; one that cannot be made is left out with a note that says why, and the run still ends well."""

from __future__ import annotations

import pickle
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from ipc_articulation.recording import Recording
from ipc_articulation.viewing.rendering import Still

_INSTALL = "install it with: pip install 'ipc_articulation[view]'"
_PATIENCE = 120.0  # seconds for one picture


def draw_scene(recording: Recording, file: Path) -> str | None:
    """Picture of the bodies where the recording ends; returns a note when it is left out.

    It is drawn by a process of its own: where there is no OpenGL, the drawing library may take its process down.
    """
    if find_spec("pyvista") is None:
        return f"{file.name}: pyvista is missing; {_INSTALL}"
    poses = {name: recording.body_poses[-1, index] for index, name in enumerate(recording.body_names)}
    still = Still(recording.scenery, poses)
    command = [sys.executable, "-c", "from ipc_articulation.viewing import rendering; rendering.main()", str(file)]
    try:
        done = subprocess.run(command, input=pickle.dumps(still), capture_output=True, timeout=_PATIENCE)
    except subprocess.TimeoutExpired:
        return f"{file.name}: drawing took more than {_PATIENCE:.0f} s"
    if done.returncode == 0 and file.is_file():
        return None
    words = done.stderr.decode(errors="replace").strip().splitlines() or [f"exit status {done.returncode}"]
    return f"{file.name}: off-screen drawing does not work here (is OpenGL, libGL, installed?): {words[-1]}"


def draw_plot(recording: Recording, file: Path) -> str | None:
    """Joint motion, contact force and distance over time; returns a note when it is left out."""
    if find_spec("matplotlib") is None:
        return f"{file.name}: matplotlib is missing; {_INSTALL}"
    from ipc_articulation.viewing.plotting import plot

    plot(recording, file)
    return None
