"""Kinematics of robots with loops on CasADi's symbols, from nothing but where joints are and how they turn.

Derivatives of all of it are exact: rates are along q̇(v) and v̇.
"""

from __future__ import annotations

from typing import Any

import casadi
import numpy as np

from ipc_articulation.dynamics.joints import FloatingJoint
from ipc_articulation.dynamics.model.cluster_joint import ClusterJoint
from tests.dynamics.loops.robots import Robot


def hinge(axis, angle):
    """Rodrigues' formula, as a pose."""
    a = casadi.skew(axis)
    H = casadi.SX.eye(4)
    H[:3, :3] = casadi.SX.eye(3) + casadi.sin(angle) * a + (1 - casadi.cos(angle)) * (a @ a)
    return H


def floating(q):
    """Position and quaternion (w, e), as a pose."""
    H, e = casadi.SX.eye(4), casadi.skew(q[4:7])
    H[:3, :3] = casadi.SX.eye(3) + 2 * (q[3] * e + e @ e)
    H[:3, 3] = q[:3]
    return H


def joint_pose(joint, q):
    return floating(q) if isinstance(joint, FloatingJoint) else hinge(joint.elements[0].axis, q)


def rate(f, q, q_dot):
    """d/dt of a matrix of q."""
    return casadi.reshape(casadi.jtimes(casadi.vec(f), q, q_dot), *f.shape)


class Tree:
    """A robot's spanning tree: symbols of q, v and v̇, and poses of all links in the world."""

    def __init__(self, robot: Robot) -> None:
        tree = robot.model.spanning_tree
        self.q, self.v, self.a = (
            casadi.SX.sym(name, size) for name, size in (("q", tree.nq), ("v", tree.nv), ("a", tree.nv))
        )
        self.q_dot, self.poses = casadi.SX(self.q.shape[0], 1), {"world": casadi.SX.eye(4)}
        for placed in robot.mechanism.joints:
            at, dofs = tree.positions(placed.name), tree.dofs(placed.name)
            q, v = self.q[at], self.v[dofs]
            H = casadi.SX(np.asarray(placed.origin, dtype=float)) @ joint_pose(placed.joint, q)
            self.poses[placed.child] = self.poses[placed.parent] @ H
            self.q_dot[at] = floating_rate(q, v) if isinstance(placed.joint, FloatingJoint) else v

    def contact(self, link: str, point) -> casadi.Function:
        """Of (q, v, v̇): [ω; ẋ] of a point of a link in world axes, its derivative by v, and its rate."""
        H = self.poses[link]
        H_dot = rate(H, self.q, self.q_dot)
        spin = H_dot[:3, :3] @ H[:3, :3].T
        twist = casadi.vertcat(spin[2, 1], spin[0, 2], spin[1, 0], (H_dot @ np.array([*point, 1.0]))[:3])
        J = casadi.jacobian(twist, self.v)
        twist_rate = casadi.jtimes(twist, self.q, self.q_dot) + casadi.jtimes(twist, self.v, self.a)
        return casadi.Function("contact", [self.q, self.v, self.a], [twist, casadi.vec(J), twist_rate])


def floating_rate(q, v):
    """(ṗ, ½ (0, ω) quaternion)."""
    w, e, omega = q[3], q[4:7], v[3:6]
    return casadi.vertcat(v[:3], -0.5 * casadi.dot(omega, e), 0.5 * (w * omega + casadi.cross(omega, e)))


def twist_rate(cluster: ClusterJoint) -> Any:
    """Of (q, q̇, q̈) of a cluster of hinges: the rate of the twists of all bodies relative to their output bodies."""
    count = len(cluster.bodies)
    q, q_dot, q_ddot = (casadi.SX.sym(name, count) for name in ("q", "v", "a"))
    poses: list[Any] = []
    twists: list[Any] = []
    for i, body in enumerate(cluster.bodies):
        H = casadi.SX(np.asarray(body.origin, dtype=float)) @ hinge(body.joint.elements[0].axis, q[i])
        poses.append(H if body.on is None else poses[body.on] @ H)
        H = poses[-1]
        H_dot = rate(H, q, q_dot)
        R, spin = H[:3, :3], H[:3, :3].T @ H_dot[:3, :3]
        twists.append(casadi.vertcat(spin[2, 1], spin[0, 2], spin[1, 0], R.T @ H_dot[:3, 3]))
    twist = casadi.vertcat(*twists)
    total = casadi.jtimes(twist, q, q_dot) + casadi.jtimes(twist, q_dot, q_ddot)
    return casadi.Function("rate", [q, q_dot, q_ddot], [total])
