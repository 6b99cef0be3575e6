"""The step of a Pinocchio model: Pinocchio has forces and masses, and leaves the integrator to its user.

Semi-implicit Euler with implicit damping solves, at the position q and the velocity v,

    M (v⁺ - v) = dt (τ - h - (D + K) v⁺),   q⁺ = q ⊕ dt v⁺,

M the joint-space inertia with the rotors' (`crba`), h the Coriolis forces and gravity (`nonLinearEffects`), D the
damping of the joints, K the drives' gains of velocity. So v⁺ = v + dt M̂⁻¹ (τ - h - (D + K) v), M̂ = M + dt (D + K); in
the displacement ξ = dt v⁺ the step minimises ½ (ξ - ξ̃)ᵀ M̂ (ξ - ξ̃).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from ipc_articulation.arrays import Array


class Step(NamedTuple):
    """A step of semi-implicit Euler."""

    mass: Array  # (nv, nv) M̂
    v: Array  # (nv,) v⁺


def own_step(model: pin.Model, data: Any, q: Array, v: Array, tau: Array, kd: Array, dt: float) -> Step:
    """The step without contact, joint limits and dry friction.

    Args:
        model: The model.
        data: Scratch space.
        q: Position, (nq,).
        v: Velocity, (nv,).
        tau: Forces of the drives, (nv,).
        kd: Gains of velocity of the drives, the diagonal of K, (nv,).
        dt: Time step [s].
    """
    D = np.asarray(model.damping) + kd
    mass = pin.crba(model, data, q) + dt * np.diag(D)
    force = tau - pin.nonLinearEffects(model, data, q, v) - D * v
    try:
        return Step(mass, v + dt * np.linalg.solve(mass, force))
    except np.linalg.LinAlgError:  # the coupling refuses a singular mass, and names the joint
        return Step(mass, v)
