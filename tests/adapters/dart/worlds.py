"""DART worlds that the adapter's tests share."""

from __future__ import annotations

import dartpy
import numpy as np
from ipc_articulation.adapters.dart import DartAdapter

from ipc_articulation import couple, spatial
from tests.adapters.shared.dart_side import isometry
from tests.coupling.worlds import make_scene, make_world

D = dartpy.dynamics
DT = 0.005
KINDS = ("Revolute", "Prismatic", "Screw", "Universal", "Ball", "Planar", "Free")


def placement(seed: int) -> np.ndarray:
    """A random pose, some decimetres away."""
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=3)
    return spatial.pose(spatial.rotation_about(axis / np.linalg.norm(axis), rng.random()), 0.3 * rng.normal(size=3))


def empty(gravity=(0.3, -0.2, -9.81)) -> dartpy.simulation.World:
    world = dartpy.simulation.World()
    world.setTimeStep(DT)
    world.setGravity(gravity)
    return world


def add_body(skeleton, parent, kind: str, name: str, seed: int, child_placed: bool = True):
    """A body on a joint whose frames are oblique at both ends."""
    properties = getattr(D, f"{kind}JointProperties")() if kind != "Weld" else None
    aspect = D.BodyNodeProperties(D.BodyNodeAspectProperties(name))
    create = getattr(skeleton, f"create{kind}JointAndBodyNodePair")
    joint, body = create(parent) if properties is None else create(parent, properties, aspect)
    body.setName(name)
    joint.setName(f"to {name}")
    joint.setTransformFromParentBodyNode(isometry(placement(seed)))
    if child_placed:
        joint.setTransformFromChildBodyNode(isometry(placement(seed + 50)))
    rng = np.random.default_rng(seed)
    body.setInertia(D.Inertia(1.0 + rng.random(), 0.1 * rng.normal(size=3), np.diag([0.02, 0.03, 0.04])))
    for k in range(joint.getNumDofs()):
        joint.setDampingCoefficient(k, 0.1)
        joint.setSpringStiffness(k, 2.0 if kind in ("Revolute", "Prismatic") else 0.0)
    return body


def chain(kind: str, child_placed: bool = True) -> dartpy.simulation.World:
    """A hinge, a joint of a kind, a weld, and a slide, at a random state."""
    world, skeleton = empty(), D.Skeleton("chain")
    first = add_body(skeleton, None, "Revolute", "first", 1, child_placed)
    middle = add_body(skeleton, first, kind, "middle", 2, child_placed)
    bolted = add_body(skeleton, middle, "Weld", "bolted", 3, child_placed)
    add_body(skeleton, bolted, "Prismatic", "last", 4, child_placed)
    world.addSkeleton(skeleton)
    rng = np.random.default_rng(5)
    skeleton.setPositions(0.4 * rng.normal(size=skeleton.getNumDofs()))
    skeleton.setVelocities(rng.normal(size=skeleton.getNumDofs()))
    return world


def add_box(body, size: float = 0.1, friction: float | None = None):
    node = body.createShapeNode(D.BoxShape(np.full(3, size)))
    node.createCollisionAspect()
    if friction is not None:
        node.createDynamicsAspect()
        node.getDynamicsAspect().setFrictionCoeff(friction)
    return node


def poses(world) -> np.ndarray:
    """Of all bodies of the first skeleton."""
    skeleton = world.getSkeleton(0)
    return np.array([skeleton.getBodyNode(k).getWorldTransform().matrix() for k in range(skeleton.getNumBodyNodes())])


def run(adapter: DartAdapter, folder, steps: int):
    """The coupling after some steps."""
    coupling = couple(make_scene(adapter.dt, adapter.gravity), adapter)
    world = make_world(coupling.scene, folder)
    for _ in range(steps):
        coupling.step(world)
    return coupling
