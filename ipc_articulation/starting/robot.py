"""A scene file for somebody's own robot: joints inside their limits, fitting gains, nothing in the ground."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np

from ipc_articulation.checking.nearness import Nearness
from ipc_articulation.checking.start import Start
from ipc_articulation.errors import MeshError, ModelError, SceneFileError
from ipc_articulation.scenefile.paths import PACKAGE, find_file
from ipc_articulation.starting.draft import DT, Draft
from ipc_articulation.starting.gains import choose_gains
from ipc_articulation.starting.joints import read_joints

ADAPTERS = ("mujoco", "native")  # the first that can read the robot is taken
CLEARANCE = 2.0  # of the lowest point above the ground, in d̂
THIN = 0.25  # d̂ in the thinnest surface
LEAST_D_HAT = 1e-4  # [m]


def robot_starter(robot: str, scene_file: Path, adapter: str | None = None) -> str:
    """The text of a scene file.

    Args:
        robot: URDF or MJCF, relative to the working directory, or `package://...`.
        scene_file: Where the text will be written.
        adapter: `mujoco` or `native`; None for the first that can read the robot.

    Raises:
        AdapterError, UnsupportedError: The robot's file cannot be read.
        ModelError: The same; or no adapter can simulate it, and why.
    """
    try:
        file = find_file(robot, Path())
    except FileNotFoundError as error:
        raise ModelError(str(error)) from error
    model = robot if robot.startswith(PACKAGE) else _from(file, scene_file.absolute().parent)
    joints, own_actuators = read_joints(file)
    refusals = []
    for name in [adapter] if adapter else ADAPTERS:
        try:
            return _finished(Draft(model, file, name, joints, own_actuators=own_actuators))
        except SceneFileError as error:
            refusals.append(f"with adapter {name}: {error.faults[0].message}")
    raise ModelError(f"{file} cannot be simulated\n" + "\n".join(refusals))


def _finished(draft: Draft) -> str:
    start = _first_start(draft)
    draft.d_hat = _fitting_d_hat(start, draft.d_hat)
    lowest = min((float(thing.vertices[:, 2].min()) for thing in start.things), default=math.inf)
    if lowest < CLEARANCE * draft.d_hat:
        draft.lift = math.ceil(round(1e3 * (CLEARANCE * draft.d_hat - lowest), 6)) / 1e3  # whole millimetres
    _add_gains(draft, start)
    start, scene = draft.start()
    links = {thing.name for thing in start.things}
    draft.untouchable = [pair for pair in Nearness(start, scene).narrow_pairs() if set(pair) <= links]
    draft.start()
    return draft.text()


def _first_start(draft: Draft) -> Start:
    """As the robot's file is, or with convex hulls where its meshes are open."""
    try:
        return draft.start()[0]
    except SceneFileError as error:
        if not isinstance(error.__cause__, MeshError):
            raise
        draft.hull = True
        return draft.start()[0]


def _fitting_d_hat(start: Start, usual: float) -> float:
    thinnest = min((float(thing.extents.min()) for thing in start.things), default=math.inf)
    if thinnest * THIN >= usual:
        return usual
    return max(float(f"{THIN * thinnest:.1g}"), LEAST_D_HAT)


def _add_gains(draft: Draft, start: Start) -> None:
    if draft.own_actuators or start.effective_mass is None:
        return
    names = [joint.name for joint in start.robot.joints]
    following = {joint.name for joint in draft.joints if joint.follows}
    driven = np.array([name in start.joints and name not in following for name in names])
    kp, kv = choose_gains(start.effective_mass, driven, DT)
    draft.gains = {names[j]: (float(kp[j]), float(kv[j])) for j in np.flatnonzero(driven)}


def _from(file: Path, folder: Path) -> str:
    """The robot's file as a scene file in a folder names it: relative where that is short, else absolute."""
    try:
        relative = Path(os.path.relpath(file, folder))
    except ValueError:  # another drive
        return file.as_posix()
    return file.as_posix() if relative.parts[:2] == ("..", "..") else relative.as_posix()
