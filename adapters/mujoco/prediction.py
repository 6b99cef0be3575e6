"""MuJoCo's own step, taken on a scratch state, and the mass matrix that it inverted.

Without contact, one step of MuJoCo solves M̂ Δv = dt·f and then moves by dt·(v + Δv), where

    M̂ = M + dt·D          for `Euler` (D: joint damping),
    M̂ = M + dt·(D + Kv)   for `implicitfast` (Kv: velocity gains of the actuators, in joint space).

So ½(δθ-δθ̃)ᵀM̂(δθ-δθ̃), with δθ̃ = dt·(v + Δv), by which MuJoCo moves the positions, is the step's own incremental
potential. M̂ is not assembled here: after a step its LᵀDL factorisation is in MuJoCo's `qH` (or MuJoCo used M itself if
it added nothing). So it includes polynomial damping, damping of actuators and drag.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import mujoco
import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.errors import AdapterError

_STATE = mujoco.mjtState.mjSTATE_INTEGRATION
_NO_CONTACT = -1e9  # [m] margin at which no distance of two geoms is a contact
_INSTABILITIES = (
    mujoco.mjtWarning.mjWARN_BADQPOS,
    mujoco.mjtWarning.mjWARN_BADQVEL,
    mujoco.mjtWarning.mjWARN_BADQACC,
)


@contextmanager
def contacts_off(model: mujoco.MjModel, geoms: list[int]) -> Iterator[None]:
    """Disable MuJoCo's contact of some geoms within the block, contact pairs among them."""
    pairs = _pairs_of(model, geoms) if model.npair else []
    saved = model.geom_contype[geoms], model.geom_conaffinity[geoms]  # indexing by a list copies
    model.geom_contype[geoms] = model.geom_conaffinity[geoms] = 0
    if pairs:
        margins = model.pair_margin[pairs]
        model.pair_margin[pairs] = _NO_CONTACT
    try:
        yield
    finally:
        model.geom_contype[geoms], model.geom_conaffinity[geoms] = saved
        if pairs:
            model.pair_margin[pairs] = margins


def _pairs_of(model: mujoco.MjModel, geoms: list[int]) -> list[int]:
    """The contact pairs with at least one of some geoms; contype and conaffinity have no effect on them."""
    return np.flatnonzero(np.isin(model.pair_geom1, geoms) | np.isin(model.pair_geom2, geoms)).tolist()


def copy_state(model: mujoco.MjModel, source: mujoco.MjData, target: mujoco.MjData) -> None:
    """Copy the integration state: positions, velocities, activations, controls, forces, warm start."""
    mujoco.mj_copyState(model, source, target, _STATE)


def begin_steps(model: mujoco.MjModel, data: mujoco.MjData, scratch: mujoco.MjData) -> None:
    """Put `scratch` where `data` is, for `take_step`.

    Raises:
        AdapterError: A control is not finite or too large.
    """
    _refuse_bad_controls(model, data)
    copy_state(model, data, scratch)


def take_step(model: mujoco.MjModel, scratch: mujoco.MjData, geoms: list[int]) -> None:
    """Let MuJoCo take its next step on `scratch`, without contact of some geoms.

    Afterwards `scratch` has the kinematics and `M` of the beginning of the step, and the state of its end.

    Raises:
        AdapterError: The step is unstable: positions, velocities or accelerations are not finite or too large.
    """
    begin = scratch.time
    scratch.qHDiagInv[:] = 0.0
    with contacts_off(model, geoms):
        mujoco.mj_step(model, scratch)
    if any(scratch.warning[kind].number for kind in _INSTABILITIES):
        for kind in _INSTABILITIES:
            scratch.warning[kind].number = 0
        raise AdapterError(
            f"MuJoCo's own step from t = {begin:g} s is unstable (not finite, or too fast); "
            "use a smaller time step or lower gains"
        )


def _refuse_bad_controls(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Refuse controls that MuJoCo calls bad; it would only warn, and replace all controls by zero."""
    bad = np.flatnonzero(~(np.isfinite(data.ctrl) & (np.abs(_clamped_controls(model, data)) <= mujoco.mjMAXVAL)))
    if len(bad):
        name = model.actuator(int(bad[0])).name or f"number {bad[0]}"
        raise AdapterError(
            f"the control of actuator '{name}' is {data.ctrl[bad[0]]} at t = {data.time:g} s; give a number "
            f"from {-mujoco.mjMAXVAL:g} to {mujoco.mjMAXVAL:g}"
        )


def _clamped_controls(model: mujoco.MjModel, data: mujoco.MjData) -> Array:
    """The controls within their ranges, as MuJoCo clamps them before it checks them, (nu,)."""
    if model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_CLAMPCTRL:
        return data.ctrl
    return np.where(model.actuator_ctrllimited, np.clip(data.ctrl, *model.actuator_ctrlrange.T), data.ctrl)


def effective_mass(model: mujoco.MjModel, scratch: mujoco.MjData) -> Array:
    """M̂ of the step just taken, (nv, nv), symmetric.

    Only blocks of joints that are not free are meaningful: `implicitfast` adds gyroscopic terms for free bodies
    elsewhere.
    """
    rows = np.repeat(np.arange(model.nv), model.M_rownnz)
    columns = model.M_colind
    lower = np.zeros((model.nv, model.nv))
    if np.any(scratch.qHDiagInv):
        lower[rows, columns] = scratch.qH
        D = lower.diagonal().copy()
        np.fill_diagonal(lower, 1.0)
        return (lower.T * D) @ lower
    lower[rows, columns] = scratch.M
    return lower + np.tril(lower, -1).T
