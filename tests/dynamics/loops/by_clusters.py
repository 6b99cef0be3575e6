"""Dynamics of a robot from S, v_J and c_J of its clusters alone, in body frames; and derivatives to many digits.

    v = X v_o + v_J,    a = X a_o + S ÿ + c_J + v × v_J,    J = X J_o + S

over all bodies, each with its output body o and the transform X from there; a = -g in the world.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ipc_articulation import spatial
from ipc_articulation.dynamics.loops import Implicit
from ipc_articulation.dynamics.loops.cluster_joint import ClusterJoint
from tests.dynamics.loops.robots import Placed, Robot

Array = np.ndarray

WEIGHTS = np.array([4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0])  # of f(h) - f(-h), f(2h) - f(-2h), ...


def slope(f: Callable[[float], Array], step: float = 0.01) -> Array:
    """f'(0), by differences of eighth order: to about 1e-13 for an f that changes by its own size over 1."""
    steps = step * np.arange(1, 5)
    return sum(w * (np.asarray(f(h)) - np.asarray(f(-h))) for w, h in zip(WEIGHTS, steps, strict=True)) / step


def moved(cluster: ClusterJoint, x: Array, y_dot: Array, dt: float) -> Array:
    """The position after dt on the way that x starts with; along the tangent q̇, if that is what x is."""
    if isinstance(cluster.constraint, Implicit):
        return x + dt * (cluster.constraint.G(x) @ y_dot)
    return cluster.constraint.integrate(x, y_dot, dt)


def poses(robot: Robot, x: Array) -> dict[str, Array]:
    """Of all links in the world, (4, 4)."""
    found = {"world": np.eye(4)}
    for placed in robot.placed:
        own = placed.cluster.poses(x[robot.coordinates(placed)[0]])
        found.update({link: found[host] @ H for link, host, H in zip(placed.links, placed.hosts, own, strict=True)})
    return found


def motions(robot: Robot, x: Array, y_dot: Array, y_ddot: Array) -> dict[str, tuple[Array, Array, Array]]:
    """(J, v, a) of all links, in their own frames, gravity in the accelerations."""
    gravity = np.concatenate([np.zeros(3), robot.model.model.gravity])
    found = {"world": (np.zeros((6, robot.model.nv)), np.zeros(6), -gravity)}
    for placed in robot.placed:
        _move(robot, placed, x, y_dot, y_ddot, found)
    return found


def _move(robot: Robot, placed: Placed, x: Array, y_dot: Array, y_ddot: Array, found: dict) -> None:
    """Motions of one cluster."""
    at_x, at_y = robot.coordinates(placed)
    cluster, x, rate = placed.cluster, x[at_x], y_dot[at_y]
    S = cluster.S(x).reshape(-1, 6, cluster.nv)
    vJ, cJ = cluster.vJ(x, rate).reshape(-1, 6), cluster.cJ(x, rate).reshape(-1, 6)
    X = spatial.adjoint(spatial.inverse(cluster.poses(x)))
    for i, (link, host) in enumerate(zip(placed.links, placed.hosts, strict=True)):
        J, v, a = (X[i] @ part for part in found[host])
        J[:, at_y] += S[i]
        v = v + vJ[i]
        found[link] = J, v, a + S[i] @ y_ddot[at_y] + cJ[i] + spatial.cross(v) @ vJ[i]


def sums_over_bodies(robot: Robot, x: Array, y_dot: Array, y_ddot: Array) -> tuple[Array, Array]:
    """Mass matrix Σ Jᵀ I J, and forces τ = Σ Jᵀ (I a + v ×* I v)."""
    H, tau = np.zeros((robot.model.nv, robot.model.nv)), np.zeros(robot.model.nv)
    found = motions(robot, x, y_dot, y_ddot)
    for link in robot.mechanism.links:
        (J, v, a), inertia = found[link.name], _inertia(link)
        H += J.T @ inertia @ J
        tau += J.T @ (inertia @ a - spatial.cross(v).T @ inertia @ v)
    return H, tau


def _inertia(link) -> Array:
    return spatial.spatial_inertia(link.mass, link.centre, link.inertia)
