"""The momentum of a floating robot, kept through an implicit step.

A robot whose only joint on the world is a floating one changes its momentum p, and its angular momentum L about the
world's origin, by forces from outside alone: its weight, wrenches, and forces on the floating joint itself. Backward
Euler keeps them to O(dt) only, because it evaluates velocity products at the beginning of a step. With the impulse f of
those forces, n its moment about the origin, and the centre of mass c,

    p⁺ = p + dt m g + f,     L⁺ = L + dt c × m g + n,     c⁺ = c + dt p⁺/m

are their exact discrete balance: then L⁺ - c⁺ × p⁺ = L - c × p + n - c × f, wherever the robot is and however fast it
flies. The end (q*, v*) of the implicit step is moved to where the balance holds, by its base alone:

    base position += c⁺ - c(q*),     base velocity += A_b⁻¹ (h⁺ - A v*),

with h = (L, p) = A(q⁺) v and A_b the base's columns of A. Both changes are O(dt²) in a step: the order stays one. The
new velocity is the nearest one to v* with this momentum in the norm of the kinetic energy, because A is X M_b with the
base's rows M_b of the mass matrix, so that M⁻¹Aᵀ has no other rows than the base's (projection onto an invariant:
Hairer, Lubich, Wanner 2006, «Geometric Numerical Integration», section IV.4).

The impulse on the base is what the step has applied there, M_b (v* - v) + dt h_b, with the bias forces h.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation import spatial
from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.centre_of_mass import centre_of_mass, centroidal_momentum_matrix
from ipc_articulation.dynamics.algorithms.manifold import moved
from ipc_articulation.dynamics.joints import FloatingJoint
from ipc_articulation.dynamics.model.model import Model
from ipc_articulation.errors import UnsupportedError


class FloatingBase(NamedTuple):
    """The floating joint on which a whole robot moves."""

    q: slice  # position and quaternion in the robot's position
    v: slice  # translation and rotation in the robot's velocity
    dofs: slice  # the same in the spanning tree's
    frame: Array  # (4, 4) of the joint in the world


def floating_base(model: Model) -> FloatingBase | None:
    """The base of a robot that floats as a whole; None if nothing floats on the world.

    Raises:
        UnsupportedError: A body floats on the world, and other joints are on it too.
    """
    moving = [body for body in range(len(model.bodies)) if model.body_node[body] >= 0]
    roots = [model.bodies[body] for body in moving if not _is_carried(model, model.bodies[body].parent)]
    floating = [root for root in roots if isinstance(root.joint, FloatingJoint)]
    if not floating:
        return None
    if len(roots) > 1:
        other = next(root for root in roots if root is not floating[0])
        raise UnsupportedError(
            f"momentum is kept of robots with one joint on the world, a floating one; model '{model.name}' has "
            f"'{floating[0].joint_name}' and '{other.joint_name}' there: build a model of each"
        )
    name = floating[0].joint_name
    dofs = model.spanning_tree.dofs(name)
    node = model.tree[int(np.searchsorted(model.tree["v"], dofs.start))]
    return FloatingBase(model.positions(name), model.dofs(name), dofs, spatial.pose(node["R"], node["p"]))


def momentum(model: Model, q: Array, v: Array) -> Array:
    """h = [L; p] about the world's origin: (nq,), (nv,) -> (6,) [kg·m²/s; kg·m/s]."""
    return np.asarray(_momentum_matrix(model, q) @ v)


def with_momentum(model: Model, base: FloatingBase, q: Array, v: Array, h: Array) -> Array:
    """The velocity (nv,) nearest to v whose momentum at a position (nq,) is h, (6,): the base's differs from v."""
    A, result = _momentum_matrix(model, q), np.array(v)
    result[base.v] += np.linalg.solve(A[:, base.v], h - A @ v)
    return result


def of_bodies(tree: Model, base: FloatingBase, mass: Array) -> Array:
    """M_b, the base's rows of a mass matrix (nv, nv) of the spanning tree, without its rotor inertia, (6, nv)."""
    rows = np.array(mass[base.dofs])
    rows[:, base.dofs] -= np.diag(tree.coordinates.rotor_inertia[base.dofs])
    return rows


def balanced(
    model: Model, base: FloatingBase, q: Array, v: Array, rate: Array, impulse: Array, dt: float
) -> tuple[Array, Array, Array]:
    """The end of a step with the balance of momentum.

    Args:
        model: The robot.
        base: Its base.
        q: Position at the beginning, (nq,).
        v: Velocity at the beginning, (nv,).
        rate: v*, the velocity at the end, (nv,), by which the step moves q.
        impulse: On the base's degrees of freedom, without the weight's, (6,) [N·s; N·m·s].
        dt: Time step [s].

    Returns:
        q⁺, v⁺, and the constant velocity that moves q to q⁺.
    """
    R, c, m = base.frame[:3, :3], centre_of_mass(model, q), model.mass
    origin = (base.frame @ np.append(q[base.q][:3], 1.0))[:3]
    force, weight = R @ impulse[:3], dt * m * model.gravity
    outside = np.concatenate([R @ impulse[3:] + np.cross(origin, force), force])
    h = momentum(model, q, v) + outside + np.concatenate([np.cross(c, weight), weight])
    q_end, translation, rate = moved(model, q, dt * rate), base.q.start + np.arange(3), np.array(rate)
    shift = R.T @ (c + dt / m * h[3:] - centre_of_mass(model, q_end))
    v_end = np.array(rate)
    q_end[translation] += shift
    rate[base.v.start : base.v.start + 3] += shift / dt
    return q_end, with_momentum(model, base, q_end, v_end, h), rate


def _is_carried(model: Model, body: int) -> bool:
    return body >= 0 and model.body_node[body] >= 0


def _momentum_matrix(model: Model, q: Array) -> Array:
    """A, (6, nv)."""
    A = np.array(centroidal_momentum_matrix(model, q))
    A[:3] += spatial.skew(centre_of_mass(model, q)) @ A[3:]
    return A
