"""Parts of a model that the coupling does not support, refused by name."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.acted_on import ON_FREE_JOINTS, any_of, joint_fields
from ipc_articulation.adapters.mujoco.force_sensors import sensor_name
from ipc_articulation.adapters.mujoco.kinematics import rigid_group
from ipc_articulation.adapters.mujoco.selection import Selection, mocap_group, selected_bodies
from ipc_articulation.adapters.mujoco.touching import colliding_geoms

from ipc_articulation.dynamics.reading.mujoco.actuators import is_adhesion
from ipc_articulation.dynamics.reading.mujoco.attachments import (
    actuator_bodies,
    equality_bodies,
    tendon_bodies,
    tendon_forces,
)
from ipc_articulation.dynamics.reading.mujoco.names import enabled, name_of
from ipc_articulation.dynamics.reading.mujoco.support import in_fluid
from ipc_articulation.errors import UnsupportedError
from ipc_articulation.repairs import repair

_READ_CONTACTS = [
    int(getattr(mujoco.mjtSensor, name))
    for name in ("mjSENS_CONTACT", "mjSENS_TACTILE", "mjSENS_PLUGIN")
    if hasattr(mujoco.mjtSensor, name)  # not in every MuJoCo
]
_INTEGRATORS = (mujoco.mjtIntegrator.mjINT_EULER, mujoco.mjtIntegrator.mjINT_IMPLICITFAST)


def refuse_unsupported(model: mujoco.MjModel, selection: Selection) -> None:
    """Refuse a model with elements that the coupling does not support.

    Raises:
        UnsupportedError: There is one; the message names the option, joint, body, geom, tendon or actuator.
    """
    for check in (_options, _flexes, _tendons, _joints, _bodies, _geoms, _pairs, _free_bodies, _actuators):
        for complaint in check(model, selection):
            raise UnsupportedError(complaint)


def refuse_forces_on_free(model: mujoco.MjModel, data: mujoco.MjData, selection: Selection) -> None:
    """Refuse forces on bodies with a free joint; they would have no effect, because IPC moves these bodies.

    Raises:
        UnsupportedError: `xfrc_applied` or `qfrc_applied` of a free body is not zero, or an active equality constraint
            joins it to another body.
    """
    if model.neq and selection.free:
        _refuse_equalities_on_free(model, data, selection)
    for body in selection.free:
        first = model.body_dofadr[body]
        if np.any(data.qfrc_applied[first : first + 6]) or np.any(data.xfrc_applied[rigid_group(model, body)]):
            raise UnsupportedError(
                f"a force is applied to free body '{name_of(model, 'body', body)}' (xfrc_applied or qfrc_applied); "
                "IPC moves that body, apply the force in the libuipc scene"
            )


def refuse_passive_on_free(model: mujoco.MjModel, scratch: mujoco.MjData, selection: Selection) -> None:
    """Refuse forces of the callback `mjcb_passive` on free bodies, in the step that was taken on `scratch`.

    `qfrc_passive` is the sum of springs, dampers, gravity compensation, fluid and the callback's forces.

    Raises:
        UnsupportedError: There is one; names the body.
    """
    if not selection.free or mujoco.get_mjcb_passive() is None:
        return
    known = scratch.qfrc_spring + scratch.qfrc_damper + scratch.qfrc_gravcomp + scratch.qfrc_fluid
    given = ~np.isclose(scratch.qfrc_passive, known, rtol=1e-9, atol=1e-12 * np.abs(known).max(initial=0.0))
    for body in selection.free:
        first = model.body_dofadr[body]
        if given[first : first + 6].any():
            raise UnsupportedError(
                f"the callback mjcb_passive gives a force to {_free(model, body)}, which IPC moves without it; apply "
                "the force in the libuipc scene"
            )


def _refuse_equalities_on_free(model: mujoco.MjModel, data: mujoco.MjData, selection: Selection) -> None:
    if not enabled(model, "EQUALITY", "CONSTRAINT"):
        return
    free = _moved_by_ipc(model, selection)
    for equality in np.flatnonzero(data.eq_active):
        for body in sorted(equality_bodies(model, int(equality)) & free):
            raise UnsupportedError(
                f"equality constraint '{name_of(model, 'equality', equality)}' acts on {_free(model, body)}, which IPC "
                "moves without it; make it inactive: coupling.attach(part, link) joins them while the scene runs, a "
                "joint in the libuipc scene from the start on"
            )


def _options(model: mujoco.MjModel, selection: Selection) -> Iterator[str]:
    if model.opt.integrator not in _INTEGRATORS:
        name = mujoco.mjtIntegrator(model.opt.integrator).name.removeprefix("mjINT_")
        yield f"integrator {name} is not supported; set <option integrator> to Euler or implicitfast"
    if model.opt.enableflags & mujoco.mjtEnableBit.mjENBL_SLEEP:
        yield "sleeping (<flag sleep>) is not supported: a sleeping robot would not feel IPC's contact; disable it"


def _flexes(model: mujoco.MjModel, selection: Selection) -> Iterator[str]:
    for i in range(model.nflex):
        yield f"flex '{name_of(model, 'flex', i)}': deformable bodies of MuJoCo are not supported"


def _tendons(model: mujoco.MjModel, selection: Selection) -> Iterator[str]:
    free = _moved_by_ipc(model, selection)
    for i in filter(partial(tendon_forces, model), range(model.ntendon)):
        for body in sorted(tendon_bodies(model, i) & free):
            yield f"tendon '{name_of(model, 'tendon', i)}' acts on {_free(model, body)}, which IPC moves without it"


def _joints(model: mujoco.MjModel, selection: Selection) -> Iterator[str]:
    for body in selection.links:
        first = model.body_jntadr[body]
        for j in range(first, first + model.body_jntnum[body]):
            low, high = model.jnt_range[j]
            if low > high:
                yield (
                    f"joint '{name_of(model, 'joint', j)}' has the limits {low:g} to {high:g}, which MuJoCo ignores; "
                    "give the lower one first"
                )


def _bodies(model: mujoco.MjModel, selection: Selection) -> Iterator[str]:
    for link in selection.links:
        root = int(model.body_rootid[link])
        if model.body_mocapid[root] >= 0:
            where = f"body '{name_of(model, 'body', link)}' has joints on the mocap body"
            yield f"{where} '{name_of(model, 'body', root)}': moving bases are not supported; name it under 'ignore'"
    for mocap in selection.mocap:
        where = f"mocap body '{name_of(model, 'body', mocap)}'"
        for geom in colliding_geoms(model, mocap_group(model, mocap)):
            if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_PLANE:
                yield f"{where} has the plane '{name_of(model, 'geom', geom)}'; planes do not move, use a box"


def _geoms(model: mujoco.MjModel, selection: Selection) -> Iterator[str]:
    for g in np.flatnonzero(np.isin(model.geom_bodyid, selected_bodies(model, selection))):
        where = f"geom '{name_of(model, 'geom', g)}' of body '{name_of(model, 'body', model.geom_bodyid[g])}'"
        for name in ("geom_adhesion", "geom_surfacevel"):  # MuJoCo 4 only
            if np.any(getattr(model, name, np.zeros(model.ngeom))[g]):
                yield f"{where} has {name.removeprefix('geom_')}, which IPC contact does not know"


def _pairs(model: mujoco.MjModel, selection: Selection) -> Iterator[str]:
    for i in range(model.npair):
        if np.any(getattr(model, "pair_adhesion", np.zeros(model.npair))[i]):  # MuJoCo 4 only
            yield f"contact pair '{name_of(model, 'pair', i)}' has adhesion, which IPC contact does not know"


def _free_bodies(model: mujoco.MjModel, selection: Selection) -> Iterator[str]:
    for body in selection.free:
        where = _free(model, body)
        if np.any(model.body_gravcomp[rigid_group(model, body)]):
            yield f"{where} has gravity compensation, which IPC does not know; set gravcomp to 0"
        if any(np.any(getattr(model, name)[model.body_jntadr[body]]) for name in joint_fields(model)):
            yield f"{where} has a spring on its free joint, which IPC does not know; set stiffness to 0"


def report_without_effect(model: mujoco.MjModel, selection: Selection) -> None:
    """Report as repairs what has no effect: adhesion, and on free bodies all that is not gravity or contact of IPC.

    Adhesion acts through MuJoCo's own contacts, of which a coupled model has none; some sensors read them.

    Raises:
        UnsupportedError: Repairs are refused, and there is something to report.
    """
    for i in filter(partial(is_adhesion, model), range(len(model.actuator_trntype))):
        fault = "it is an adhesion actuator, and IPC contact does not know adhesion"
        repair(f"actuator '{name_of(model, 'actuator', i)}'", fault, "left out", UnsupportedError)
    _report_sensors(model)
    for body in selection.free:
        dofs = slice(model.body_dofadr[body], model.body_dofadr[body] + 6)
        found = [noun for noun, names in ON_FREE_JOINTS.items() if any_of(model, names, dofs)]
        if found:
            what = f"its free joint has {' and '.join(found)}"
            repair(_free(model, body), what, "left out, because IPC moves this body", UnsupportedError)
        if in_fluid(model):
            what = "it moves in a fluid (<option density> or viscosity)"
            repair(_free(model, body), what, "IPC moves this body without it", UnsupportedError)


def _report_sensors(model: mujoco.MjModel) -> None:
    """Report sensors that cannot have the forces of the scene's step."""
    late = model.sensor_needstage == mujoco.mjtStage.mjSTAGE_ACC
    histories = getattr(model, "sensor_history", np.zeros((model.nsensor, 2)))  # not in every MuJoCo
    kept = late & (histories[:, 0] > 0)
    reading = late & np.isin(model.sensor_type, _READ_CONTACTS)
    for found, fault in ((reading, "it reads MuJoCo's own contacts"), (kept, "its history is of MuJoCo's own steps")):
        for sensor in np.flatnonzero(found).tolist():
            remedy = "it does not see IPC's contact, which coupling.read_out(world) has"
            repair(f"sensor '{sensor_name(model, sensor)}'", fault, remedy, UnsupportedError)


def _actuators(model: mujoco.MjModel, selection: Selection) -> Iterator[str]:
    free = _moved_by_ipc(model, selection)
    for i in range(len(model.actuator_trntype)):
        if not is_adhesion(model, i) and actuator_bodies(model, i) & free:
            yield f"actuator '{name_of(model, 'actuator', i)}' drives a free body, which IPC moves"


def _moved_by_ipc(model: mujoco.MjModel, selection: Selection) -> set[int]:
    return {body for root in selection.free for body in rigid_group(model, root)}


def _free(model: mujoco.MjModel, body: int) -> str:
    """A phrase for a body that moves with a free body."""
    return f"free body '{name_of(model, 'body', model.body_weldid[body])}'"
