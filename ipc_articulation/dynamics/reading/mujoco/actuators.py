"""Actuators of a MuJoCo model whose force on one joint is linear in control, position and velocity.

With gear g, control c, gain a and bias b₀, b₁, b₂, the force on a hinge or slide is

    g·clip(a·c + b₀ + b₁·g·θ + b₂·g·θ̇)

For b₁ = -a it is a spring to the target c/g: a position actuator. For b₁ = 0 and b₂ = -a it is a velocity actuator
with the target c/g. Others act with their control at zero.
"""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.reading.mujoco.names import SCALAR, enabled, name_of

_ON_JOINT = (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT)
_LINEAR = (mujoco.mjtBias.mjBIAS_NONE, mujoco.mjtBias.mjBIAS_AFFINE)
_UNLIMITED = (-np.inf, np.inf)


class JointActuator(NamedTuple):
    """An actuator on a hinge or a slide."""

    number: int  # in the model
    name: str
    joint: int
    gear: float  # g
    gain: float  # a
    bias: tuple[float, float, float]  # b
    control: tuple[float, float]  # limits of c
    force: tuple[float, float]  # limits of the force before the gear

    @property
    def takes_target(self) -> bool:
        """True for a position actuator, whose control divided by g is the target of the joint."""
        return self.gain > 0.0 and self.bias[1] == -self.gain and self.gear != 0.0

    @property
    def takes_speed(self) -> bool:
        """True for a velocity actuator, whose control divided by g is the target of the joint's velocity."""
        return self.gain > 0.0 and self.bias[1] == 0.0 and self.bias[2] == -self.gain and self.gear != 0.0

    @property
    def is_motor(self) -> bool:
        """True where the force depends on the control only."""
        return self.gain != 0.0 and not any(self.bias)

    @property
    def kp(self) -> float:
        """Stiffness at the joint [N·m/rad or N/m]."""
        return -self.bias[1] * self.gear**2

    @property
    def kv(self) -> float:
        """Damping at the joint [N·m·s/rad or N·s/m]."""
        return -self.bias[2] * self.gear**2

    @property
    def resting(self) -> float:
        """The force on the joint at θ = θ̇ = 0 and the control nearest to zero, without a position actuator's spring."""
        control = 0.0 if self.takes_target or self.takes_speed else float(np.clip(0.0, *self.control))
        return self.gear * float(np.clip(self.gain * control + self.bias[0], *self.force))

    @property
    def targets(self) -> tuple[float, float]:
        """Limits of the joint's target."""
        first, second = (limit / self.gear for limit in self.control)
        return min(first, second), max(first, second)


def joint_actuators(model: mujoco.MjModel) -> tuple[list[JointActuator], dict[str, str]]:
    """The linear actuators on joints, and why each of the others but adhesion is none of them, by its name."""
    found: list[JointActuator] = []
    others: dict[str, str] = {}
    for index in acting(model):
        name, reason = name_of(model, "actuator", index), _reason(model, index)
        if reason:
            others[name] = reason
        else:
            found.append(_read(model, index, name))
    return found, others


def acting(model: mujoco.MjModel) -> list[int]:
    """Numbers of the actuators that are not disabled, but adhesion."""
    return [
        index
        for index, group in enumerate(model.actuator_group.tolist() if enabled(model, "ACTUATION") else ())
        if not (model.opt.disableactuator & (1 << group) or is_adhesion(model, index))
    ]


def joint_of(model: mujoco.MjModel, index: int) -> int:
    """The hinge or slide that an actuator turns or moves; -1 if it acts on something else."""
    joint = int(model.actuator_trnid[index, 0])
    on_joint = int(model.actuator_trntype[index]) in _ON_JOINT and int(model.jnt_type[joint]) in SCALAR
    return joint if on_joint else -1


def driven_joints(model: mujoco.MjModel) -> set[str]:
    """Names of the joints that actuators of any kind act on."""
    on_joint = np.flatnonzero(np.isin(model.actuator_trntype, _ON_JOINT))
    return {name_of(model, "joint", joint) for joint in model.actuator_trnid[on_joint, 0]}


def is_adhesion(model: mujoco.MjModel, index: int) -> bool:
    """Whether an actuator pulls a body towards what touches it."""
    return bool(model.actuator_trntype[index] == mujoco.mjtTrn.mjTRN_BODY)


def block(model: mujoco.MjModel, part: str, index: int) -> slice:
    """Where an actuator's controls («ctrl»), forces («out») or activations («act») are.

    Before MuJoCo 4 each has one control and one force.
    """
    addresses = getattr(model, f"actuator_{part}adr", None)
    if addresses is None:
        return slice(index, index + 1)
    first = int(addresses[index])
    return slice(first, first + int(getattr(model, f"actuator_{part}num")[index]))


def owner_of_control(model: mujoco.MjModel, control: int) -> str:
    """The name of the actuator that has a control."""
    owners = [block(model, "ctrl", index).start for index in range(len(model.actuator_trntype))]
    return name_of(model, "actuator", np.searchsorted(owners, control, side="right") - 1)


def _reason(model: mujoco.MjModel, index: int) -> str:
    """Why an actuator is not linear on one joint; empty if it is."""
    transmission = mujoco.mjtTrn(model.actuator_trntype[index])
    joint = int(model.actuator_trnid[index, 0])
    if transmission not in _ON_JOINT:
        return f"acts on a {transmission.name.removeprefix('mjTRN_').lower()}"
    if int(model.jnt_type[joint]) not in SCALAR:
        return "acts on a joint with several degrees of freedom"
    if model.actuator_dyntype[index] != mujoco.mjtDyn.mjDYN_NONE:
        return "has dynamics of its own"
    if int(model.actuator_biastype[index]) not in _LINEAR or not _has_fixed_gain(model, index):
        return "has a force that is not linear in control, position and velocity"
    if hasattr(model, "actuator_delay") and model.actuator_delay[index]:
        return "has a delay"
    return ""


def _has_fixed_gain(model: mujoco.MjModel, index: int) -> bool:
    """True also for a gain that varies, if the control nearest to zero is zero: the actuator is at rest."""
    kind = model.actuator_gaintype[index]
    if kind == mujoco.mjtGain.mjGAIN_AFFINE:
        return bool(np.clip(0.0, *_control(model, index)) == 0.0)
    return bool(kind == mujoco.mjtGain.mjGAIN_FIXED)


def _read(model: mujoco.MjModel, index: int, name: str) -> JointActuator:
    fixed = model.actuator_gaintype[index] == mujoco.mjtGain.mjGAIN_FIXED
    bias = model.actuator_biasprm[index, :3] * (model.actuator_biastype[index] == mujoco.mjtBias.mjBIAS_AFFINE)
    b0, b1, b2 = bias.tolist()
    return JointActuator(
        number=index,
        name=name,
        joint=int(model.actuator_trnid[index, 0]),
        gear=float(model.actuator_gear[block(model, "out", index).start, 0]),
        gain=float(model.actuator_gainprm[index, 0]) if fixed else 0.0,
        bias=(b0, b1, b2),
        control=_control(model, index),
        force=_range(model.actuator_forcelimited[index], model.actuator_forcerange[index]),
    )


def _control(model: mujoco.MjModel, index: int) -> tuple[float, float]:
    at = block(model, "ctrl", index).start
    return _range(model.actuator_ctrllimited[at] and enabled(model, "CLAMPCTRL"), model.actuator_ctrlrange[at])


def _range(limited: bool, limits: Array) -> tuple[float, float]:
    return (float(limits[0]), float(limits[1])) if limited else _UNLIMITED
