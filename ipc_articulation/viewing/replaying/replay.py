"""Replay in the browser: `replay` serves a recording, with a slider for time, until it is stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from ipc_articulation.recording import Recording
from ipc_articulation.viewing.forces import ForceArrows
from ipc_articulation.viewing.meshes import Show
from ipc_articulation.viewing.moments import last_row
from ipc_articulation.viewing.palette import PictureBy
from ipc_articulation.viewing.replaying.looks import title_of
from ipc_articulation.viewing.replaying.panel import ReplayPanel
from ipc_articulation.viewing.replaying.played import Played
from ipc_articulation.viewing.replaying.server import LOCAL, quiet_server

DEFAULT_PORT = 8080


def replay(
    recording: Recording,
    port: int = DEFAULT_PORT,
    by: PictureBy = "role",
    host: str = LOCAL,
    ready: Callable[[str], None] = print,
    stop: threading.Event | None = None,
    show: Show = "visual",
    camera: str | None = None,
) -> None:
    """Show a recording in the browser until `stop` is set, or Ctrl-C.

    Args:
        recording: What is shown.
        port: The port; if it is in use, the next free one.
        by: Meaning of a body's colour at first.
        host: Address of the network interface; by default only this machine can connect.
        ready: Called with the address to open.
        stop: Ends the replay when it is set.
        show: The surfaces that are drawn at first.
        camera: Name of the camera through which the page looks at first.

    Raises:
        MissingPackageError: viser is not installed.
        ViewingError: The recording is empty, has no such camera, or no soft bodies whose strain colours could
            show, or no page can be
            served at the port and host.
    """
    last_row(recording)
    with quiet_server(port, title_of(recording), host) as server:
        controls = _show(server, recording, by, show, camera)
        ready(f"http://{host}:{server.get_port()}")
        try:
            (stop or threading.Event()).wait()
        finally:
            controls.close()


def _show(server: Any, recording: Recording, by: PictureBy, show: Show, camera: str | None) -> ReplayPanel:
    forces = ForceArrows(recording)
    return ReplayPanel(server.gui, recording, Played(server, recording, by, forces, show, camera), by, forces, show)
