"""What joints do by themselves: dampers, springs, dry friction.

    τ = -D v,     τ = -K x,   x = difference(mount, q),     τ = -f sign(v)

x is the displacement from the spring's mount: q - mount, and for a quaternion the rotation vector log(q mount⁻¹) in the
parent's axes. With one stiffness about all three axes -k x is minus the gradient of ½ k |x|².
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.dynamics.algorithms.bad_states import checked, states
from ipc_articulation.dynamics.algorithms.manifold import displacement
from ipc_articulation.dynamics.algorithms.over_states import Array
from ipc_articulation.dynamics.arguments import positive_number
from ipc_articulation.dynamics.model.model import Model

CREEP = 1e-3  # speed at which dry friction is fully there [rad/s or m/s]


def damping_forces(model: Model, v: ArrayLike) -> Array:
    """-D v: (..., nv) -> (..., nv) [N·m or N].

    Raises:
        StateError: A wrong shape, a number that is not finite.
    """
    return -model.coordinates.damping * checked(model, "v", v)


def spring_forces(model: Model, q: ArrayLike) -> Array:
    """-K x: (..., nq) -> (..., nv) [N·m or N].

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """
    return -model.coordinates.stiffness * _stretch(model, q)


def friction_forces(model: Model, v: ArrayLike, creep: float = CREEP) -> Array:
    """Dry friction for integrators that know only forces: -f v/creep, at most f in size.

    Args:
        model: The model.
        v: Velocities, (..., nv).
        creep: Speed below which it acts like a damper, because a force alone cannot hold a joint [rad/s or m/s]. The
            implicit integrator holds it exactly and does without.

    Returns:
        (..., nv) [N·m or N].

    Raises:
        StateError: A wrong shape, a number that is not finite, a creep speed that is not positive.
    """
    speed = checked(model, "v", v) / positive_number("creep", creep)
    return -model.coordinates.friction * np.clip(speed, -1.0, 1.0)


def passive_forces(model: Model, q: ArrayLike, v: ArrayLike) -> Array:
    """All of them: (..., nq), (..., nv) -> (..., nv) [N·m or N].

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """
    q, v = states(model, q=q, v=v)
    return damping_forces(model, v) + spring_forces(model, q) + friction_forces(model, v)


def spring_energy(model: Model, q: ArrayLike) -> Array:
    """½ xᵀ K x: (..., nq) -> (...) [J].

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """
    x = _stretch(model, q)
    return 0.5 * np.sum(model.coordinates.stiffness * x * x, axis=-1)


def _stretch(model: Model, q: ArrayLike) -> Array:
    """x, the displacement from the springs' mounts, (..., nv)."""
    return displacement(model, model.coordinates.spring_mount, checked(model, "q", q))
