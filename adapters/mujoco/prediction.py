"""MuJoCo's own step, taken on a scratch state, and the mass matrix that it inverted.

Without contact, one step of MuJoCo solves M̂ Δv = dt·f and then moves by dt·(v + Δv), where

    M̂ = M + dt·D          for `Euler` (D: joint damping),
    M̂ = M + dt·(D + Kv)   for `implicitfast` (Kv: velocity gains of the actuators, in joint space).

So ½(δθ-δθ̃)ᵀM̂(δθ-δθ̃), with δθ̃ = dt·(v + Δv), by which MuJoCo moves the positions, is the step's own incremental
potential. `read_step` has M̂ from MuJoCo's factorisation. So it includes polynomial damping, damping of actuators and
drag. Equality constraints add to it, see `equalities`.
"""

from __future__ import annotations

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.contacts import ContactsOff

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.reading.mujoco.actuators import owner_of_control
from ipc_articulation.errors import AdapterError

_STATE = mujoco.mjtState.mjSTATE_INTEGRATION
_INSTABILITIES = [
    int(kind)
    for kind in (mujoco.mjtWarning.mjWARN_BADQPOS, mujoco.mjtWarning.mjWARN_BADQVEL, mujoco.mjtWarning.mjWARN_BADQACC)
]


def copy_state(model: mujoco.MjModel, source: mujoco.MjData, target: mujoco.MjData) -> None:
    """Copy the integration state: positions, velocities, activations, controls, forces, warm start."""
    mujoco.mj_copyState(model, source, target, _STATE)


class ControlsHeld:
    """A `with` block in which MuJoCo does not call `mjcb_control`, which may count its calls: one for each step."""

    def __enter__(self) -> None:
        self._callback = mujoco.get_mjcb_control()
        mujoco.set_mjcb_control(None)

    def __exit__(self, *error: object) -> None:
        mujoco.set_mjcb_control(self._callback)


def written_by_callback() -> int:
    """The parts of a state that `mjcb_control` may have written, as a sum of `mjtState`; 0 without one."""
    return 0 if mujoco.get_mjcb_control() is None else int(mujoco.mjtState.mjSTATE_USER)


def begin_steps(model: mujoco.MjModel, data: mujoco.MjData, scratch: mujoco.MjData) -> None:
    """Put `scratch` where `data` is, for `take_step`.

    Raises:
        AdapterError: A control is not finite or too large.
    """
    _refuse_bad_controls(model, data)
    copy_state(model, data, scratch)
    scratch.qHDiagInv[:] = 0.0  # for `read_step`


def take_step(model: mujoco.MjModel, scratch: mujoco.MjData, contacts: ContactsOff) -> None:
    """Let MuJoCo take its next step on `scratch`, without the contacts that are IPC's.

    Afterwards `scratch` has the kinematics and `M` of the beginning of the step, and the state of its end.

    Raises:
        AdapterError: The step is unstable: positions, velocities or accelerations are not finite or too large.
    """
    begin = scratch.time
    with contacts:
        mujoco.mj_step(model, scratch)
    refuse_unstable(scratch, begin)


def refuse_unstable(scratch: mujoco.MjData, begin: float) -> None:
    """Refuse a step from the time `begin` [s] of whose numbers MuJoCo has warned.

    Raises:
        AdapterError: It has; its warnings are reset.
    """
    counts = scratch.warning.number
    if counts.any() and counts[_INSTABILITIES].any():
        counts[_INSTABILITIES] = 0
        raise AdapterError(
            f"MuJoCo's own step from t = {begin:g} s is unstable (not finite, or too fast); "
            "use a smaller time step or lower gains"
        )


def _refuse_bad_controls(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Refuse controls that MuJoCo calls bad; it would only warn, and replace all controls by zero."""
    if data.ctrl.dot(data.ctrl) <= mujoco.mjMAXVAL**2:  # the fast case
        return
    bad = np.flatnonzero(~(np.isfinite(data.ctrl) & (np.abs(_clamped_controls(model, data)) <= mujoco.mjMAXVAL)))
    if len(bad):
        raise AdapterError(
            f"the control of actuator '{owner_of_control(model, bad[0])}' is {data.ctrl[bad[0]]} at "
            f"t = {data.time:g} s; give a number from {-mujoco.mjMAXVAL:g} to {mujoco.mjMAXVAL:g}"
        )


def _clamped_controls(model: mujoco.MjModel, data: mujoco.MjData) -> Array:
    """The controls within their ranges, as MuJoCo clamps them before it checks them, (nu,)."""
    if model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_CLAMPCTRL:
        return data.ctrl
    return np.where(model.actuator_ctrllimited, np.clip(data.ctrl, *model.actuator_ctrlrange.T), data.ctrl)
