"""What a robot's file says of its start, whatever its format, and positions inside its joints' limits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ipc_articulation.dynamics.model import Mechanism
from ipc_articulation.dynamics.reading.base import loose_base
from ipc_articulation.dynamics.reading.facts import FileFacts, ScalarJoint
from ipc_articulation.dynamics.reading.format import robot_format

MARGIN = 0.05  # of a joint's range, kept to its limits
DIGITS = 4  # after the point


def read_facts(file: Path) -> FileFacts:
    """The facts of a robot's file.

    Raises:
        AdapterError: MuJoCo cannot read it.
        ModelError: The file is wrong, with its line; or it is no robot's file.
    """
    match robot_format(file):
        case "urdf":
            from ipc_articulation.dynamics import read_urdf

            mechanism = read_urdf(file)
            base = loose_base(file)
            name = "" if mechanism.name == "robot" else mechanism.name  # which a file says little by, or not at all
            return FileFacts(tuple(_joints(mechanism)), name, floating=() if base is None else (base,), says_base=False)
        case "osim":
            from ipc_articulation.dynamics.reading.osim.model import gravity_in, model_in

            gravity = np.array([0.0, 0.0, -np.linalg.norm(gravity_in(model_in(file)[0]))])
            return FileFacts((), gravity=gravity)  # its coordinates start where the file says, upright
    from ipc_articulation.adapters.mujoco import load_model
    from ipc_articulation.dynamics.reading.mujoco.facts import read_facts as of_model

    return of_model(load_model(file))


def start_of(joint: ScalarJoint) -> float:
    """Where a joint starts: as its file says if that is inside its limits, else nearby inside them."""
    rounded = round(joint.position, DIGITS)
    if joint.follows or joint.lower <= rounded <= joint.upper:
        return rounded
    return inside(joint.lower, joint.upper, joint.position)


def inside(lower: float, upper: float, wanted: float = 0.0) -> float:
    """The position nearest to a wanted one that keeps a margin to the limits."""
    margin = MARGIN * (upper - lower)
    low = lower + margin if np.isfinite(margin) else lower
    high = upper - margin if np.isfinite(margin) else upper
    return round(float(np.clip(wanted, low, high)), DIGITS)


def _joints(mechanism: Mechanism) -> Iterator[ScalarJoint]:
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
        yield ScalarJoint(joint.name, lower, upper, start, unit, joint.mimic is not None)
