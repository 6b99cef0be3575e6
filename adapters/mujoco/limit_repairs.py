"""Limits of joints that contradict themselves."""

from __future__ import annotations

import mujoco
from ipc_articulation.adapters.mujoco.asset_paths import AssetPaths

from ipc_articulation.repairs import repair

_OFF = mujoco.mjtLimited.mjLIMITED_FALSE


def repair_limits(spec: mujoco.MjSpec, paths: AssetPaths) -> None:
    """Leave out limits of which the lower one is above the upper one, as MuJoCo does unless `limited` is «true».

    Raises:
        ModelError: Repairs are refused.
    """
    for joint in spec.joints:
        lower, upper = joint.range
        if lower <= upper:
            continue
        if joint.limited != _OFF:
            fault, found = "its lower limit is above its upper limit", f"{lower:g} and {upper:g}"
            place = paths.place("joint", joint)
            repair(f"joint '{joint.name}'", fault, "it has no limits, as in MuJoCo", at=place, found=found)
        joint.range, joint.limited = [0.0, 0.0], _OFF
