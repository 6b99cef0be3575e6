"""The start of a scene in the browser, with the same marks as in the picture."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ipc_articulation.showing.picture import marks_of, meshes_of
from ipc_articulation.showing.placed import Placed
from ipc_articulation.spatial import quaternion_from_rotation
from ipc_articulation.viewing.bodies import outline_of
from ipc_articulation.viewing.marks import AXIS, OVERLAP, Marks
from ipc_articulation.viewing.meshes import Show
from ipc_articulation.viewing.palette import By, rgb
from ipc_articulation.viewing.replaying.looks import title_panel
from ipc_articulation.viewing.replaying.server import LOCAL, quiet_server
from ipc_articulation.viewing.replaying.viser_scene import ViserScene

_THIN = 0.03  # of a frame's axes, and of the arrows of joints, in lengths of a frame's axes
_RED = 12.0  # diameter of the sphere in an overlap, in thicknesses of these axes


def serve(
    placed: Placed,
    title: str,
    port: int,
    by: By = "role",
    show: Show = "visual",
    host: str = LOCAL,
    ready: Callable[[str], None] = print,
    stop: threading.Event | None = None,
) -> None:
    """Show the start in the browser until `stop` is set, or Ctrl-C; arguments as in `replay`.

    Raises:
        MissingPackageError: viser is not installed.
        ViewingError: No page can be served at the port and host.
    """
    with quiet_server(port, title, host) as server:
        scenery = placed.scenery
        stage = ViserScene(server, scenery, (), outline_of(scenery, (), np.zeros((1, 0, 4, 4))), 1.0, by, show)
        stage.draw_as(meshes_of(placed, by, show))
        groups = add_marks(server.scene, marks_of(placed))
        title_panel(server.gui, title)
        for text, handles in groups.items():
            _add_switch(server.gui, text, handles)
        ready(f"http://{host}:{server.get_port()}")
        (stop or threading.Event()).wait()


def add_marks(scene: Any, marks: Marks) -> Mapping[str, list[Any]]:
    """Put marks into a `viser.SceneApi`; their handles by what switches them on and off."""
    thin = _THIN * marks.size
    groups: dict[str, list[Any]] = {"names of bodies": [], "joints": [], "frames": [], "overlaps": []}
    keys = {"body": "names of bodies", "joint": "joints", "overlap": "overlaps"}
    for number, name in enumerate(marks.names):
        label = scene.add_label(f"/marks/name {number}", name.text, position=name.point, anchor="center-center")
        groups[keys[name.kind]].append(label)
        if name.kind == "overlap":
            ball = f"/marks/overlap {number}"
            groups["overlaps"].append(scene.add_icosphere(ball, 0.5 * _RED * thin, rgb(OVERLAP), position=name.point))
    for number, pose in enumerate(marks.frames):
        turn, where = quaternion_from_rotation(pose[:3, :3]), pose[:3, 3]
        sizes = {"axes_length": marks.size, "axes_radius": thin, "origin_radius": 2.0 * thin}
        groups["frames"].append(scene.add_frame(f"/marks/frame {number}", wxyz=turn, position=where, **sizes))
    if len(marks.axes):
        looks = {"shaft_radius": 1.5 * thin, "head_radius": 4.0 * thin, "head_length": 10.0 * thin}
        groups["joints"].append(scene.add_arrows("/marks/axes", marks.axes.astype(np.float32), rgb(AXIS), **looks))
    return groups


def _add_switch(gui: Any, text: str, handles: list[Any]) -> None:
    if not handles:
        return
    box = gui.add_checkbox(text, True)

    @box.on_update
    def switch(_: Any) -> None:
        for handle in handles:
            handle.visible = box.value
