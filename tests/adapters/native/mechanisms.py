"""Mechanisms of our own dynamics, and coupled runs of them, that the adapter's tests share."""

from __future__ import annotations

import numpy as np
from ipc_articulation.adapters.native import NativeAdapter

from ipc_articulation import couple, spatial
from ipc_articulation.coupling import Coupling
from ipc_articulation.coupling.adapter import CoupledBody
from ipc_articulation.dynamics.integrators import implicit
from ipc_articulation.dynamics.joints import (
    CylindricalJoint,
    FixedJoint,
    PlanarJoint,
    PrismaticJoint,
    RevoluteJoint,
    UniversalJoint,
)
from ipc_articulation.dynamics.model import Box, Mechanism, Shape
from tests.coupling.worlds import cube, make_scene, make_world

X, Y, Z = np.eye(3)


def at(*position: float) -> np.ndarray:
    return spatial.pose(p=position)


def add(mechanism: Mechanism, name: str, size, centre=(0.0, 0.0, 0.0), mass: float = 1.0) -> None:
    """A link that is a box about its centre of mass; without size only a mass."""
    link = mechanism.add_link(name, mass, centre, inertia=(0.02, 0.03, 0.04) if mass else 0.0)
    if size is not None:
        link.collision = (Shape(Box(size), at(*centre)),)


def arm() -> Mechanism:
    """A hinge and a slide on a base that stands turned in the world."""
    mechanism = Mechanism("arm")
    add(mechanism, "base", (0.2, 0.2, 0.1), mass=5.0)
    add(mechanism, "upper", (0.4, 0.06, 0.06), (0.4, 0.0, 0.0))
    add(mechanism, "lower", (0.3, 0.05, 0.05), (0.25, 0.0, 0.0))
    turned = spatial.pose(spatial.rotation_about(Z, 0.4), (0.1, 0.2, 0.3))
    mechanism.add_joint("bolts", FixedJoint(), "world", "base", origin=turned)
    mechanism.add_joint("shoulder", RevoluteJoint(Y), "base", "upper", origin=at(0, 0, 0.2), damping=0.5)
    mechanism.add_joint("slide", PrismaticJoint(X), "upper", "lower", origin=at(0.7, 0, 0), damping=2.0)
    return mechanism


def joint_zoo() -> Mechanism:
    """Joints of several screws one after the other, all coordinate axes oblique."""
    mechanism = Mechanism("zoo")
    oblique = spatial.rotation_about(np.ones(3) / np.sqrt(3), 0.5)
    add(mechanism, "fork", (0.1, 0.1, 0.1), (0.3, 0.0, 0.0))
    add(mechanism, "shaft", (0.3, 0.05, 0.05), (0.3, 0.0, 0.1))
    add(mechanism, "puck", (0.1, 0.1, 0.05), (0.2, 0.1, 0.0))
    joints = UniversalJoint(X, Y), CylindricalJoint((1.0, 1.0, 0.0)), PlanarJoint((0.0, 1.0, 1.0))
    names = "world", "fork", "shaft", "puck"
    for joint, parent, child in zip(joints, names, names[1:], strict=False):
        mechanism.add_joint(
            f"to {child}", joint, parent, child, origin=spatial.pose(oblique, (0.5, 0.1, 0.2)), damping=0.3
        )
    return mechanism


def ram() -> Mechanism:
    """A box that slides along x."""
    mechanism = Mechanism("ram", gravity=(0.0, 0.0, 0.0))
    add(mechanism, "head", (0.2, 0.1, 0.1), mass=2.0)
    mechanism.add_joint("slide", PrismaticJoint(X), "world", "head", damping=5.0)
    return mechanism


def block(name: str, x: float, half: float = 0.1, friction: float = 0.3) -> CoupledBody:
    """A cube of 1 kg on the x axis."""
    return CoupledBody(name, at(x, 0, 0), cube(half), 1.0, np.zeros(3), 0.007 * np.eye(3), friction)


class Run:
    """A coupled adapter on the CPU engine; `step` takes steps of everything."""

    def __init__(self, adapter: NativeAdapter, folder, d_hat: float = 2e-3) -> None:
        self.adapter = adapter
        self.scene = make_scene(adapter.dt, adapter.gravity, d_hat=d_hat)
        self.coupling: Coupling = couple(self.scene, adapter)
        self.world = make_world(self.scene, folder)

    def step(self, count: int = 1) -> None:
        for _ in range(count):
            self.coupling.step(self.world)


def own_motion(adapter: NativeAdapter, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Where the engine itself goes from the adapter's state, with its drive: q and v after some steps."""
    q, v = adapter.q, adapter.v
    for _ in range(steps):
        step = implicit(adapter.model, q, v, adapter.dt, adapter.drive, adapter.scheme)
        q, v = step.q, step.v
    return q, v
