"""The shared robots in our own dynamics."""

from __future__ import annotations

import numpy as np
from ipc_articulation.adapters.native import NativeAdapter

from ipc_articulation.dynamics.integrators import Drive, Scheme, implicit
from ipc_articulation.dynamics.joints import FloatingJoint, PrismaticJoint, RevoluteJoint, SphericalJoint
from ipc_articulation.dynamics.model import Box, Mechanism, Shape
from tests.adapters.shared.engines import Side
from tests.adapters.shared.robots import DT, GRAVITY, Robot, at

_JOINTS = {
    "revolute": RevoluteJoint,
    "prismatic": PrismaticJoint,
    "spherical": lambda axis: SphericalJoint(),
    "free": lambda axis: FloatingJoint(),
}


def make(robot: Robot) -> NativeAdapter:
    mechanism = Mechanism("robot", gravity=GRAVITY)
    for part in robot.parts:
        link = mechanism.add_link(part.name, part.mass, part.centre, inertia=part.inertia)
        link.collision = (Shape(Box(part.size), at(*part.centre)),)
        parent = "world" if part.parent < 0 else robot.parts[part.parent].name
        joint = _JOINTS[part.kind](part.axis)
        mechanism.add_joint(part.joint, joint, parent, part.name, origin=part.origin, damping=part.damping)
    adapter = NativeAdapter(mechanism.build(), DT, scheme=Scheme.DAMPING)
    theta = adapter.theta()
    theta[robot.single] = robot.theta
    adapter.set_state((theta, robot.rates), np.zeros((0, 4, 4)), np.zeros((0, 4, 4)))
    return adapter


def own_step(adapter: NativeAdapter) -> None:
    step = implicit(adapter.model, adapter.q, adapter.v, DT, adapter.drive, adapter.scheme)
    adapter.q, adapter.v = step.q, step.v


def push(adapter: NativeAdapter, forces: np.ndarray) -> None:
    adapter.drive = Drive(tau=forces)


def step_with_edit(adapter: NativeAdapter) -> None:
    adapter.model = adapter.model


SIDE = Side(
    make, own_step, push, step_with_edit, "'model' of a NativeAdapter cannot be changed: the scene is built from it"
)
