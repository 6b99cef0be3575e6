"""Servos of a MuJoCo model: actuators that controls can make hold a length or an orientation.

At rest, the force of a servo of the length l is a c + b₀ + b₁ l, b₁ < 0, where c is its control, or an activation that
follows it. So it holds l at c = -(b₀ + b₁ l)/a; if b₁ = -a, c is its target, and b₀ a force besides. With a controller
(pid, DC motor, orientation) c = l. The length of a hinge or slide is its position times the gear.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import mujoco
import numpy as np

from ipc_articulation.dynamics.reading.mujoco.actuators import acting, block, joint_actuators, joint_of
from ipc_articulation.dynamics.reading.mujoco.names import SCALAR, enabled, name_of
from ipc_articulation.errors import AdapterError
from ipc_articulation.repairs import caution

_POSITION = 1  # mjINPUT_POS, one of the inputs of a controller
_SLEW = {"PID": 1, "DCMOTOR": 7}  # place in `dynprm` of the rate at which an activation follows the control
_FOLLOWING = "FILTER", "FILTEREXACT", "INTEGRATOR"  # whose activation takes the control's place
_SAME = 1e-9  # [rad or m]


class Servo(NamedTuple):
    """A servo."""

    number: int  # in the model
    joint: int  # hinge or slide whose target its control sets; -1: none
    gear: float
    slope: float  # of the control over the length
    offset: float


def servos(model: mujoco.MjModel) -> list[Servo]:
    """The servos of a model, in the order of its actuators."""
    return [servo for actuator in acting(model) if (servo := _servo(model, actuator)) is not None]


def speed_servos(model: mujoco.MjModel) -> list[Servo]:
    """Velocity actuators of hinges and slides: their control is the velocity that they aim at, times the gear."""
    linear = joint_actuators(model)[0]
    return [Servo(one.number, one.joint, one.gear, 1.0, 0.0) for one in linear if one.takes_speed]


def _servo(model: mujoco.MjModel, i: int) -> Servo | None:
    kinds, a, (b0, b1) = _kinds(model, i), model.actuator_gainprm[i, 0], model.actuator_biasprm[i, :2]
    if kinds["gain"] in ("PID", "DCMOTOR"):
        kp = -b1 if kinds["gain"] == "PID" else model.actuator_gainprm[i, 4]
        holds = model.actuator_ctrlspec[i] & _POSITION and kp > 0.0
    else:
        linear = kinds["gain"] == "FIXED" and kinds["bias"] == "AFFINE" and kinds["dyn"] in ("NONE", *_FOLLOWING)
        holds = kinds["gain"] == "SO3" or (linear and a != 0.0 and b1 < 0.0)
    if not holds:
        return None
    gear = float(model.actuator_gear[block(model, "out", i).start, 0])
    joint = joint_of(model, i) if kinds["dyn"] != "INTEGRATOR" and gear != 0.0 else -1
    is_target = kinds["gain"] != "FIXED" or b1 == -a
    return Servo(i, joint, gear, *((1.0, 0.0) if is_target else (-b1 / a, -b0 / a)))


def hold(model: mujoco.MjModel, data: mujoco.MjData, holding: list[Servo], driven: Collection[int]) -> None:
    """Give a state the controls, activations and past controls with which its servos hold it.

    If a keyframe has the positions of its hinges and slides, and controls, these count for all but the driven joints.

    Args:
        model: The model.
        data: The state, with all derived values.
        holding: The servos of the model.
        driven: Joints whose targets come from a controller.
    """
    key = _keyframe(model, data)
    if key >= 0:
        data.ctrl[:], data.act[:] = model.key_ctrl[key], model.key_act[key]
    for servo in holding:
        if key < 0 or servo.joint in driven:
            _hold(model, data, servo)
    for i in acting(model) if key < 0 else ():
        kinds, (b0, b1) = _kinds(model, i), model.actuator_biasprm[i, :2]
        if kinds["gain"] == "FIXED" and kinds["bias"] == "AFFINE" and b0 and b1 == -model.actuator_gainprm[i, 0]:
            _warn(model, i, f"it has the force {b0:g} besides")
        elif {"MUSCLE", "USER"}.intersection(kinds.values()) or kinds["gain"] == kinds["bias"] == "AFFINE":
            _warn(model, i, "no control is known at which it would")
    for i in np.flatnonzero(getattr(model, "actuator_delay", np.zeros(0))).tolist():
        past = np.tile(data.ctrl[block(model, "ctrl", i)], (model.actuator_history[i, 0], 1))
        mujoco.mj_initCtrlHistory(model, data, i, None, past)


def _keyframe(model: mujoco.MjModel, data: mujoco.MjData) -> int:
    """The first keyframe with controls and the positions of a state; -1 if there is none."""
    scalar = model.jnt_qposadr[np.isin(model.jnt_type, SCALAR)]
    same = np.abs(model.key_qpos[:, scalar] - data.qpos[scalar]).max(axis=1, initial=0.0) <= _SAME
    return next(iter(np.flatnonzero(same & model.key_ctrl.any(axis=1)).tolist()), -1)


def _hold(model: mujoco.MjModel, data: mujoco.MjData, servo: Servo) -> None:
    i, kinds, controls = servo.number, _kinds(model, servo.number), block(model, "ctrl", servo.number)
    wanted = servo.slope * data.actuator_length[block(model, "out", i)] + servo.offset
    if kinds["gain"] == "SO3" and controls.stop - controls.start > len(wanted):  # a quaternion
        rotation, angle = wanted, float(np.linalg.norm(wanted))
        mujoco.mju_axisAngle2Quat(wanted := np.empty(4), rotation / (angle or 1.0), angle)
    place = slice(controls.start, controls.start + len(wanted))
    if kinds["dyn"] in _FOLLOWING or model.actuator_dynprm[i, _SLEW.get(kinds["dyn"], 0)] * (kinds["dyn"] in _SLEW):
        data.act[block(model, "act", i).start :][: len(wanted)] = wanted
    if kinds["dyn"] == "INTEGRATOR":
        what, limited, limits = "activation", model.actuator_actlimited[i], model.actuator_actrange[i : i + 1]
    else:
        data.ctrl[place] = wanted
        what, limited, limits = "control", model.actuator_ctrllimited[place], model.actuator_ctrlrange[place]
        limited = limited & enabled(model, "CLAMPCTRL")
    low, high = limits.T
    if np.any(limited & ((wanted < low - _SAME) | (wanted > high + _SAME))):
        said = ", ".join(f"{number:.6g}" for number in wanted)
        _warn(model, i, f"its {what} would be {said}, but its range is {low[0]:g} to {high[0]:g}")


def _kinds(model: mujoco.MjModel, i: int) -> dict[str, str]:
    """Kinds of transmission, dynamics, gain and bias of an actuator, as MuJoCo's enumerations call them."""
    of = {"trn": mujoco.mjtTrn, "dyn": mujoco.mjtDyn, "gain": mujoco.mjtGain, "bias": mujoco.mjtBias}
    return {kind: e(getattr(model, f"actuator_{kind}type")[i]).name.partition("_")[2] for kind, e in of.items()}


def _warn(model: mujoco.MjModel, i: int, why: str) -> None:
    caution(
        f"actuator '{name_of(model, 'actuator', i)}' does not hold where the robot starts: {why}; give the file a "
        "keyframe of this start with controls, or set 'initial' under 'robot' to where it does",
        AdapterError,
    )
