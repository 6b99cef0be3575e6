"""Joints at the start of a scene: where their axes are, their range, and their position."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import Adapter, CoupledRobot, SetsState
from ipc_articulation.coupling.kinds import freedom_names, kind_of
from ipc_articulation.scenefile import schema


@dataclass(frozen=True)
class Freedom:
    """One number of a joint's position."""

    name: str
    unit: str  # rad or m
    start: float
    lower: float = -np.inf
    upper: float = np.inf


@dataclass(frozen=True)
class PlacedJoint:
    """A joint in the world."""

    name: str
    kind: str
    anchor: Array  # (3,) [m]
    axes: Array  # (k, 3) unit: k is 0 for ball joints and floating bases, 2 for universal joints
    freedoms: tuple[Freedom, ...] = ()


def joints_of_robot(robot: CoupledRobot, adapter: Adapter) -> tuple[PlacedJoint, ...]:
    """The joints of a robot, with positions and limits as its multibody engine has them; passive joints have none."""
    names, theta, own = freedom_names(robot.joints), adapter.theta(), 0
    limits = adapter.limits() if isinstance(adapter, SetsState) else np.tile([-np.inf, np.inf], (len(theta), 1))
    found = []
    for index, joint in enumerate(robot.all_joints):
        kind = kind_of(joint)
        axes = [getattr(joint, key) for key in ("axis", "second_axis") if key in kind.needs]
        freedoms = []
        for unit in kind.units if index < len(robot.joints) else ():
            freedoms.append(Freedom(names[own], unit, float(theta[own]), *limits[own].tolist()))
            own += 1
        found.append(PlacedJoint(joint.name, kind.name, joint.anchor, np.reshape(axes, (-1, 3)), tuple(freedoms)))
    return tuple(found)


def joints_of_file(scene: schema.ArticulationScene) -> tuple[PlacedJoint, ...]:
    """The joints of a scene with `adapter: none`; welds have no place."""
    found = []
    for joint in scene.joints:
        if isinstance(joint, schema.AxisEntry):
            unit, limits = "rad" if joint.type == "revolute" else "m", joint.limits or (-np.inf, np.inf)
            axis = np.array([joint.axis]) / np.linalg.norm(joint.axis)
            own = (Freedom(joint.name, unit, 0.0, *limits),)
            found.append(PlacedJoint(joint.name, joint.type, np.array(joint.anchor), axis, own))
        elif isinstance(joint, schema.BallEntry):
            found.append(PlacedJoint(joint.name, joint.type, np.array(joint.anchor), np.zeros((0, 3))))
    return tuple(found)
