"""Targets of a scene file beyond the limits of their joints, as where somebody wrote degrees."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ipc_articulation.checking.names import placed_controllers
from ipc_articulation.checking.start import Start
from ipc_articulation.coupling.kinds import in_degrees, is_within, told_apart
from ipc_articulation.errors import AdapterError
from ipc_articulation.naming import matching
from ipc_articulation.scenefile.document import Location, SceneProblem
from ipc_articulation.scenefile.schema import ControllerEntry, RobotScene, SineEntry, TrajectoryEntry
from ipc_articulation.scenefile.time_series import read_time_series

_Target = tuple[Location, str, float, float, str]  # place, joint, position, what the file has there, when


def target_problems(start: Start, scene: RobotScene) -> Iterator[SceneProblem]:
    """A warning for each waypoint, and for the ends of each sine and column of a file, that its joint cannot reach."""
    for place, controller in placed_controllers(scene):
        swings = _swings(place, controller, start) if isinstance(controller, SineEntry) else ()
        for at, joint, value, written, when in (*_targets(place, controller), *swings):
            low, high, unit = start.limits.get(joint, (-np.inf, np.inf, "m"))
            if joint not in start.actuated or joint in start.speeds or is_within(value, low, high):
                continue
            target, least, most = told_apart(value, low, high)
            message = f"the target {target} {unit} of joint '{joint}'{when} is beyond its limits {least} to {most}"
            yield SceneProblem(at, message + in_degrees(written, unit))


def _targets(place: Location, controller: ControllerEntry) -> Iterator[_Target]:
    if not isinstance(controller, TrajectoryEntry):
        return
    for index, waypoint in enumerate(controller.waypoints or ()):
        for joint, value in waypoint.joints.items():
            yield (*place, "waypoints", index, "joints", joint), joint, value, value, ""
    if controller.file is None or (series := read_time_series(controller.file)).in_degrees:
        return
    for joint, values in zip(series.columns, series.values.T, strict=True):
        for row in (int(values.argmin()), int(values.argmax())):
            value = float(values[row])
            yield (*place, "file"), joint, value, value, f" at {series.times[row]:g} s"


def _swings(place: Location, controller: SineEntry, start: Start) -> Iterator[_Target]:
    """The lowest and highest target of each joint of a sine; none where it names joints that take no target."""
    try:
        columns = matching(controller.joints, start.actuated, "joint", AdapterError)
    except AdapterError:
        return
    for column in columns:
        centre, swing = start.targets[column], controller.amplitude
        for value in (centre - swing, centre + swing):
            yield (*place, "amplitude"), start.actuated[column], value, swing, f" at the amplitude about {centre:g}"
