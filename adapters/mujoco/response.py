"""How the joints answer contact over several steps of MuJoCo: M̂ and velocities of a step of the scene.

A step of the scene has dt = k h, k steps of MuJoCo of h each. With the forces f, each of these steps solves

    M̂₁ (v⁺ - v) = h f(θ, v),    θ⁺ = θ + h v⁺        (M̂₁: see `prediction`).

Forces pⱼ τ on the joints in step j = 0 … k-1, with Σ pⱼ = k and so the impulse dt τ in all, change the velocities by wⱼ
and the positions by eⱼ. To first order, with K = -∂f/∂θ and C = -∂f/∂v,

    M̂₁ (wⱼ₊₁ - wⱼ) = h (pⱼ τ - K eⱼ - C wⱼ),    eⱼ₊₁ = eⱼ + h wⱼ₊₁,    e₀ = w₀ = 0,

so that e_k = S τ and w_k = V τ. Contact that moves the joints by δθ in place of δθ̃ is such a force. With

    M̂ = dt² S⁻¹,

τ = M̂ (δθ - δθ̃)/dt² is the contact force, ½(δθ-δθ̃)ᵀM̂(δθ-δθ̃) the potential of the step, and velocities gain
V τ = V S⁻¹ (δθ - δθ̃). For k = 1 these are M̂₁ and (δθ - δθ̃)/dt.

**Loads and blows.** Contact that bears a load is a constant force, p = (1, …, 1). So S has the whole answer of springs,
gravity and actuators, and a load at rest is exact: without contact the k steps would move the joints by S f, and
S⁻¹ S f = f. But a constant force that stops a motion within the step turns it round: without K and C

    S = (k+1)/2k dt² M̂₁⁻¹,    V S⁻¹ = 2k/(k+1) /dt,

and a joint that contact stops at once, δθ - δθ̃ = -dt v, would go back with (k-1)/(k+1) of its velocity. Contact that
stops a motion is a blow, an impulse in the first of the steps, p = (k, 0, …, 0), after which it is at rest:

    S = dt² M̂₁⁻¹,    V S⁻¹ = 1/dt.

V is dt M̂₁⁻¹ both times: the momentum that the joints lose is the impulse of contact. The share of blows in each freedom
is that of its velocity v at the beginning in its displacement, b = |dt v|/(|dt v| + |δθ̃ - dt v|). With B = diag(b)

    S = S_load + B (S_blow - S_load) B,

and likewise V. At rest, b = 0.

**Neglected** are changes of M̂₁ (the mean is taken), K and C (those of the beginning) within the step, the antisymmetric
parts of K and C (Coriolis forces), and what limits and dry friction would do against τ within it: the step of the scene
has them (see `coupling.restraints`). Equalities are in M̂₁, K and C (see `equalities`).
"""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.prediction import copy_state

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.errors import AdapterError

_LEAST = 1e-9  # eigenvalue of S M̂₁/dt²
_DIFFERENCE = 1e-6  # of positions and velocities, for K and C [rad or m; per s]


class Response(NamedTuple):
    """What a contact force τ does in a step of the scene, for F degrees of freedom."""

    S: Array  # (F, F) displacement by τ [rad/(N·m) or alike], symmetric positive definite
    V: Array  # (F, F) change of velocity by τ


class Step(NamedTuple):
    """MuJoCo's own step, to first order."""

    M1: Array  # (F, F) M̂₁
    K: Array  # (F, F) [N·m/rad or alike]
    C: Array  # (F, F) [N·m·s/rad or alike]
    h: float  # [s]

    def answer(self, p: Array) -> Response:
        """S and V of forces p (k,) τ in k steps."""
        mobility = self.h * np.linalg.inv(self.M1)
        stiff, damp = mobility @ self.K, mobility @ self.C
        e, w = np.zeros_like(self.M1), np.zeros_like(self.M1)
        for p_j in p:
            w = w + p_j * mobility - stiff @ e - damp @ w
            e = e + self.h * w
        return Response(0.5 * (e + e.T), w)


