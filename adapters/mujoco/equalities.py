"""How MuJoCo's equality constraints resist contact: they are soft, and their share of the step's potential is in M̂.

With J the rows of the equalities, R their regularisation, r their residuals and aref = -b J v - k r, MuJoCo's
accelerations minimise (Computation, «Constraint model»)

    ½ (a - a₀)ᵀ M (a - a₀) + ½ Σ (J a - aref)²/R.

A step of h moves the joints by δθ = h v + h² a. So besides M̂ the step has the incremental potential
½ Σ (J (δθ - δθ̃))²/R: equalities add Jᵀ W J to M̂, with W = 1/R. A load F at rest parts what one joins by R F/k.

Damping and velocity gains that the integrator treats implicitly come after the constraints: the force of an equality is
such that M alone yields, but it moves what M̂ resists. So that a load at rest meets the stiffness k/R all the same,

    W = (J M⁻¹ Jᵀ)/(J M̂⁻¹ Jᵀ)/R    for each row, which is exact for a single one that bears the load alone.

In several steps the equalities are springs and dampings, Jᵀ (k/R) J and Jᵀ (b/R) J, too (see `response`).
"""

from __future__ import annotations

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.kinematics import JointMap
from ipc_articulation.adapters.mujoco.read_step import put_block

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.kernels.kernel import kernel


@kernel
def add_equalities(at, J, D, mass):
    """Add equalities to M̂ without them, `mass` (F, F), in the step that was taken.

    Args:
        at: `StepViews`.
        J: Their rows, (e, nv).
        D: 1/R, (e,).
        mass: M̂, changed.

    Returns:
        Their share.
    """
    stiffness, without = D.copy(), mass.copy()
    if at.inverse.any():
        M = np.empty_like(mass)
        put_block(at.place, at.lengths, at.columns, at.M, M)
        _weigh(J, at.dofs, M, mass, stiffness)
    _add(J, at.dofs, stiffness, mass)
    return mass - without


def springs_and_damping(model: mujoco.MjModel, scratch: mujoco.MjData, joints: JointMap) -> tuple[Array, Array]:
    """Jᵀ (k/R) J [N·m/rad or alike] and Jᵀ (b/R) J [N·m·s/rad or alike] of that step, (F, F) each."""
    J, stiffness = jacobian(model, scratch, scratch.ne), scratch.efc_D[: scratch.ne]
    k, b, impedance, _ = scratch.efc_KBIP[: scratch.ne].T  # MuJoCo's k is without the impedance
    K, C = np.zeros((2, len(joints.dofs), len(joints.dofs)))
    _add(J, joints.dofs, k * impedance * stiffness, K)
    _add(J, joints.dofs, b * stiffness, C)
    return K, C


def jacobian(model: mujoco.MjModel, data: mujoco.MjData, count: int) -> Array:
    """The first rows of `efc_J`, (count, nv); those of equalities come first."""
    if not mujoco.mj_isSparse(model):
        return data.efc_J[: count * model.nv].reshape(count, model.nv)
    J = np.zeros((count, model.nv))
    mujoco.mju_sparse2dense(J, data.efc_J, data.efc_J_rownnz[:count], data.efc_J_rowadr[:count], data.efc_J_colind)
    return J


@kernel
def _weigh(J, dofs, M, mass, stiffness):
    """Change 1/R (e,) into W."""
    own, damped = np.empty(len(J)), np.empty(len(J))
    _put_mobilities(J, dofs, M, own)
    _put_mobilities(J, dofs, mass, damped)
    for e in range(len(J)):
        if damped[e] > 0.0:  # the row moves coupled joints
            stiffness[e] *= own[e] / damped[e]


@kernel
def _put_mobilities(J, dofs, mass, mobilities):
    """J M⁻¹ Jᵀ of each row, (e,): with M = L Lᵀ and L y = Jᵀ it is |y|²."""
    L, y = mass.copy(), np.empty(len(mass))
    for j in range(len(L)):
        for i in range(j, len(L)):
            for k in range(j):
                L[i, j] -= L[i, k] * L[j, k]
            L[i, j] = np.sqrt(L[i, j]) if i == j else L[i, j] / L[j, j]
    for e in range(len(J)):
        mobilities[e] = 0.0
        for i in range(len(L)):
            y[i] = J[e, dofs[i]]
            for k in range(i):
                y[i] -= L[i, k] * y[k]
            y[i] /= L[i, i]
            mobilities[e] += y[i] * y[i]


@kernel
def _add(J, dofs, stiffness, mass):
    """Add Σ s JᵀJ over the rows to a symmetric matrix (F, F), which stays so."""
    for e in range(len(J)):
        for i in range(len(dofs)):
            for j in range(i + 1):
                part = stiffness[e] * J[e, dofs[i]] * J[e, dofs[j]]
                mass[i, j] += part
                if i != j:
                    mass[j, i] += part
