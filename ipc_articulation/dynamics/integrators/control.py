"""Motor forces and PD control of several states of one tree, stacked for the compiled step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.bad_states import one_state
from ipc_articulation.dynamics.algorithms.manifold import displacement
from ipc_articulation.dynamics.arguments import FLOAT, LARGEST, UNIT
from ipc_articulation.dynamics.forces.actuation import within_effort
from ipc_articulation.dynamics.integrators.drive import Drive
from ipc_articulation.dynamics.model.model import Model


class Control(NamedTuple):
    """What the motors of s states do; all gains are zero where there is no PD control."""

    tau: Array  # (s, nv) constant forces, not yet clipped to the effort limits [N·m or N]
    kp: Array  # (s, nv) [N·m/rad or N/m]
    kd: Array  # (s, nv) [N·m·s/rad or N·s/m]
    stretch: Array  # (s, nv) displacement from the position to the target [rad or m]
    v: Array  # (s, nv) target velocity [rad/s or m/s]


def control_of(tree: Model, q: Array, drives: Sequence[Drive]) -> Control:
    """The control of drives at positions.

    Args:
        tree: The tree.
        q: Positions, (s, nq).
        drives: One for each state.

    Raises:
        StateError: A wrong shape, a number that is not finite, a negative gain, a target quaternion not of length one.
    """
    block = np.zeros((4, len(q), tree.nv))
    tau, kp, kd, v = block
    target = None
    for k, drive in enumerate(drives):
        tau[k] = drive.tau if _is_row(drive.tau, tree.nv) else one_state(tree, "tau", within_effort(tree, drive.tau))
        if (pd := drive.pd) is None:
            continue
        if target is None:
            target = q.copy()
        if not (_is_row(pd.q, tree.nq) and all(_is_row(x, tree.nv) for x in (pd.kp, pd.kd, pd.v))):
            pd.checked(tree)
        kp[k], kd[k], target[k], v[k] = pd.kp, pd.kd, pd.q, pd.v
    if not _are_good(tree, block, target):
        for drive in drives:
            _refuse_bad(tree, drive)
    return Control(tau, kp, kd, np.zeros(tau.shape) if target is None else displacement(tree, q, target), v)


def _is_row(x: object, length: int) -> bool:
    return type(x) is np.ndarray and x.dtype is FLOAT and x.shape == (length,)


def _are_good(tree: Model, block: Array, target: Array | None) -> bool:
    """Whether forces, gains and velocities (4, s, nv) and targets (s, nq) are surely good."""
    if not np.vdot(block, block) <= LARGEST**2:
        return False
    if target is None:
        return True
    if not (np.vdot(target, target) <= LARGEST**2 and block[1:3].min(initial=0.0) >= 0.0):
        return False
    quaternions = (target[:, at] for at, _ in tree.rotations)
    return all((np.abs(np.einsum("si,si->s", x, x) - 1.0) <= UNIT).all() for x in quaternions)


def _refuse_bad(tree: Model, drive: Drive) -> None:
    within_effort(tree, drive.tau)
    if drive.pd is not None:
        drive.pd.checked(tree)
