"""Passive forces of joints: dampers, springs, dry friction; for robots with loops, on the independent coordinates.

    τ = -D v,     τ = -K x,   x = difference(mount, q),     τ = -f sign(v)

x is the displacement from the spring's mount: q - mount, and for a quaternion the rotation vector log(q mount⁻¹) in the
parent's axes. If the stiffness is the same about all three axes, -k x is minus the gradient of ½ k |x|².
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.bad_states import checked, states
from ipc_articulation.dynamics.algorithms.lift import of_joints
from ipc_articulation.dynamics.algorithms.manifold import displacement
from ipc_articulation.dynamics.arguments import positive_number
from ipc_articulation.dynamics.model.model import Model

CREEP = 1e-3  # speed from which dry friction has its full value [rad/s or m/s]


def damping_forces(model: Model, v: ArrayLike, q: ArrayLike | None = None) -> Array:
    """-D v: (..., nv) -> (..., nv) [N·m or N]; for robots with loops -Gᵀ D G v, which needs the position q (..., nq).

    Raises:
        StateError: A wrong shape, a number that is not finite.
    """
    v = checked(model, "v", v)
    return of_joints(model, _damping, None if q is None else checked(model, "q", q), v)


def spring_forces(model: Model, q: ArrayLike) -> Array:
    """-K x: (..., nq) -> (..., nv) [N·m or N].

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """
    return of_joints(model, _springs, checked(model, "q", q), np.zeros(model.nv))


def friction_forces(model: Model, v: ArrayLike, creep: float = CREEP, q: ArrayLike | None = None) -> Array:
    """Dry friction for integrators that take only forces: -f v/creep, at most f in magnitude.

    Args:
        model: The model.
        v: Velocities, (..., nv).
        creep: Speed below which friction acts as a damper, because a force alone cannot keep a joint at rest
            [rad/s or m/s]. The implicit integrator keeps it at rest exactly and needs no creep.
        q: Positions, (..., nq); needed for robots with loops.

    Returns:
        (..., nv) [N·m or N].

    Raises:
        StateError: A wrong shape, a number that is not finite, a creep speed that is not positive.
    """
    creep = positive_number("creep", creep)
    v = checked(model, "v", v)
    q = None if q is None else checked(model, "q", q)
    return of_joints(model, lambda tree, q, v: _friction(tree, v, creep), q, v)


def passive_forces(model: Model, q: ArrayLike, v: ArrayLike) -> Array:
    """The sum of all passive forces: (..., nq), (..., nv) -> (..., nv) [N·m or N].

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """
    q, v = states(model, q=q, v=v)
    return of_joints(model, _passive, q, v)


def spring_energy(model: Model, q: ArrayLike) -> Array:
    """½ xᵀ K x: (..., nq) -> (...) [J].

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """
    q = checked(model, "q", q)
    x = _stretch(model.spanning_tree, model.spanning(q) if model.loops else q)
    return 0.5 * np.sum(model.coordinates.stiffness * x * x, axis=-1)


def _stretch(tree: Model, q: Array) -> Array:
    """x, the displacement from the springs' mounts, (..., nv)."""
    return displacement(tree, tree.coordinates.spring_mount, q)


def _damping(tree: Model, q: Array | None, v: Array) -> Array:
    return -tree.coordinates.damping * v


def _springs(tree: Model, q: Array, v: Array) -> Array:
    return -tree.coordinates.stiffness * _stretch(tree, q)


def _friction(tree: Model, v: Array, creep: float) -> Array:
    return -tree.coordinates.friction * np.clip(v / creep, -1.0, 1.0)


def _passive(tree: Model, q: Array, v: Array) -> Array:
    return _damping(tree, q, v) + _springs(tree, q, v) + _friction(tree, v, CREEP)
