"""Whether a prediction is as most are, in one call: then nothing of it needs to be looked at one by one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.coupling.adapter import Prediction, Restraints

_FLOAT = np.dtype(float)


def is_plain(prediction: Any, m: int, n: int, k: int, r: int) -> bool:
    """Whether a prediction is valid and has arrays of numbers that follow each other; of others nothing is said.

    Args:
        prediction: Of a robot without tied joints.
        m: Number of its freedoms.
        n: Of its links.
        k: Of its driven bodies.
        r: Of its rows of restraints.
    """
    if type(prediction) is not Prediction or prediction.tied is not None:
        return False
    held = prediction.restraints
    of_robot = prediction.mass, prediction.delta_theta_tilde, prediction.link_poses, prediction.aims
    if held is None:
        return _are_arrays(*of_robot) and _is_finite(*of_robot, m, n, k)
    if type(held) is not Restraints or held.motors is not None:
        return False
    of_rows = held.lower, held.upper, held.limit_force, held.friction, held.friction_force, held.ties, held.rows
    if not _are_arrays(*of_robot, *of_rows):
        return False
    return _is_finite(*of_robot, m, n, k) and _is_restrained(*of_rows, m, r, len(held.tie_units))


def _are_arrays(*values: Any) -> bool:
    for value in values:
        if type(value) is not np.ndarray or value.dtype is not _FLOAT or not (value.ndim and value.flags.c_contiguous):
            return False
    return True


@compiled
def _is_finite(mass, tilde, poses, aims, m, n, k):
    """Whether the arrays have their shapes, and finite numbers."""
    if mass.shape != (m, m) or tilde.shape != (m,) or poses.shape != (n, 4, 4) or aims.shape != (k, 4, 4):
        return False
    return _all(mass.ravel()) and _all(tilde) and _all(poses.ravel()) and _all(aims.ravel())


@compiled
def _is_restrained(lower, upper, limit_force, friction, friction_force, ties, rows, m, r, e):
    """Whether restraints have their shapes, ends in order, and finite numbers besides."""
    if lower.shape != (m + r,) or upper.shape != (m + r,):
        return False
    if (ties.shape != (e, m) and (e or ties.size)) or (rows.shape != (r, m) and (r or rows.size)):
        return False
    if limit_force.shape != (m + r,) or friction.shape != (m + r,) or friction_force.shape != (m + r,):
        return False
    for i in range(m + r):
        if not lower[i] <= upper[i]:
            return False
    return _all(limit_force) and _all(friction) and _all(friction_force) and _all(ties.ravel()) and _all(rows.ravel())


@compiled
def _all(values):
    return bool(np.isfinite(values).all())
