"""Targets of the actuated joints over time, made for all steps at once before the run begins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.errors import AdapterError
from ipc_articulation.naming import matching
from ipc_articulation.scenefile.schema import Controller, Hold, Sine, Trajectory

Array = NDArray[np.float64]

_WHAT = "joint with an actuator"


def targets(controller: Controller, joints: Sequence[str], start: Array, times: Array) -> Array:
    """Target positions of the joints.

    Args:
        controller: Of the scene file.
        joints: Names of the k joints that have an actuator.
        start: Where they start, (k,) [rad or m].
        times: (n,) [s].

    Returns:
        (n, k) [rad or m].

    Raises:
        AdapterError: When the controller names a joint that has no actuator.
    """
    if isinstance(controller, Hold):
        return np.tile(start, (len(times), 1))
    if isinstance(controller, Sine):
        return _sine(controller, joints, start, times)
    return _trajectory(controller, joints, start, times)


def _sine(controller: Sine, joints: Sequence[str], start: Array, times: Array) -> Array:
    result = np.tile(start, (len(times), 1))
    swing = controller.amplitude * np.sin(2.0 * np.pi * controller.frequency * times)
    result[:, matching(controller.joints, joints, _WHAT, AdapterError)] += swing[:, None]
    return result


def _trajectory(controller: Trajectory, joints: Sequence[str], start: Array, times: Array) -> Array:
    knots, values = _waypoints(controller, joints, start)
    inside = np.clip(times, knots[0], knots[-1])  # the first and the last target hold beyond the ends
    if controller.interpolation == "linear" or len(knots) == 1:
        return np.stack([np.interp(inside, knots, column) for column in values.T], axis=-1)
    from scipy.interpolate import CubicSpline

    return CubicSpline(knots, values, bc_type="clamped")(inside)


def _waypoints(controller: Trajectory, joints: Sequence[str], start: Array) -> tuple[Array, Array]:
    """Times (w,) and targets (w, k) of all waypoints, the initial state first unless a waypoint stands at time 0."""
    times, rows = [0.0], [start.copy()]
    for waypoint in controller.waypoints:
        row = rows[-1].copy()
        columns = matching(tuple(waypoint.joints), joints, _WHAT, AdapterError)
        row[columns] = list(waypoint.joints.values())
        times.append(waypoint.time)
        rows.append(row)
    skip = 1 if times[1] == 0.0 else 0
    return np.array(times[skip:]), np.array(rows[skip:])
