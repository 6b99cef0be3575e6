"""The shared robots in DART."""

from __future__ import annotations

import dartpy
import numpy as np
from ipc_articulation.adapters.dart import DartAdapter

from tests.adapters.shared.engines import Side
from tests.adapters.shared.robots import DT, GRAVITY, UNITS, Part, Robot

_KINDS = {"revolute": "Revolute", "prismatic": "Prismatic", "spherical": "Ball", "free": "Free"}


def make(robot: Robot) -> DartAdapter:
    world, skeleton = dartpy.simulation.World(), dartpy.dynamics.Skeleton("robot")
    world.setTimeStep(DT)
    world.setGravity(GRAVITY)
    bodies = [
        add(skeleton, part, skeleton.getBodyNode(part.parent) if part.parent >= 0 else None) for part in robot.parts
    ]
    world.addSkeleton(skeleton)
    singles = [body for body, part in zip(bodies, robot.parts, strict=True) if UNITS[part.kind] == 1]
    for body, angle in zip(singles, robot.theta, strict=True):
        body.getParentJoint().setPosition(0, angle)
    first = 0
    for body, part in zip(bodies, robot.parts, strict=True):
        own = robot.rates[first : first + UNITS[part.kind]]
        first += UNITS[part.kind]
        if part.kind == "free":  # turn first, both along the world's axes
            own = np.concatenate([part.origin[:3, :3] @ own[3:], own[:3]])
        body.getParentJoint().setVelocities(own)
    return DartAdapter(world)


def add(skeleton, part: Part, parent):
    """The body of a part, after another one of the skeleton."""
    dynamics, kind = dartpy.dynamics, _KINDS[part.kind]
    joint_properties = getattr(dynamics, f"{kind}JointProperties")()
    joint_properties.mName = part.joint
    if UNITS[part.kind] == 1:
        joint_properties.mAxis = np.array(part.axis)
    body_properties = dynamics.BodyNodeProperties(dynamics.BodyNodeAspectProperties(part.name))
    joint, body = getattr(skeleton, f"create{kind}JointAndBodyNodePair")(parent, joint_properties, body_properties)
    joint.setTransformFromParentBodyNode(isometry(part.origin))
    for k in range(joint.getNumDofs()):
        joint.setDampingCoefficient(k, part.damping)
    inertia = dynamics.Inertia(part.mass, np.array(part.centre), np.diag(part.inertia))
    body.setInertia(inertia)
    node = body.createShapeNode(dynamics.BoxShape(np.array(part.size)))
    node.createCollisionAspect()
    node.setRelativeTranslation(np.array(part.centre))
    return body


def isometry(pose: np.ndarray):
    transform = dartpy.math.Isometry3()
    transform.set_rotation(pose[:3, :3])
    transform.set_translation(pose[:3, 3])
    return transform


def own_step(adapter: DartAdapter) -> None:
    adapter.world.step()


def push(adapter: DartAdapter, forces: np.ndarray) -> None:
    """Of hinges and slides alone."""
    order = np.concatenate([link.dofs for link in adapter._tree.links])
    tau = np.zeros(len(forces))
    tau[order] = forces
    adapter.world.getSkeleton(0).setForces(tau)


def step_with_edit(adapter: DartAdapter) -> None:
    node = adapter.world.getSkeleton(0).getBodyNode(0).getShapeNode(0)
    node.getShape().setSize([1.0, 2.0, 3.0])
    adapter.predict()


SIDE = Side(make, own_step, push, step_with_edit, "shape '.*' of body 'upper' was edited; the scene was built from it")
