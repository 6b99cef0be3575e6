"""The step of a Pinocchio model: Pinocchio has forces and masses, and leaves the integrator to its user.

Semi-implicit Euler with implicit damping solves, at the position q and the rates θ̇ of the articulation's positions,

    Bᵀ M B (θ̇⁺ - θ̇) = dt Bᵀ (τ - h - M Ḃ θ̇ - (D + K) B θ̇⁺),   δθ = dt θ̇⁺,

with v = B θ̇ Pinocchio's velocity (see `charts`; B is constant in the step, and one but for free-flyers and planar
joints), M the joint-space inertia with the rotors' (`crba`), h the Coriolis forces and gravity (`nonLinearEffects`), D
the damping of the joints, K the drives' gains of velocity. So with M̂ = M + dt (D + K)

    B θ̇⁺ = v + dt M̂⁻¹ (τ - h - M Ḃ θ̇ - (D + K) v),

and in the displacement δθ the step minimises ½ (δθ - δθ̃)ᵀ Bᵀ M̂ B (δθ - δθ̃).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from ipc_articulation.arrays import Array


class Step(NamedTuple):
    """A step of semi-implicit Euler."""

    mass: Array  # (nv, nv) M̂
    v: Array  # (nv,) B θ̇⁺


def own_step(model: pin.Model, data: Any, q: Array, v: Array, drift: Array, tau: Array, kd: Array, dt: float) -> Step:
    """The step without contact, joint limits and dry friction.

    Args:
        model: The model.
        data: Scratch space.
        q: Position, (nq,).
        v: Velocity, (nv,).
        drift: Ḃ θ̇, (nv,).
        tau: Forces of the drives, (nv,).
        kd: Gains of velocity of the drives, the diagonal of K, (nv,).
        dt: Time step [s].
    """
    D = np.asarray(model.damping) + kd
    inertia = pin.crba(model, data, q)
    mass = inertia + dt * np.diag(D)
    force = tau - pin.nonLinearEffects(model, data, q, v) - inertia @ drift - D * v
    try:
        return Step(mass, v + dt * np.linalg.solve(mass, force))
    except np.linalg.LinAlgError:  # the coupling refuses a singular mass, and names the joint
        return Step(mass, v)
