"""Robots with loops, each a function of its seed alone: chains of cluster joints, and legs and bodies of real ones.

Numbers of clusters, bodies, freedoms and the gear ratios of real robots are as published (generalized_rbda); so are
MiniCheetah's dimensions (Cheetah-Software). Inertias and what is not published are random.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

import numpy as np

from ipc_articulation import dynamics as dyn
from ipc_articulation import spatial
from ipc_articulation.dynamics import Mechanism
from ipc_articulation.dynamics.loops import Implicit
from ipc_articulation.dynamics.model.cluster_joint import ClusterBody, ClusterJoint, Loops, hinged
from ipc_articulation.dynamics.model.cluster_joints import (
    FourBarJoint,
    Free,
    Revolute,
    RevolutePairWithRotor,
    RevoluteWithRotor,
    TelloHip,
    TelloKneeAnkle,
)
from tests.dynamics.loops.random_clusters import KINDS, random_link, random_origin, random_ratio, six_bar

Array = np.ndarray
X, Y, Z = np.eye(3)


class Placed(NamedTuple):
    """A cluster of a robot."""

    cluster: ClusterJoint
    links: list[str]
    hosts: list[str]  # of each body, the link that it or what carries it within the cluster hangs on
    joint: str  # its first


@dataclass
class Robot:
    """A robot that is put together cluster by cluster."""

    name: str
    seed: int
    mechanism: Mechanism = field(init=False)
    loops: Loops = field(default_factory=list)
    placed: list[Placed] = field(default_factory=list)
    model: dyn.Model = field(init=False)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng([self.seed, *self.name.encode()])
        self.mechanism = Mechanism(self.name, gravity=self.rng.normal(size=3) * 5.0)

    def add(self, cluster: ClusterJoint, name: str, outputs: str | list[str] = "world") -> list[str]:
        """Add a cluster; gives the names of its links."""
        start = len(self.mechanism.links)
        self.loops += cluster.add_to(self.mechanism, name, outputs)
        links = [link.name for link in self.mechanism.links[start:]]
        parents = [joint.parent for joint in self.mechanism.joints[start:]]
        hosts: list[str] = []
        for body, parent in zip(cluster.bodies, parents, strict=True):
            hosts.append(parent if body.on is None else hosts[body.on])
        self.placed.append(Placed(cluster, links, hosts, self.mechanism.joints[start].name))
        return links

    def body(self, name: str, axis: Array, at: tuple[float, float, float] | None = None) -> ClusterBody:
        """A random body whose hinge is at a point, or anywhere."""
        return hinged(
            random_link(self.rng, name), axis, random_origin(self.rng) if at is None else spatial.pose(p=list(at))
        )

    def built(self) -> Robot:
        self.model = self.mechanism.build()
        return self

    def coordinates(self, placed: Placed) -> tuple[slice, slice]:
        """Where a cluster's position and independent velocities are among the robot's."""
        dof = self.model.spanning_tree.dofs(placed.joint).start
        for loop in self.model.loops:
            if dof in loop.dofs:
                return loop.x, loop.y
        return slice(0, placed.cluster.nx), slice(0, placed.cluster.nv)  # a free base comes first


class State(NamedTuple):
    """Position, velocities, forces and wrenches on bodies, all of size about one."""

    x: Array
    y_dot: Array
    y_ddot: Array
    tau: Array
    wrenches: Array


def states(robot: Robot, count: int = 20, steepest: float = 30.0) -> list[State]:
    """Random states in which no coordinate of a linkage is more than so much faster than the independent ones."""
    model, rng, found = robot.model, np.random.default_rng(robot.seed), list[State]()
    while len(found) < count:
        x = dyn.random_position(model, rng)
        G = [loop.constraint.G(x[loop.x]) for loop in model.loops if isinstance(loop.constraint, Implicit)]
        if all(np.abs(block).max() < steepest for block in G):
            numbers = rng.normal(size=(3, model.nv))
            found.append(State(x, *numbers, rng.normal(size=(len(model.spanning_tree.bodies), 6))))
    return found


def stacked(some: list[State]) -> State:
    """States as one, with a leading axis."""
    return State(*map(np.array, zip(*some, strict=True)))


def chain(kind: str, length: int, seed: int) -> Robot:
    """A serial chain of cluster joints of one kind; mixed: of every kind, one after the other."""
    robot, tip = Robot(f"chain of {kind}", seed), "world"
    for number in range(length):
        make, place = KINDS[kind if kind != "mixed" else list(KINDS)[(number + seed) % len(KINDS)]]
        tip = robot.add(make(robot.rng), f"c{number}", tip)[place]
    return robot.built()


def humanoid_leg(seed: int) -> Robot:
    """A leg of the MIT humanoid: three geared hinges of the hip, knee and ankle by parallel belts."""
    robot, tip = Robot("humanoid leg", seed), "world"
    for name, axis in (("yaw", Z), ("roll", X), ("pitch", Y)):
        cluster = RevoluteWithRotor(robot.body(name, axis), robot.body("rotor", axis), 6.0)
        tip = robot.add(cluster, name, tip)[0]
    links = [robot.body("knee", Y, (0.0, 0.0, -0.267)), robot.body("ankle", Y, (0.0, 0.0, -0.28))]
    rotors = [robot.body("knee_rotor", Y), robot.body("ankle_rotor", Y)]
    robot.add(RevolutePairWithRotor(links, rotors, [6.0, 6.0], [[2.0], [2.0, 1.0]]), "shank", tip)
    return robot.built()


def mini_cheetah(seed: int) -> Robot:
    """A quadruped of MiniCheetah's build."""
    robot = Robot("mini cheetah", seed)
    [trunk] = robot.add(Free(random_link(robot.rng, "trunk")), "base")
    for leg, (front, left) in enumerate([(1, -1), (1, 1), (-1, -1), (-1, 1)]):
        places = (
            ("abductor", X, (0.19 * front, 0.049 * left, 0.0), (0.125 * front, 0.049 * left, 0.0), 6.0),
            ("hip", Y, (0.0, 0.062 * left, 0.0), (0.0, 0.04 * left, 0.0), 6.0),
            ("knee", Y, (0.0, 0.0, -0.209), (0.0, 0.0, 0.0), 9.33),
        )
        tip = trunk
        for name, axis, link, rotor, ratio in places:
            cluster = RevoluteWithRotor(robot.body("link", axis, link), robot.body("rotor", axis, rotor), ratio)
            tip = robot.add(cluster, f"{name}{leg}", tip)[0]
    return robot.built()


