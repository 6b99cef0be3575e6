"""What the coupling reads of a step that MuJoCo has just taken, in compiled loops over MuJoCo's arrays.

M̂ of the step is LᵀDL: after a step this factorisation is in MuJoCo's `qH`, D on the diagonal and the rest of L beside
it, in the rows of `M` (`M_rownnz`, `M_colind`). If MuJoCo added nothing to M, it used M itself, and `qHDiagInv` is as
before the step. Only blocks of joints that are no free bodies of IPC are meaningful: `implicitfast` adds gyroscopic
terms for these.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.kinematics import JointMap

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.coupling.adapter import Restraints
from ipc_articulation.dynamics.kernels.kernel import kernel
from ipc_articulation.references import by_reference


class StepArrays(NamedTuple):
    """What is read, of s states with m links and F degrees of freedom; and of r rows, see `restraint_rows`."""

    mass: Array  # (s, F, F) M̂, symmetric
    moved: Array  # (s, F) h q̇ at the end of the step [rad or m]
    poses: Array  # (s, m, 4, 4) of the bodies that carry the links, at the beginning of the step
    bounds: Array  # (5, s, F + r) the first five of `Restraints`
    rows: Array  # (s, r, F) R

    @classmethod
    def empty(cls, states: int, model: mujoco.MjModel, joints: JointMap) -> StepArrays:
        """Arrays for some states."""
        F, m, r = len(joints.dofs), len(joints.ids), model.ntendon + len(joints.balls)
        shapes = (states, F, F), (states, F), (states, m, 4, 4), (5, states, F + r), (states, r, F)
        return cls(*[np.empty(shape) for shape in shapes])

    @property
    def restraints(self) -> Restraints | None:
        """Those of all states; None if there are neither limits nor dry friction."""
        if not any_bound(self.bounds):
            return None
        lower, upper, limit_force, friction, friction_force = self.bounds
        return Restraints(lower, upper, limit_force, friction, friction_force, self.rows[:, :0], rows=self.rows)


class _StepViews(NamedTuple):
    """Arrays of a model, and of a state on which it takes steps from another one, where MuJoCo has them."""

    place: Ints  # this and the next four are those of `JointMap`
    dofs: Ints
    bodies: Ints
    owners: Ints
    single: Bools
    lengths: Ints  # M_rownnz
    columns: Ints  # M_colind
    types: Ints  # jnt_type
    limited: Ints  # jnt_limited
    ends: Array  # jnt_range
    address: Ints  # jnt_qposadr
    friction: Array  # dof_frictionloss
    start: Array  # qpos where the step begins
    qH: Array  # this and the next five are those after the step
    inverse: Array  # qHDiagInv
    M: Array
    qvel: Array
    xpos: Array
    xmat: Array


StepViewsType, StepViews = by_reference(_StepViews, __name__)


def step_views(model: mujoco.MjModel, data: mujoco.MjData, scratch: mujoco.MjData, joints: JointMap) -> Any:
    """The `StepViews` of steps from `data` on `scratch`."""
    of_joints = joints.place, joints.dofs, joints.bodies, joints.owners, joints.single
    of_mass, of_step = (model.M_rownnz, model.M_colind), (scratch.qH, scratch.qHDiagInv, scratch.M, scratch.qvel)
    ends = model.jnt_type, model.jnt_limited, model.jnt_range, model.jnt_qposadr, model.dof_frictionloss
    return _hold((*of_joints, *of_mass, *ends, data.qpos, *of_step, scratch.xpos, scratch.xmat))


@kernel
def _hold(arrays):
    return StepViews(*arrays)


@kernel
def read_step(at, h, has_limits, has_friction, state, into):
    """Read the step that was taken as one of the states; `qHDiagInv` was zero before it.

    Args:
        at: `StepViews`.
        h: Time step [s].
        has_limits: Whether limits are in force.
        has_friction: Whether dry friction is in force.
        state: Number of the state.
        into: `StepArrays`; the forces of restraints are zero.

    Returns:
        The first joint whose limits are no interval, or -1.
    """
    mass, bounds = into.mass[state], into.bounds[:, state]
    if at.inverse.any():
        _multiply_factors(at.place, at.lengths, at.columns, at.qH, mass)
    else:
        put_block(at.place, at.lengths, at.columns, at.M, mass)
    for i in range(len(at.dofs)):
        into.moved[state, i] = h * at.qvel[at.dofs[i]]
    put_poses(at.bodies, at.xpos, at.xmat, into.poses[state])
    return put_bounds(at, has_limits, has_friction, bounds)


@kernel
def put_bounds(at, has_limits, has_friction, bounds):
    """Displacements at which hinges and slides meet their limits, infinite for others, and dry friction, (5, F + r)."""
    bad = -1
    bounds[0], bounds[1], bounds[2:] = -np.inf, np.inf, 0.0
    for i in range(len(at.dofs)):
        j = at.owners[i]
        if has_friction:
            bounds[3, i] = at.friction[at.dofs[i]]
        if at.limited[j] and has_limits:
            if not at.ends[j, 0] <= at.ends[j, 1] and bad < 0:
                bad = j
            if at.single[i]:
                position = at.start[at.address[j]]
                bounds[0, i], bounds[1, i] = at.ends[j, 0] - position, at.ends[j, 1] - position
    return bad


@kernel
def any_bound(bounds):
    """Whether there is a limit or dry friction."""
    lower, upper, friction = bounds[0], bounds[1], bounds[3]
    found = False
    for k in range(lower.shape[0]):
        for i in range(lower.shape[1]):
            found |= lower[k, i] > -np.inf or upper[k, i] < np.inf or friction[k, i] != 0.0
    return found


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
