"""Targets and forces that the controllers of a scene file give the joints, computed for all steps before the run.

Python functions are not included: they are called during the run, see `python_controller`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.errors import AdapterError, SceneFileError
from ipc_articulation.naming import matching
from ipc_articulation.repairs import caution, listed
from ipc_articulation.scenefile.schema import ControllerEntry, SineEntry, TorqueEntry, TrajectoryEntry
from ipc_articulation.scenefile.time_series import OPENSIM, read_time_series

Commands = tuple[list[int], Array]  # indices of joints, and the values of each over time, (n, their number)

_ACTUATED = "joint with an actuator"


def targets(
    controllers: Sequence[ControllerEntry],
    joints: Sequence[str],
    start: Array,
    times: Array,
    turning: Collection[str] = (),
) -> Array:
    """Target positions of the joints; a joint without a controller keeps its start position.

    Args:
        controllers: Of the scene file.
        joints: Names of the k joints that have an actuator.
        start: Their start positions, (k,) [rad or m].
        times: (n,) [s].
        turning: Names of joints whose positions are angles.

    Returns:
        (n, k) [rad or m].

    Raises:
        AdapterError: A controller names a joint that has no actuator; two controllers name the same joint.
        SceneFileError: A file of numbers is wrong.
    """
    result, taken = np.tile(start, (len(times), 1)), set[int]()
    for controller in controllers:
        columns, values = _commands(controller, joints, start, times, turning)
        if both := taken & set(columns):
            raise AdapterError(f"joint '{joints[min(both)]}' is moved by two controllers; name it in one of them only")
        taken |= set(columns)
        result[:, columns] = values
    return result


def torques(controllers: Sequence[ControllerEntry], joints: Sequence[str], times: Array) -> Array:
    """Forces on the joints in addition to those of their actuators; forces of several controllers are added.

    Args:
        controllers: Of the scene file.
        joints: Names of the m joints.
        times: (n,) [s].

    Returns:
        (n, m) [N·m or N].

    Raises:
        AdapterError: A controller names an unknown joint.
        SceneFileError: A file of numbers is wrong.
    """
    result = np.zeros((len(times), len(joints)))
    for controller in controllers:
        if isinstance(controller, TorqueEntry):
            columns, values = _forces(controller, joints, times)
            result[:, columns] += values
    return result


def _commands(
    controller: ControllerEntry, joints: Sequence[str], start: Array, times: Array, turning: Collection[str]
) -> Commands:
    if isinstance(controller, SineEntry):
        return _sine(controller, joints, start, times)
    if isinstance(controller, TrajectoryEntry):
        return _trajectory(controller, joints, start, times, turning)
    return [], np.zeros((len(times), 0))


def _forces(controller: TorqueEntry, joints: Sequence[str], times: Array) -> Commands:
    if controller.file is None:
        columns = matching(controller.joints or (), joints, "joint", AdapterError)
        return columns, np.full((len(times), len(columns)), controller.torque)
    series = read_time_series(controller.file)
    columns = matching(series.columns, joints, "joint", AdapterError)
    return columns, _linear(series.times, series.values, times)


def _sine(controller: SineEntry, joints: Sequence[str], start: Array, times: Array) -> Commands:
    columns = matching(controller.joints, joints, _ACTUATED, AdapterError)
    swing = controller.amplitude * np.sin(2.0 * np.pi * controller.frequency * times + controller.phase)
    return columns, start[columns] + swing[:, None]


def _trajectory(
    controller: TrajectoryEntry, joints: Sequence[str], start: Array, times: Array, turning: Collection[str]
) -> Commands:
    """A trajectory through the knots; beyond its ends the first and the last target are kept."""
    columns, knots, values = _knots(controller, joints, start, turning)
    if controller.interpolation == "linear" or len(knots) == 1:
        return columns, _linear(knots, values, times)
    from scipy.interpolate import CubicSpline

    return columns, CubicSpline(knots, values, bc_type="clamped")(np.clip(times, knots[0], knots[-1]))


def _knots(
    controller: TrajectoryEntry, joints: Sequence[str], start: Array, turning: Collection[str]
) -> tuple[list[int], Array, Array]:
    """Joints, times (w,) and targets (w, their number); the start comes first unless there is a row at time 0."""
    if controller.file is not None:
        columns, times, values = _file_targets(controller.file, joints, turning)
    else:
        columns, times, values = _waypoints(controller, joints, start)
    if times[0] == 0.0:
        return columns, times, values
    return columns, np.concatenate([[0.0], times]), np.concatenate([start[None, columns], values])


def _file_targets(file: Path, joints: Sequence[str], turning: Collection[str]) -> tuple[list[int], Array, Array]:
    """Of a file of OpenSim, angles in radians, without columns of what is no joint here, as dependent coordinates."""
    series = read_time_series(file)
    given, here = series.columns, tuple(name for name in series.columns if name in joints)
    if file.suffix.lower() in OPENSIM and here and here != given:
        idle = listed(name for name in given if name not in joints)
        caution(f"{file}: no {_ACTUATED} follows the columns {idle}", SceneFileError)
        given = here
    units = [np.pi / 180.0 if series.in_degrees and name in turning else 1.0 for name in given]
    values = series.values[:, [series.columns.index(name) for name in given]] * units
    return matching(given, joints, _ACTUATED, AdapterError), series.times, values


def _waypoints(controller: TrajectoryEntry, joints: Sequence[str], start: Array) -> tuple[list[int], Array, Array]:
    """A joint that a waypoint does not name stays where the one before had it."""
    row, rows = start.copy(), []
    waypoints = controller.waypoints or ()
    for waypoint in waypoints:
        row[matching(tuple(waypoint.joints), joints, _ACTUATED, AdapterError)] = list(waypoint.joints.values())
        rows.append(row.copy())
    named = {name for waypoint in waypoints for name in waypoint.joints}
    columns = [index for index, name in enumerate(joints) if name in named]
    return columns, np.array([waypoint.time for waypoint in waypoints]), np.array(rows)[:, columns]


def _linear(knots: Array, values: Array, times: Array) -> Array:
    """Straight lines between knots, the ends beyond them: (w,), (w, c), (n,) -> (n, c)."""
    columns = [np.interp(times, knots, column) for column in values.T]
    return np.stack(columns, axis=-1) if columns else np.zeros((len(times), 0))
