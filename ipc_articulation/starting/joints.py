"""The joints of a robot's file, and a position for each inside its limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ipc_articulation.dynamics.model import Mechanism
from ipc_articulation.errors import ModelError
from ipc_articulation.naming import suggest
from ipc_articulation.scenefile.paths import package_folders

READABLE = (".urdf", ".xml")
MARGIN = 0.05  # of a joint's range, kept to its limits


@dataclass(frozen=True)
class StartJoint:
    """A joint of one degree of freedom."""

    name: str
    lower: float  # [rad or m]
    upper: float
    start: float
    unit: str
    follows: bool  # another joint determines it


def read_joints(file: Path) -> tuple[list[StartJoint], bool]:
    """The joints that a scene file can name, and whether the file has actuators of its own.

    Raises:
        AdapterError, UnsupportedError: MuJoCo cannot read it.
        ModelError: The file is wrong, with its line; or it is of another kind.
    """
    if file.suffix not in READABLE:
        raise ModelError(f"{file}: a robot's file ends in one of these{suggest(file.suffix, READABLE)}")
    if file.suffix == ".urdf":
        from ipc_articulation.dynamics import read_urdf

        mechanism = read_urdf(file, package_dirs=[*package_folders(), *file.absolute().parents])
        return list(_joints(mechanism)), False
    from ipc_articulation.adapters.mujoco import load_model
    from ipc_articulation.dynamics import robot_from_mujoco

    model = load_model(file)
    return list(_joints(robot_from_mujoco(model))), model.nu > 0


def _joints(mechanism: Mechanism) -> Iterator[StartJoint]:
    starts: dict[str, float] = {}
    for joint in mechanism.joints:
        if joint.joint.ndof != 1:
            continue
        lower, upper = (float(np.broadcast_to(limit, 1)[0]) for limit in (joint.lower, joint.upper))
        start = inside(lower, upper)
        if joint.mimic is not None:
            start = joint.mimic.multiplier * starts.get(joint.mimic.joint, 0.0) + joint.mimic.offset
        starts[joint.name] = start
        unit = "m" if "Prismatic" in type(joint.joint).__name__ else "rad"
        yield StartJoint(joint.name, lower, upper, start, unit, joint.mimic is not None)


def inside(lower: float, upper: float) -> float:
    """The position nearest to 0 that keeps a margin to the limits."""
    margin = MARGIN * (upper - lower)
    low = lower + margin if np.isfinite(margin) else lower
    high = upper - margin if np.isfinite(margin) else upper
    return round(float(np.clip(0.0, low, high)), 4)
