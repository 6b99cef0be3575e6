"""Mechanisms that float or hang on ball joints, for the adapter's tests."""

from __future__ import annotations

import numpy as np

from ipc_articulation import spatial
from ipc_articulation.dynamics.joints import FloatingJoint, HelicalJoint, PrismaticJoint, RevoluteJoint, SphericalJoint
from ipc_articulation.dynamics.loops import FourBar, gear
from ipc_articulation.dynamics.model import Mechanism, Mimic, Model
from tests.adapters.native.linkages import LENGTHS, OFFSET, linkage
from tests.adapters.native.mechanisms import X, Y, Z, add, at

NO_GRAVITY = (0.0, 0.0, 0.0)


def random_pose(rng: np.random.Generator) -> np.ndarray:
    quaternion = rng.normal(size=4)
    return spatial.pose(spatial.rotation_from_quaternion(quaternion), 0.5 * rng.normal(size=3))


def oblique() -> Mechanism:
    """All kinds of joints, with no two frames alike: a body floats on another one, too."""
    mechanism, rng = Mechanism("oblique"), np.random.default_rng(4)
    for name in ("trunk", "arm", "hand", "tail", "kite", "nut"):
        add(mechanism, name, None, (0.1, 0.0, 0.05))

    def join(joint, parent, child):
        frames = random_pose(rng), random_pose(rng)
        mechanism.add_joint(f"to {child}", joint, parent, child, origin=frames[0], child_origin=frames[1], damping=0.1)

    join(FloatingJoint(), "world", "trunk")
    join(SphericalJoint(), "trunk", "arm")
    join(RevoluteJoint((1.0, 0.0, 1.0)), "arm", "hand")
    join(PrismaticJoint(Y), "trunk", "tail")
    join(FloatingJoint(), "hand", "kite")
    join(HelicalJoint(X, 0.05), "trunk", "nut")
    return mechanism


def flying_arm(gravity=NO_GRAVITY) -> Mechanism:
    """A floating box with two links on hinges."""
    mechanism = Mechanism("flying arm", gravity=gravity)
    add(mechanism, "hull", (0.3, 0.2, 0.1), (0.02, 0.0, 0.0), mass=3.0)
    add(mechanism, "upper", (0.3, 0.05, 0.05), (0.2, 0.0, 0.0))
    add(mechanism, "lower", (0.2, 0.04, 0.04), (0.15, 0.0, 0.0), mass=0.5)
    mechanism.add_joint("root", FloatingJoint(), "world", "hull", origin=at(0, 0, 1))
    mechanism.add_joint("shoulder", RevoluteJoint(Y), "hull", "upper", origin=at(0.2, 0, 0))
    mechanism.add_joint("elbow", RevoluteJoint(Z), "upper", "lower", origin=at(0.38, 0, 0))
    return mechanism


def ball_arm() -> Mechanism:
    """Two links that hang on ball joints, the second one on a slide too."""
    mechanism = Mechanism("ball arm")
    for name in ("upper", "lower"):
        add(mechanism, name, (0.05, 0.05, 0.3), (0.02, 0.0, -0.2))
    mechanism.add_joint("shoulder", SphericalJoint(), "world", "upper", origin=at(0, 0, 1), damping=0.2)
    mechanism.add_link("carriage")
    mechanism.add_joint("rail", PrismaticJoint(Z), "upper", "carriage", origin=at(0, 0, -0.45), stiffness=200.0)
    mechanism.add_joint("elbow", SphericalJoint(), "carriage", "lower", stiffness=0.5)
    return mechanism


def flying_gripper() -> Mechanism:
    """A floating hand with two fingers, one of which follows the other."""
    mechanism = Mechanism("flying gripper")
    add(mechanism, "hand", (0.1, 0.2, 0.1), mass=2.0)
    mechanism.add_joint("root", FloatingJoint(), "world", "hand", origin=at(0, 0, 1))
    for name, mimic in (("left", None), ("right", Mimic("left", -1.0, 0.01))):
        add(mechanism, f"{name} finger", (0.1, 0.02, 0.02), mass=0.2)
        place = at(0.15, 0.05 if mimic is None else -0.05, 0)
        mechanism.add_joint(name, PrismaticJoint(Y), "hand", f"{name} finger", origin=place, mimic=mimic)
    return mechanism


def drone() -> Mechanism:
    """A floating body with four rotors that turn about its z axis."""
    mechanism = Mechanism("drone")
    add(mechanism, "frame", (0.2, 0.2, 0.04), mass=1.2)
    mechanism.add_joint("root", FloatingJoint(), "world", "frame", origin=at(0, 0, 1))
    for k, (x, y) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
        mechanism.add_link(f"rotor{k}", 0.02, inertia=(1e-5, 1e-5, 2e-5))
        mechanism.add_joint(f"spin{k}", RevoluteJoint(Z), "frame", f"rotor{k}", origin=at(0.2 * x, 0.2 * y, 0.05))
    return mechanism


def turned(axis=X, angle: float = 0.4, position=(0.0, 0.0, 0.0)) -> np.ndarray:
    return spatial.pose(spatial.rotation_about(axis, angle), position)


def floating_press() -> Model:
    """The linkage of `linkages` on a floating trunk, with a rotor that turns with a flap."""
    mechanism = linkage(rotor=True)
    mechanism.gravity = NO_GRAVITY
    add(mechanism, "trunk", (0.2, 0.1, 0.1), (0.1, 0.3, 0.0), mass=4.0)
    for joint in mechanism.joints:
        joint.parent = "trunk" if joint.parent == "world" else joint.parent
    mechanism.add_joint("root", FloatingJoint(), "world", "trunk", origin=turned(position=(0.2, 0.0, 1.0)))
    four_bar = ["crank joint", "rocker joint", "coupler joint"], FourBar(LENGTHS, OFFSET, 0)
    return mechanism.build().with_loops([four_bar, (["flap joint", "rotor joint"], gear(5.0))])
