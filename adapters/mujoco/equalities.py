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
from ipc_articulation.adapters.mujoco.read_step import undamped_mass

from ipc_articulation.arrays import Array


def add_equalities(model: mujoco.MjModel, scratch: mujoco.MjData, joints: JointMap, mass: Array) -> None:
    """Add the equalities in the step that was taken on `scratch` to M̂ without them, `mass` (F, F)."""
    J, stiffness = _rows(model, scratch, joints), scratch.efc_D[: scratch.ne]
    M = undamped_mass(model, scratch, joints)
    if M is not None:
        stiffness = stiffness * _ratio(_mobility(M, J), _mobility(mass, J))
    mass += _squared(J, stiffness)


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


def _mobility(mass: Array, J: Array) -> Array:
    """J M⁻¹ Jᵀ of each row, (e,)."""
    return np.einsum("ei,ie->e", J, np.linalg.solve(mass, J.T))


def _ratio(a: Array, b: Array) -> Array:
    """a/b, 1 for rows that move no coupled joint."""
    return np.divide(a, b, out=np.ones_like(a), where=b > 0.0)