def response(step: Step, k: int, v: Array, delta_theta_tilde: Array) -> Response:
    """S and V of k steps.

    Args:
        step: One of them.
        k: Their number.
        v: Velocities at the beginning, (F,) [rad/s or m/s].
        delta_theta_tilde: δθ̃ of all of them, (F,) [rad or m].

    Raises:
        AdapterError: S is not positive definite.
    """
    load, blow = step.answer(np.ones(k)), step.answer(k * np.eye(k)[0])
    b = share_of_blows(k * step.h * v, delta_theta_tilde)
    S, V = (of_load + b[:, None] * (of_blow - of_load) * b for of_load, of_blow in zip(load, blow, strict=True))
    _require_definite(S, step, k)
    return Response(S, V)


def share_of_blows(ballistic: Array, delta_theta_tilde: Array) -> Array:
    """b of each freedom from dt v and δθ̃, (F,)."""
    moving = np.abs(ballistic)
    whole = moving + np.abs(delta_theta_tilde - ballistic)
    return np.divide(moving, whole, out=np.zeros_like(whole), where=whole > 0.0)


def _require_definite(S: Array, step: Step, k: int) -> None:
    """Refuse steps in which springs or gains take back, within the step, all that a force does in some direction."""
    L = np.linalg.cholesky(step.M1)
    if np.linalg.eigvalsh(L.T @ S @ L)[0] <= _LEAST * (k * step.h) ** 2:
        raise AdapterError(
            f"{k} steps of MuJoCo of {step.h:g} s are too many for one step of the scene: springs or gains swing the "
            "joints to and fro within it; give the scene a smaller dt, or the model lower gains or more damping"
        )


def stiffness_and_damping(
    model: mujoco.MjModel, data: mujoco.MjData, scratch: mujoco.MjData, dofs: Ints
) -> tuple[Array, Array]:
    """K = -∂f/∂θ and C = -∂f/∂v by differences, symmetric parts, (F, F) each.

    Args:
        model: The model.
        data: The state.
        scratch: Another state, which changes.
        dofs: The F degrees of freedom.
    """
    copy_state(model, data, scratch)
    at_rest = smooth_forces(model, scratch)
    K, C = np.empty((2, len(dofs), len(dofs)))
    for column, dof in enumerate(dofs):
        scratch.qvel[dof] += _DIFFERENCE
        C[:, column] = (at_rest - _velocity_forces(model, scratch))[dofs] / _DIFFERENCE
        scratch.qvel[dof] = data.qvel[dof]
    move = np.zeros(model.nv)
    for column, dof in enumerate(dofs):
        move[dof] = _DIFFERENCE
        mujoco.mj_integratePos(model, scratch.qpos, move, 1.0)
        K[:, column] = (at_rest - smooth_forces(model, scratch))[dofs] / _DIFFERENCE
        move[dof], scratch.qpos[:] = 0.0, data.qpos
    return 0.5 * (K + K.T), 0.5 * (C + C.T)


def smooth_forces(model: mujoco.MjModel, scratch: mujoco.MjData) -> Array:
    """f without constraints at the positions and velocities of a state, (nv,), and rates of activations in it."""
    mujoco.mj_kinematics(model, scratch)
    mujoco.mj_comPos(model, scratch)
    mujoco.mj_tendon(model, scratch)
    mujoco.mj_transmission(model, scratch)
    return _velocity_forces(model, scratch)


def _velocity_forces(model: mujoco.MjModel, scratch: mujoco.MjData) -> Array:
    """The same with the kinematics that the state holds."""
    mujoco.mj_fwdVelocity(model, scratch)
    mujoco.mj_fwdActuation(model, scratch)
    return scratch.qfrc_passive - scratch.qfrc_bias + scratch.qfrc_actuator
