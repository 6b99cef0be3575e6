"""What the coupling reads of a step that MuJoCo has just taken, in compiled loops over MuJoCo's arrays.

M̂ of the step is LᵀDL: after a step this factorisation is in MuJoCo's `qH`, D on the diagonal and the rest of L beside
it, in the rows of `M` (`M_rownnz`, `M_colind`). If MuJoCo added nothing to M, it used M itself, and `qHDiagInv` is as
before the step. Only blocks of joints that are no free bodies of IPC are meaningful: `implicitfast` adds gyroscopic
terms for these.
"""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.kinematics import JointMap

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.kernels.kernel import kernel


class StepArrays(NamedTuple):
    """What is read, of s states with m links and F degrees of freedom."""

    mass: Array  # (s, F, F) M̂, symmetric
    moved: Array  # (s, F) h q̇ at the end of the step [rad or m]
    poses: Array  # (s, m, 4, 4) of the bodies that carry the links, at the beginning of the step

    @classmethod
    def empty(cls, states: int, joints: JointMap) -> StepArrays:
        """Arrays for some states."""
        F, m = len(joints.dofs), len(joints.ids)
        return cls(np.empty((states, F, F)), np.empty((states, F)), np.empty((states, m, 4, 4)))


def read_step(model: mujoco.MjModel, data: mujoco.MjData, joints: JointMap, state: int, into: StepArrays) -> None:
    """Read the step that was taken on `data` as one of the states; `qHDiagInv` was zero before it."""
    _read(
        (joints.place, joints.dofs, joints.bodies, model.M_rownnz, model.M_colind, model.opt.timestep),
        (data.qH, data.qHDiagInv, data.M, data.qvel, data.xpos, data.xmat),
        state,
        *into,
    )


def undamped_mass(model: mujoco.MjModel, data: mujoco.MjData, joints: JointMap) -> Array | None:
    """The coupled block (F, F) of M in the step that was taken on `data`; None where it is M̂."""
    if not data.qHDiagInv.any():
        return None
    mass = np.empty((len(joints.dofs), len(joints.dofs)))
    put_block(joints.place, model.M_rownnz, model.M_colind, data.M, mass)
    return mass


@kernel
def _read(tables, step, state, mass, moved, poses):
    place, dofs, bodies, lengths, columns, h = tables
    qH, inverse, M, qvel, xpos, xmat = step
    if inverse.any():
        _multiply_factors(place, lengths, columns, qH, mass[state])
    else:
        put_block(place, lengths, columns, M, mass[state])
    for i in range(len(dofs)):
        moved[state, i] = h * qvel[dofs[i]]
    put_poses(bodies, xpos, xmat, poses[state])


@kernel
def _multiply_factors(place, lengths, columns, qH, mass):
    """The coupled block of LᵀDL: Σ_k D_k L_kᵀ L_k over the rows L_k."""
    mass[:] = 0.0
    first = 0
    for k in range(len(lengths)):
        last = first + lengths[k] - 1  # the diagonal
        for a in range(first, last + 1):
            i = place[columns[a]]
            if i >= 0:
                factor = qH[last] * (1.0 if a == last else qH[a])
                for b in range(first, a + 1):
                    j = place[columns[b]]
                    if j >= 0:
                        mass[i, j] += factor * (1.0 if b == last else qH[b])
        first = last + 1
    _mirror(mass)


@kernel
def put_block(place, lengths, columns, M, mass):
    """The coupled block of M."""
    mass[:] = 0.0
    first = 0
    for k in range(len(lengths)):
        for a in range(first, first + lengths[k]):
            if place[k] >= 0 and place[columns[a]] >= 0:
                mass[place[k], place[columns[a]]] = M[a]
        first += lengths[k]
    _mirror(mass)


@kernel
def _mirror(mass):
    for i in range(len(mass)):
        for j in range(i):
            mass[j, i] = mass[i, j]


@kernel
def put_poses(bodies, xpos, xmat, poses):
    """Poses of some bodies, (m, 4, 4), from MuJoCo's positions and matrices."""
    for i in range(len(bodies)):
        b = bodies[i]
        for r in range(3):
            for c in range(3):
                poses[i, r, c] = xmat[b, 3 * r + c]
            poses[i, r, 3], poses[i, 3, r] = xpos[b, r], 0.0
        poses[i, 3, 3] = 1.0