def tello(seed: int) -> Robot:
    """A biped of the Tello humanoid's build: a geared hip clamp and both differentials in each leg."""
    robot = Robot("tello", seed)
    [torso] = robot.add(Free(random_link(robot.rng, "torso")), "base")
    for side in ("left", "right"):
        clamp = RevoluteWithRotor(robot.body("clamp", Z), robot.body("rotor", Z), 6.0)
        tip = robot.add(clamp, f"{side}_clamp", torso)[0]
        for kind, axis, names in ((TelloHip, X, ("gimbal", "thigh")), (TelloKneeAnkle, Y, ("shin", "foot"))):
            rotors = [robot.body("rotor1", Z), robot.body("rotor2", Z)]
            links = [robot.body(names[0], axis), robot.body(names[1], Y)]
            tip = robot.add(kind(rotors, links, 6.0), f"{side}_{names[0]}", tip)[3]
    return robot.built()


def planar_leg(seed: int) -> Robot:
    """A thigh, and a parallelogram that moves the foot."""
    robot = Robot("planar leg", seed)
    [thigh] = robot.add(Revolute(robot.body("thigh", Z, (0.0, 0.0, 0.0))), "hip")
    links = [random_link(robot.rng, name) for name in ("driver", "support", "foot")]
    robot.add(FourBarJoint(*links, (0.096, 0.031, 0.096), (0.031, 0.0)), "knee", thigh)
    return robot.built()


def six_bar_arm(seed: int) -> Robot:
    """A six-bar linkage on a hinge, with a geared hinge at its lever."""
    robot = Robot("six-bar arm", seed)
    [base] = robot.add(Revolute(robot.body("base", X)), "base")
    lever = robot.add(six_bar(robot.rng), "linkage", base)[4]
    robot.add(RevoluteWithRotor(robot.body("link", Y), robot.body("rotor", X), random_ratio(robot.rng)), "hand", lever)
    return robot.built()


def spread(seed: int) -> Robot:
    """Links and rotors of one cluster hang on different bodies of another one, twice."""
    robot = Robot("spread", seed)
    make = KINDS["RevolutePairWithRotor"][0]
    first = robot.add(make(robot.rng), "first")  # link 1, rotor 1, rotor 2, link 2
    second = robot.add(make(robot.rng), "second", [first[3], first[0], first[2]])
    third = RevoluteWithRotor(robot.body("link", Y), robot.body("rotor", X), random_ratio(robot.rng))
    robot.add(third, "third", [second[3], second[0]])
    return robot.built()


ROBOTS = {
    "humanoid leg": humanoid_leg,
    "mini cheetah": mini_cheetah,
    "tello": tello,
    "planar leg": planar_leg,
    "six-bar arm": six_bar_arm,
    "spread": spread,
}
ALL_KINDS = [*(f"chain of {kind}" for kind in [*KINDS, "mixed"]), *ROBOTS]


@cache
def robot_of(kind: str, seed: int) -> Robot:
    """A robot of a kind; chains have 1 to 6 clusters."""
    if kind in ROBOTS:
        return ROBOTS[kind](seed)
    return chain(kind.removeprefix("chain of "), 1 + seed % 6, seed)
