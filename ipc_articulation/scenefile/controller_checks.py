"""Checks of controllers: keys that exclude others, waypoints in order, files of numbers that can be read."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from ipc_articulation.errors import SceneFileError
from ipc_articulation.scenefile.document import Location, SceneProblem
from ipc_articulation.scenefile.schema import ControllerEntry, RobotScene, TorqueEntry, TrajectoryEntry, WaypointEntry
from ipc_articulation.scenefile.time_series import read_time_series


def controllers(scene: RobotScene) -> Iterator[SceneProblem]:
    """Keys that exclude each other, the order of waypoints, files of numbers."""
    if scene.controller is not None and scene.controllers:
        yield SceneProblem(("controllers",), "give `controller` or `controllers`, not both")
        return
    if scene.controller is not None:
        yield from _controller(("controller",), scene.controller)
    for index, controller in enumerate(scene.controllers):
        yield from _controller(("controllers", index), controller)


def _controller(place: Location, controller: ControllerEntry) -> Iterator[SceneProblem]:
    if isinstance(controller, TrajectoryEntry):
        if (controller.waypoints is None) == (controller.file is None):
            yield SceneProblem(place, "a trajectory has `waypoints` or a `file`, one of them")
        yield from _order(place, controller.waypoints or ())
        yield from _file(place, controller.file)
    if isinstance(controller, TorqueEntry):
        constant = controller.joints is not None and controller.torque is not None
        nothing = controller.joints is None and controller.torque is None
        if not (constant if controller.file is None else nothing):
            yield SceneProblem(place, "a torque has `joints` and `torque`, or a `file` and neither of them")
        yield from _file(place, controller.file)


def _order(place: Location, waypoints: tuple[WaypointEntry, ...]) -> Iterator[SceneProblem]:
    times = [waypoint.time for waypoint in waypoints]
    for index, (before, after) in enumerate(pairwise(times), start=1):
        if after <= before:
            message = f"waypoints go forward in time, but {after:g} s follows {before:g} s"
            yield SceneProblem((*place, "waypoints", index, "time"), message)


def _file(place: Location, file: Path | None) -> Iterator[SceneProblem]:
    if file is not None:
        try:
            read_time_series(file)
        except SceneFileError as error:
            yield SceneProblem((*place, "file"), str(error))
