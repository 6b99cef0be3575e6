"""Random mechanisms with joints of every kind, each a function of its seed alone, and random states of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation import spatial
from ipc_articulation.dynamics import Mechanism, Model, joints, random_position

Array = np.ndarray

KINDS = [name for name in joints.__all__ if name != "Joint"]
MASSLESS = "RzRyJoint"  # what this joint moves has no mass of its own, but carries a link that has


class States(NamedTuple):
    """One state, or many along a first axis."""

    q: Array  # (..., nq)
    v: Array  # (..., nv)
    a: Array  # (..., nv)
    tau: Array  # (..., nv)
    wrenches: Array  # (..., nb, 6)

    def at(self, k: int) -> States:
        """One of many."""
        return States(*(x[k] for x in self))


def random_joint(kind: str, rng: np.random.Generator) -> joints.Joint:
    """A joint of a class, along random axes."""
    first, second = rng.normal(size=(2, 3))
    match kind:
        case "HelicalJoint":
            return joints.HelicalJoint(first, rng.normal())
        case "UniversalJoint":
            return joints.UniversalJoint(first, second)
        case "CylindricalJoint" | "PlanarJoint" | "PrismaticJoint" | "RevoluteJoint":
            return getattr(joints, kind)(first)
    return getattr(joints, kind)()


def random_pose(rng: np.random.Generator) -> Array:
    """A rigid motion, (4, 4)."""
    return spatial.pose(spatial.rotation_from_quaternion(rng.normal(size=4)), rng.normal(size=3))


def random_inertia(rng: np.random.Generator) -> Array:
    """Of a random cloud of mass, (3, 3): with second moments S, I = tr(S) 1 - S."""
    A = rng.normal(size=(3, 3))
    return np.trace(A @ A.T) * np.eye(3) - A @ A.T


def random_mechanism(seed: int, floating: bool, rotors: bool = True) -> Mechanism:
    """A tree with one joint of every kind, some more fixed ones, and frames.

    Args:
        seed: All there is to know of it.
        floating: All hangs on one link that floats; else several links hang on the world, of which one is fixed.
        rotors: Joints have rotor inertias, the floating one excepted.
    """
    rng = np.random.default_rng(seed)
    first = "FloatingJoint" if floating else "FixedJoint"
    kinds = [first, *rng.permutation([kind for kind in KINDS if kind != first])]
    kinds += ["FixedJoint"] * 2
    mechanism = Mechanism(f"tree {seed}", gravity=5.0 * rng.normal(size=3))
    hosts = ["world"]
    for number, kind in enumerate(kinds):
        parent = "world" if number == 0 else rng.choice(hosts[-5:] if floating else ["world", *hosts[-5:]])
        name = _add(mechanism, rng, f"{kind}_{number}", kind, parent, rotors)
        hosts = [*hosts, name] if hosts != ["world"] else [name]
    mechanism.add_frame("tool", hosts[-1], random_pose(rng))
    return mechanism


def _add(mechanism: Mechanism, rng: np.random.Generator, name: str, kind: str, parent: str, rotors: bool) -> str:
    joint = random_joint(kind, rng)
    rotor = rng.uniform(0.1, 0.5, joint.ndof) * (rotors and kind != "FloatingJoint")
    origin, child_origin = random_pose(rng), random_pose(rng)
    mechanism.add_joint(
        f"joint_{name}", joint, parent, name, origin=origin, child_origin=child_origin, rotor_inertia=rotor
    )
    mass = 0.0 if kind == MASSLESS else rng.uniform(0.5, 2.0)
    mechanism.add_link(name, mass, rng.normal(size=3), mass * random_inertia(rng))
    if kind == MASSLESS:
        weight = f"weight_{name}"
        mechanism.add_joint(f"joint_{weight}", joints.FixedJoint(), name, weight, origin=random_pose(rng))
        mechanism.add_link(weight, 1.0, rng.normal(size=3), random_inertia(rng))
    return name


def random_states(model: Model, seed: int, count: int | None = None) -> States:
    """States of size about one."""
    rng = np.random.default_rng(seed)
    leading = () if count is None else (count,)
    v, a, tau = rng.normal(size=(3, *leading, model.nv))
    return States(random_position(model, rng, count), v, a, tau, rng.normal(size=(*leading, len(model.bodies), 6)))


def link_poses(mechanism: Mechanism, model: Model, q: Array) -> dict[str, Array]:
    """Poses of all links in the world, from joint to joint: origin · H(q) · child_origin."""
    poses = {"world": np.eye(4)}
    for placed in mechanism.joints:
        H = placed.joint.pose_at(q[model.positions(placed.name)] if placed.joint.nq else [])
        poses[placed.child] = poses[placed.parent] @ placed.origin @ H @ placed.child_origin
    return poses
