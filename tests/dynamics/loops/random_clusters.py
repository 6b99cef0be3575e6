"""Cluster joints of every kind with random bodies, axes, ratios and belts, each a function of its source of chance."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ipc_articulation import spatial
from ipc_articulation.dynamics.loops import Implicit
from ipc_articulation.dynamics.model import cluster_joints
from ipc_articulation.dynamics.model.cluster_joint import ClusterBody, ClusterJoint, hinged
from ipc_articulation.dynamics.model.parts import Link
from tests.dynamics.random_trees import random_inertia

Array = np.ndarray
Rng = np.random.Generator

Z = (0.0, 0.0, 1.0)
# vectors along the bars of a six-bar linkage at q = 0 [m]: crank, coupler, rocker, the rocker's other arm, rod, lever
SIX_BAR = np.array([[0.0, 0.1], [0.3, 0.05], [0.02, 0.2], [0.1, 0.15], [0.25, -0.02], [-0.02, 0.22]])


def random_link(rng: Rng, name: str) -> Link:
    """A body of about 1 kg and 20 cm."""
    mass = rng.uniform(0.5, 2.0)
    return Link(name, mass, 0.2 * rng.normal(size=3), 0.04 * mass * random_inertia(rng))


def random_origin(rng: Rng) -> Array:
    return spatial.pose(spatial.rotation_from_quaternion(rng.normal(size=4)), 0.3 * rng.normal(size=3))


def random_body(rng: Rng, name: str) -> ClusterBody:
    """A body on a hinge along any axis, anywhere."""
    return hinged(random_link(rng, name), rng.normal(size=3), random_origin(rng))


def random_ratio(rng: Rng) -> float:
    return float(rng.choice([-1.0, 1.0]) * rng.uniform(1.0, 9.0))


def revolute(rng: Rng) -> ClusterJoint:
    return cluster_joints.Revolute(random_body(rng, "link"))


def revolute_pair(rng: Rng) -> ClusterJoint:
    return cluster_joints.RevolutePair(random_body(rng, "link1"), random_body(rng, "link2"))


def revolute_with_rotor(rng: Rng) -> ClusterJoint:
    bodies = random_body(rng, "link"), random_body(rng, "rotor")
    return cluster_joints.RevoluteWithRotor(*bodies, random_ratio(rng))


def parallel_belts(rng: Rng, kind: type, count: int) -> ClusterJoint:
    """RevolutePairWithRotor or RevoluteTripleWithRotor."""
    links, rotors = ([random_body(rng, f"{what}{k}") for k in range(count)] for what in ("link", "rotor"))
    belts = [rng.choice([-1.0, 1.0], k) * rng.uniform(0.5, 2.0, k) for k in range(1, count + 1)]
    return kind(links, rotors, [random_ratio(rng) for _ in range(count)], belts)


def differential(rng: Rng, kind: type) -> ClusterJoint:
    """TelloHip or TelloKneeAnkle, with their axes."""
    first = (1.0, 0.0, 0.0) if kind is cluster_joints.TelloHip else (0.0, 1.0, 0.0)
    rotors, links = (
        [hinged(random_link(rng, f"{what}{k}"), axis, random_origin(rng)) for k, axis in enumerate(axes)]
        for what, axes in (("rotor", (Z, Z)), ("link", (first, (0.0, 1.0, 0.0))))
    )
    return kind(rotors, links, random_ratio(rng))


def four_bar(rng: Rng) -> ClusterJoint:
    """Not quite a parallelogram, with any of its angles independent."""
    links = [random_link(rng, name) for name in ("driver", "support", "output")]
    lengths = [0.4, 0.25, 0.4] * rng.uniform(0.95, 1.05, 3)
    return cluster_joints.FourBarJoint(*links, lengths, (0.07, 0.24), int(rng.integers(3)), random_origin(rng))


def six_bar(rng: Rng) -> ClusterJoint:
    """Watt's linkage, closed at q = 0: a four-bar linkage whose rocker drives a rod and a lever by another arm.

    Bodies are crank, coupler on it, rocker, rod on the rocker's other arm, lever; rocker and lever turn about fixed
    pivots. The two loops share the rocker, so they are one constraint of four equations.
    """
    crank, coupler, rocker, arm, rod, lever = SIX_BAR * rng.uniform(0.95, 1.05, (6, 1))
    rocker_pivot = crank + coupler - rocker
    lever_pivot = rocker_pivot + arm + rod - lever

    def phi(q):
        first = _turned(crank, q[0]) + _turned(coupler, q[0] + q[1]) - rocker_pivot - _turned(rocker, q[2])
        second = rocker_pivot + _turned(arm, q[2]) + _turned(rod, q[2] + q[3]) - lever_pivot - _turned(lever, q[4])
        return np.concatenate([first, second])

    at = [np.zeros(2), crank, rocker_pivot, arm, lever_pivot]
    names = ["crank", "coupler", "rocker", "rod", "lever"]
    bodies = [
        hinged(random_link(rng, name), Z, spatial.pose(p=[*point, 0.0]), on)
        for name, point, on in zip(names, at, [None, 0, None, 2, None], strict=True)
    ]
    return cluster_joints.Generic(bodies, Implicit(phi, 5, [0]))


def _turned(vector, angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])


KINDS: dict[str, tuple[Callable[[Rng], ClusterJoint], int]] = {  # and the place of the link that a chain goes on from
    "Revolute": (revolute, 0),
    "RevolutePair": (revolute_pair, 1),
    "RevoluteWithRotor": (revolute_with_rotor, 0),
    "RevolutePairWithRotor": (lambda rng: parallel_belts(rng, cluster_joints.RevolutePairWithRotor, 2), 3),
    "RevoluteTripleWithRotor": (lambda rng: parallel_belts(rng, cluster_joints.RevoluteTripleWithRotor, 3), 2),
    "TelloHip": (lambda rng: differential(rng, cluster_joints.TelloHip), 3),
    "TelloKneeAnkle": (lambda rng: differential(rng, cluster_joints.TelloKneeAnkle), 3),
    "FourBar": (four_bar, 2),
    "six-bar": (six_bar, 4),
}
