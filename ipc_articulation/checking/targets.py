"""Targets of a scene file beyond the limits of their joints, as where somebody wrote degrees."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ipc_articulation.checking.names import placed_controllers
from ipc_articulation.checking.start import Start
from ipc_articulation.coupling.kinds import in_degrees, is_within
from ipc_articulation.scenefile.document import Location, SceneProblem
from ipc_articulation.scenefile.schema import ControllerEntry, RobotScene, TrajectoryEntry
from ipc_articulation.scenefile.time_series import read_time_series

_Target = tuple[Location, str, float, str]  # place, joint, position, when


def target_problems(start: Start, scene: RobotScene) -> Iterator[SceneProblem]:
    """A warning for each waypoint, and for the ends of each column of a file, that its joint cannot reach."""
    for place, controller in placed_controllers(scene):
        for at, joint, value, when in _targets(place, controller):
            low, high, unit = start.limits.get(joint, (-np.inf, np.inf, "m"))
            if joint not in start.actuated or joint in start.speeds or is_within(value, low, high):
                continue
            message = f"the target {value:g} {unit} of joint '{joint}'{when} is beyond its limits {low:g} to {high:g}"
            yield SceneProblem(at, message + in_degrees(value, low, high, unit))


def _targets(place: Location, controller: ControllerEntry) -> Iterator[_Target]:
    if not isinstance(controller, TrajectoryEntry):
        return
    for index, waypoint in enumerate(controller.waypoints or ()):
        for joint, value in waypoint.joints.items():
            yield (*place, "waypoints", index, "joints", joint), joint, value, ""
    if controller.file is None or (series := read_time_series(controller.file)).in_degrees:
        return
    for joint, values in zip(series.columns, series.values.T, strict=True):
        for row in (int(values.argmin()), int(values.argmax())):
            yield (*place, "file"), joint, float(values[row]), f" at {series.times[row]:g} s"
