"""How MuJoCo's equality constraints resist contact: they are soft, and their share of the step's potential is in M̂.

With J the rows of the equalities, R their regularisation, r their residuals and aref = -b J v - k r, MuJoCo's
accelerations minimise (Computation, «Constraint model»)

    ½ (a - a₀)ᵀ M (a - a₀) + ½ Σ (J a - aref)²/R.

A step of h moves the joints by δθ = h v + h² a. So besides M̂ the step has the incremental potential
½ Σ (J (δθ - δθ̃))²/R: equalities add Jᵀ W J to M̂, with W = 1/R. A load F at rest parts what one joins by R F/k.

Damping and velocity gains that the integrator treats implicitly come after the constraints: the step moves the joints
by h v + x with M̂ x = h² M a. So that a load at rest, δθ = 0, meets the forces aref/R all the same, W changes such that

    W J x = h² R⁻¹ J a =: y

by a damped BFGS update (Powell 1978, «A fast algorithm for nonlinearly constrained optimization calculations»), which
keeps it positive definite. Without such damping W = 1/R has this property.

In several steps the equalities are springs and dampings, Jᵀ (k/R) J and Jᵀ (b/R) J, too (see `response`).
"""

from __future__ import annotations

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.kinematics import JointMap

from ipc_articulation.arrays import Array

_LEAST = 0.2  # Powell's bound on the curvature along J x, as a share of that of 1/R


def add_equalities(model: mujoco.MjModel, scratch: mujoco.MjData, joints: JointMap, x: Array, mass: Array) -> None:
    """Add the equalities in the step that was taken on `scratch` to M̂ without them.

    Args:
        model: The model.
        scratch: The state after the step.
        joints: The coupled joints, of F degrees of freedom.
        x: Their displacement by the accelerations of the step, (F,) [rad or m].
        mass: M̂, (F, F), which changes.
    """
    J, stiffness = _rows(model, scratch, joints), scratch.efc_D[: scratch.ne]
    y = model.opt.timestep**2 * stiffness * (J @ scratch.qacc[joints.dofs])
    mass += _squared(J, stiffness)
    if (along := J @ x).any():
        mass += _update(J, stiffness * along, float(along @ (stiffness * along)), y, float(along @ y))


def springs_and_damping(model: mujoco.MjModel, scratch: mujoco.MjData, joints: JointMap) -> tuple[Array, Array]:
    """Jᵀ (k/R) J [N·m/rad or alike] and Jᵀ (b/R) J [N·m·s/rad or alike] of that step, (F, F) each."""
    J, stiffness = _rows(model, scratch, joints), scratch.efc_D[: scratch.ne]
    k, b, impedance, _ = scratch.efc_KBIP[: scratch.ne].T  # MuJoCo's k is without the impedance
    return _squared(J, k * impedance * stiffness), _squared(J, b * stiffness)


def jacobian(model: mujoco.MjModel, data: mujoco.MjData, count: int) -> Array:
    """The first rows of `efc_J`, (count, nv); those of equalities come first."""
    if not mujoco.mj_isSparse(model):
        return data.efc_J[: count * model.nv].reshape(count, model.nv)
    J = np.zeros((count, model.nv))
    mujoco.mju_sparse2dense(J, data.efc_J, data.efc_J_rownnz[:count], data.efc_J_rowadr[:count], data.efc_J_colind)
    return J


def _rows(model: mujoco.MjModel, scratch: mujoco.MjData, joints: JointMap) -> Array:
    return jacobian(model, scratch, scratch.ne)[:, joints.dofs]


def _squared(J: Array, stiffness: Array) -> Array:
    """Σ s JᵀJ over the rows, (F, F), exactly symmetric."""
    scaled = np.sqrt(stiffness)[:, None] * J
    return scaled.T @ scaled


def _update(J: Array, given: Array, curvature: float, y: Array, wanted: float) -> Array:
    """Jᵀ (W - R⁻¹) J, (F, F), for R⁻¹ J x = `given`, (J x)ᵀ R⁻¹ J x = `curvature` and (J x)ᵀ y = `wanted`."""
    if wanted < _LEAST * curvature:
        share = (1.0 - _LEAST) * curvature / (curvature - wanted)
        y, wanted = share * y + (1.0 - share) * given, _LEAST * curvature
    on_joints, before = J.T @ y, J.T @ given
    return np.outer(on_joints, on_joints) / wanted - np.outer(before, before) / curvature
