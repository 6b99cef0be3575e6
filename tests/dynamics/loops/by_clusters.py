"""Dynamics of a robot from S, v_J and c_J of its clusters alone, in body frames; and derivatives to many digits.

    v = X v_o + v_J,    a = X a_o + S ÿ + c_J + v × v_J,    J = X J_o + S

over all bodies, each with its output body o and the transform X from there; a = -g in the world.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ipc_articulation import spatial
from ipc_articulation.dynamics.loops import Implicit
from ipc_articulation.dynamics.loops.motion import over, times
from ipc_articulation.dynamics.model.cluster_joint import ClusterJoint
from tests.dynamics.loops.robots import Placed, Robot

Array = np.ndarray

WEIGHTS = np.array([4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0])  # of f(h) - f(-h), f(2h) - f(-2h), ...


def slope(f: Callable, step=0.01) -> Array:
    """f'(0), by differences of eighth order: to about 1e-13 for an f that changes by its own size over 1.

    step: One number, or an array that f takes and that broadcasts against what f gives.
    """
    steps = [k * step for k in range(1, 5)]
    return sum(w * (np.asarray(f(h)) - np.asarray(f(-h))) for w, h in zip(WEIGHTS, steps, strict=True)) / step


def assert_each(got: Array, want: Array, tolerance: float, size: Array | None = None) -> None:
    """Each of several states to a tolerance relative to the largest number wanted of it, or to 1.

    size: (states,) of terms that cancel in the sum; it may be wrong by their rounding, too.
    """
    got, want = (np.reshape(part, (len(part), -1)) for part in (got, want))
    assert got.shape == want.shape
    allowed = tolerance * np.maximum(1.0, np.abs(want).max(axis=1, initial=0.0))
    if size is not None:
        allowed += 4.0 * np.finfo(float).eps * size
    excess = np.abs(got - want).max(axis=1, initial=0.0) - allowed
    assert excess.max() <= 0.0, f"state {excess.argmax()}: by {excess.max():.3g} more than {allowed[excess.argmax()]:g}"


def moved(cluster: ClusterJoint, x: Array, y_dot: Array, dt: Array) -> Array:
    """Positions after dt on the ways that x start with; along the tangent q̇, if that is what x is."""

    def one(x, y_dot, dt):
        if isinstance(cluster.constraint, Implicit):
            return x + dt * (cluster.constraint.G(x) @ y_dot)
        return cluster.constraint.integrate(x, y_dot, dt)

    return over(one, x, y_dot, dt)


def poses(robot: Robot, x: Array) -> dict[str, Array]:
    """Of all links in the world, (..., 4, 4)."""
    found = {"world": np.eye(4)}
    for placed in robot.placed:
        own = np.moveaxis(placed.cluster.poses(x[..., robot.coordinates(placed)[0]]), -3, 0)
        found.update({link: found[host] @ H for link, host, H in zip(placed.links, placed.hosts, own, strict=True)})
    return found


def motions(robot: Robot, x: Array, y_dot: Array, y_ddot: Array) -> dict[str, tuple[Array, Array, Array]]:
    """(J, v, a) of all links, in their own frames, gravity in the accelerations; of states (..., n)."""
    gravity = np.concatenate([np.zeros(3), robot.model.spanning_tree.gravity])
    rest = np.zeros((*x.shape[:-1], 6))
    found = {"world": (np.zeros((*rest.shape, robot.model.nv)), rest, rest - gravity)}
    for placed in robot.placed:
        _move(robot, placed, x, y_dot, y_ddot, found)
    return found


def _move(robot: Robot, placed: Placed, x: Array, y_dot: Array, y_ddot: Array, found: dict) -> None:
    """Motions of one cluster."""
    at_x, at_y = robot.coordinates(placed)
    cluster, x, rate = placed.cluster, x[..., at_x], y_dot[..., at_y]
    S, vJ, cJ = cluster.S(x), cluster.vJ(x, rate), cluster.cJ(x, rate)
    X = spatial.adjoint(spatial.inverse(cluster.poses(x)))
    for i, (link, host) in enumerate(zip(placed.links, placed.hosts, strict=True)):
        rows, own = slice(6 * i, 6 * i + 6), X[..., i, :, :]
        J, v, a = found[host]
        J, v, a = own @ J, times(own, v), times(own, a)
        J[..., at_y] += S[..., rows, :]
        v = v + vJ[..., rows]
        a = a + times(S[..., rows, :], y_ddot[..., at_y]) + cJ[..., rows] + times(spatial.cross(v), vJ[..., rows])
        found[link] = J, v, a


def sums_over_bodies(robot: Robot, x: Array, y_dot: Array, y_ddot: Array, wrenches: Array) -> tuple[Array, Array]:
    """Mass matrix Σ Jᵀ I J, and forces τ = Σ Jᵀ (I a + v ×* I v - Ad(H)ᵀ w); of states (..., n)."""
    H, tau = 0.0, 0.0
    found, places, tree = motions(robot, x, y_dot, y_ddot), poses(robot, x), robot.model.spanning_tree
    for link in robot.mechanism.links:
        (J, v, a), inertia = found[link.name], _inertia(link)
        Jt, X = np.swapaxes(J, -1, -2), spatial.adjoint(places[link.name])
        w = wrenches[..., [body.name for body in tree.bodies].index(link.name), :]
        H = H + Jt @ inertia @ J
        force = times(inertia, a) - times(np.swapaxes(spatial.cross(v), -1, -2), times(inertia, v))
        tau = tau + times(Jt, force - times(np.swapaxes(X, -1, -2), w))
    return H, tau


def _inertia(link) -> Array:
    return spatial.spatial_inertia(link.mass, link.centre, link.inertia)
