"""Parts of a model that the coupling does not support, refused by name."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.kinematics import rigid_group
from ipc_articulation.adapters.mujoco.selection import Selection

from ipc_articulation.dynamics.reading.mujoco.names import name_of
from ipc_articulation.errors import UnsupportedError

_INTEGRATORS = (mujoco.mjtIntegrator.mjINT_EULER, mujoco.mjtIntegrator.mjINT_IMPLICITFAST)
_HINGE_OR_SLIDE = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)


def refuse_unsupported(model: mujoco.MjModel, selection: Selection) -> None:
    """Refuse a model with elements that the coupling does not support.

    Raises:
        UnsupportedError: There is one; the message names the option, joint, body, geom, tendon or actuator.
    """
    for check in (_options, _couplings, _joints, _bodies, _geoms, _free_bodies, _actuators):
        for complaint in check(model, selection):
            raise UnsupportedError(complaint)


def refuse_forces_on_free(model: mujoco.MjModel, data: mujoco.MjData, selection: Selection) -> None:
    """Refuse forces on bodies with a free joint; they would have no effect, because IPC moves these bodies.

    Raises:
        UnsupportedError: `xfrc_applied` or `qfrc_applied` of a free body is not zero.
    """
    for body in selection.free:
        first = model.body_dofadr[body]
        if np.any(data.qfrc_applied[first : first + 6]) or np.any(data.xfrc_applied[rigid_group(model, body)]):
            raise UnsupportedError(
                f"a force is applied to free body '{name_of(model, 'body', body)}' (xfrc_applied or qfrc_applied); "
                "IPC moves that body, apply the force in the libuipc scene"
            )


def _options(model: mujoco.MjModel, selection: Selection) -> Iterator[str]:
    if model.opt.integrator not in _INTEGRATORS:
        name = mujoco.mjtIntegrator(model.opt.integrator).name.removeprefix("mjINT_")
        yield f"integrator {name} is not supported; set <option integrator> to Euler or implicitfast"
    if model.opt.enableflags & mujoco.mjtEnableBit.mjENBL_SLEEP:
        yield "sleeping (<flag sleep>) is not supported: a sleeping robot would not feel IPC's contact; disable it"


def _couplings(model: mujoco.MjModel, selection: Selection) -> Iterator[str]:
    for i in range(model.ntendon):
        yield f"tendon '{name_of(model, 'tendon', i)}': tendons that couple joints are not supported"
    for e in np.flatnonzero(model.eq_type != mujoco.mjtEq.mjEQ_JOINT):
        kind = mujoco.mjtEq(model.eq_type[e]).name.removeprefix("mjEQ_").lower()
        yield f"equality constraint '{name_of(model, 'equality', e)}' is a {kind}; only joint equalities are supported"
    for i in range(model.npair):
        pair = name_of(model, "pair", i)
        yield f"contact pair '{pair}': <contact><pair> is not supported; use contype and conaffinity"
    for i in range(model.nflex):
        yield f"flex '{name_of(model, 'flex', i)}': deformable bodies of MuJoCo are not supported"


def _joints(model: mujoco.MjModel, selection: Selection) -> Iterator[str]:
    for body in selection.links:
        first = model.body_jntadr[body]
        for j in range(first, first + model.body_jntnum[body]):
            if int(model.jnt_type[j]) not in _HINGE_OR_SLIDE:
                kind = mujoco.mjtJoint(model.jnt_type[j]).name[6:].lower()
                yield (
                    f"joint '{name_of(model, 'joint', j)}' of body '{name_of(model, 'body', body)}' is a {kind} joint; "
                    "the coupling knows hinge and slide joints"
                )
            low, high = model.jnt_range[j]
            if low > high:
                yield (
                    f"joint '{name_of(model, 'joint', j)}' has the limits {low:g} to {high:g}, which MuJoCo ignores; "
                    "give the lower one first"
                )


def _bodies(model: mujoco.MjModel, selection: Selection) -> Iterator[str]:
    for body in selection.static:
        if model.body_mocapid[body] >= 0:
            name = name_of(model, "body", body)
            yield f"body '{name}' is a mocap body, which is not supported; name it under 'ignore'"


def _geoms(model: mujoco.MjModel, selection: Selection) -> Iterator[str]:
    moving = [b for body in selection.links + selection.free for b in rigid_group(model, body)]
    for g in np.flatnonzero(np.isin(model.geom_bodyid, moving + list(selection.static))):
        where = f"geom '{name_of(model, 'geom', g)}' of body '{name_of(model, 'body', model.geom_bodyid[g])}'"
        if model.geom_priority[g]:
            yield f"{where} has a contact priority, which is not supported; set priority to 0"
        for name in ("geom_adhesion", "geom_surfacevel"):  # MuJoCo 4 only
            if np.any(getattr(model, name, np.zeros(model.ngeom))[g]):
                yield f"{where} has {name.removeprefix('geom_')}, which IPC contact does not know"


def _free_bodies(model: mujoco.MjModel, selection: Selection) -> Iterator[str]:
    fluid = model.opt.density or model.opt.viscosity
    for body in selection.free:
        where = f"free body '{name_of(model, 'body', body)}'"
        dofs = slice(model.body_dofadr[body], model.body_dofadr[body] + 6)
        joint = model.body_jntadr[body]
        for inside in np.flatnonzero((model.body_rootid == body) & (model.body_jntnum > 0)):
            if inside != body:
                name = name_of(model, "body", inside)
                yield f"{where} carries joints (body '{name}'): floating bases are not supported"
        if fluid or np.any(model.body_gravcomp[rigid_group(model, body)]):
            yield f"{where} would feel a fluid or gravity compensation, which IPC does not know"
        springs = (getattr(model, name)[joint] for name in joint_fields(model))
        if any(map(np.any, springs)) or any(np.any(getattr(model, name)[dofs]) for name in dof_fields(model)):
            what = "stiffness, damping, friction loss or armature"
            yield f"{where} has {what} on its free joint, which IPC does not know"


def joint_fields(model: mujoco.MjModel) -> list[str]:
    """Arrays over joints that must be zero for free joints."""
    return [name for name in ("jnt_stiffness", "jnt_stiffnesspoly") if hasattr(model, name)]


def dof_fields(model: mujoco.MjModel) -> list[str]:
    """Arrays over degrees of freedom that must be zero for free joints."""
    names = ("dof_damping", "dof_dampingpoly", "dof_frictionloss", "dof_armature")
    return [name for name in names if hasattr(model, name)]


def _actuators(model: mujoco.MjModel, selection: Selection) -> Iterator[str]:
    free = {b for body in selection.free for b in rigid_group(model, body)}
    for i in range(len(model.actuator_trntype)):
        kind, target = mujoco.mjtTrn(model.actuator_trntype[i]), int(model.actuator_trnid[i, 0])
        if kind == mujoco.mjtTrn.mjTRN_BODY:
            yield f"actuator '{name_of(model, 'actuator', i)}' is an adhesion actuator, which IPC contact does not know"
        if _driven_body(model, kind, target) in free:
            yield f"actuator '{name_of(model, 'actuator', i)}' drives a free body, which IPC moves"


def _driven_body(model: mujoco.MjModel, kind: mujoco.mjtTrn, target: int) -> int:
    if kind in (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT):
        return int(model.jnt_bodyid[target])
    if kind in (mujoco.mjtTrn.mjTRN_SITE, mujoco.mjtTrn.mjTRN_SLIDERCRANK):
        return int(model.site_bodyid[target])
    return -1
