"""The parts of a MuJoCo model that a mechanism does not support: refused, or left out with a warning."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np

from ipc_articulation.dynamics.reading.mujoco.attachments import is_fixed_tendon, tendon_forces
from ipc_articulation.dynamics.reading.mujoco.names import SCALAR, name_of
from ipc_articulation.errors import UnsupportedError
from ipc_articulation.repairs import repair


def refuse_unsupported(model: mujoco.MjModel) -> None:
    """Refuse a model with active elements that are no part of a mechanism.

    Raises:
        UnsupportedError: There is one; the message names the option, flex, body, joint, tendon or actuator.
    """
    for check in (_flexes, _bodies, _joints, _rotations, _ropes, _actuators):
        for complaint in check(model):
            raise UnsupportedError(complaint)


def report_left_out(model: mujoco.MjModel) -> None:
    """Report as repairs the active elements that a mechanism leaves out: a fluid, mocap bodies' motion, tendons.

    Raises:
        UnsupportedError: Repairs are refused, and there is something to report.
    """
    if in_fluid(model):
        repair(
            "<option>", "the model moves in a fluid (density or viscosity)", "the fluid is left out", UnsupportedError
        )
    for b in np.flatnonzero(model.body_mocapid >= 0):
        repair(f"body '{name_of(model, 'body', b)}'", "it is a mocap body", "it stands still", UnsupportedError)
    for i in range(model.ntendon):
        if forces := tendon_forces(model, i):
            what = f"it acts on joints by itself ({', '.join(forces)})"
            repair(f"tendon '{name_of(model, 'tendon', i)}'", what, "left out", UnsupportedError)


def in_fluid(model: mujoco.MjModel) -> bool:
    """True if the model has a fluid."""
    return bool(model.opt.density or model.opt.viscosity)


def _flexes(model: mujoco.MjModel) -> Iterator[str]:
    for i in range(model.nflex):
        yield f"flex '{name_of(model, 'flex', i)}': deformable bodies of MuJoCo are not supported"


def _bodies(model: mujoco.MjModel) -> Iterator[str]:
    for b in range(1, model.nbody):
        where = f"body '{name_of(model, 'body', b)}'"
        if model.body_gravcomp[b]:
            yield f"{where} has gravcomp, but a mechanism feels all of gravity; set it to 0 and apply that force"
        if model.body_plugin[b] >= 0:
            yield f"{where} has a plugin, whose forces a mechanism does not know"


def _joints(model: mujoco.MjModel) -> Iterator[str]:
    for j in range(model.njnt):
        where = _joint(model, j)
        if _acts(model, "jnt_stiffnesspoly", j) or _acts(model, "dof_dampingpoly", model.jnt_dofadr[j]):
            yield f"{where} has a polynomial stiffness or damping; only the linear coefficient is supported"
        if _acts(model, "jnt_springyield", j):
            yield f"{where} has springyield, a spring that gives way; only elastic springs are supported"
        low, high = model.jnt_actfrcrange[j]
        if model.jnt_actfrclimited[j] and low != -high:
            yield f"{where} has actuatorfrcrange {low:g} {high:g}; a mechanism knows one effort for both directions"


def _rotations(model: mujoco.MjModel) -> Iterator[str]:
    """Properties of ball and free joints that differ between axes; the axes of their angular velocity differ here."""
    for j in np.flatnonzero(~np.isin(model.jnt_type, SCALAR)):
        where = _joint(model, int(j))
        free = model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE
        end = model.jnt_dofadr[j] + (6 if free else 3)
        if model.jnt_limited[j]:
            yield f"{where} is a ball joint with a range, which is not supported; only hinges and slides have limits"
        if model.dof_frictionloss[end - 3 : end].any():
            yield f"{where} is a {'free' if free else 'ball'} joint with frictionloss, which is not supported"
        for what in ("damping", "armature"):
            if np.ptp(getattr(model, f"dof_{what}")[end - 3 : end]):
                yield f"{where} has another {what} about each axis, which is not supported; make the three equal"


def _ropes(model: mujoco.MjModel) -> Iterator[str]:
    """Limits of tendons through sites hold bodies together: without them the model would fall apart."""
    for i in range(model.ntendon):
        if model.tendon_limited[i] and not is_fixed_tendon(model, i):
            yield (
                f"tendon '{name_of(model, 'tendon', i)}' is a rope of limited length, which no part of a mechanism is; "
                "leave it out, or use adapter mujoco"
            )


def _actuators(model: mujoco.MjModel) -> Iterator[str]:
    for i in range(len(model.actuator_trntype)):
        for what in ("armature", "damping", "dampingpoly"):
            if _acts(model, f"actuator_{what}", i):
                yield f"actuator '{name_of(model, 'actuator', i)}' has {what} of its own; give it to the joint instead"


def _joint(model: mujoco.MjModel, j: int) -> str:
    return f"joint '{name_of(model, 'joint', j)}' of body '{name_of(model, 'body', model.jnt_bodyid[j])}'"


def _acts(model: mujoco.MjModel, field: str, index: int) -> bool:
    """Whether an entry of a field is not zero; it counts as zero if this version of MuJoCo has no such field."""
    values = getattr(model, field, None)
    return values is not None and bool(np.any(values[index]))
