"""The bodies on which tendons, equality constraints and actuators of a MuJoCo model act."""

from __future__ import annotations

from collections.abc import Collection

import mujoco
import numpy as np

from ipc_articulation.dynamics.reading.mujoco.names import name_of
from ipc_articulation.errors import UnsupportedError

_TENDON_FORCES = ("stiffness", "stiffnesspoly", "damping", "dampingpoly", "frictionloss", "armature", "limited")


def tendon_forces(model: mujoco.MjModel, tendon: int) -> list[str]:
    """What makes a tendon act by itself: «stiffness», «damping», «limited», …; empty if nothing does."""
    fields = ((name, getattr(model, f"tendon_{name}", None)) for name in _TENDON_FORCES)
    return [name for name, values in fields if values is not None and np.any(values[tendon])]


def is_fixed_tendon(model: mujoco.MjModel, tendon: int) -> bool:
    """True for a linear combination of joints, false for a path through sites."""
    return bool(model.wrap_type[model.tendon_adr[tendon]] == mujoco.mjtWrap.mjWRAP_JOINT)


def tendon_bodies(model: mujoco.MjModel, tendon: int) -> set[int]:
    """The bodies with the joints, sites and wrapping geoms of a tendon."""
    first = int(model.tendon_adr[tendon])
    path = slice(first, first + int(model.tendon_num[tendon]))
    owners = {
        mujoco.mjtWrap.mjWRAP_JOINT: model.jnt_bodyid,
        mujoco.mjtWrap.mjWRAP_SITE: model.site_bodyid,
        mujoco.mjtWrap.mjWRAP_SPHERE: model.geom_bodyid,
        mujoco.mjtWrap.mjWRAP_CYLINDER: model.geom_bodyid,
    }
    parts = zip(model.wrap_type[path].tolist(), model.wrap_objid[path].tolist(), strict=True)
    return {int(owners[kind][index]) for kind, index in parts if kind in owners}


def tendons_on(model: mujoco.MjModel, bodies: Collection[int]) -> list[int]:
    """The tendons with a joint, site or wrapping geom on some bodies."""
    return [tendon for tendon in range(model.ntendon) if tendon_bodies(model, tendon).intersection(bodies)]


def equality_bodies(model: mujoco.MjModel, equality: int) -> set[int]:
    """The bodies that an equality constraint joins, or whose joints or tendons it relates."""
    objects = [int(index) for index in (model.eq_obj1id[equality], model.eq_obj2id[equality]) if index >= 0]
    match mujoco.mjtEq(model.eq_type[equality]):
        case mujoco.mjtEq.mjEQ_JOINT:
            return {int(model.jnt_bodyid[joint]) for joint in objects}
        case mujoco.mjtEq.mjEQ_TENDON:
            return set().union(*(tendon_bodies(model, tendon) for tendon in objects))
    on_sites = model.eq_objtype[equality] == mujoco.mjtObj.mjOBJ_SITE
    return {int(model.site_bodyid[index]) if on_sites else index for index in objects}


def actuator_bodies(model: mujoco.MjModel, actuator: int) -> set[int]:
    """The bodies that an actuator drives by a joint, a tendon, or one or two sites; none for adhesion.

    Raises:
        UnsupportedError: It drives something else.
    """
    targets = [int(target) for target in model.actuator_trnid[actuator] if target >= 0]
    match mujoco.mjtTrn(model.actuator_trntype[actuator]).name.removeprefix("mjTRN_"):
        case "TENDON":
            return tendon_bodies(model, targets[0])
        case "JOINT" | "JOINTINPARENT":
            return {int(model.jnt_bodyid[targets[0]])}
        case "SITE" | "SLIDERCRANK":
            return {int(model.site_bodyid[site]) for site in targets}
        case "SO3":  # of a ball joint, or of a site and a reference site
            owners = model.jnt_bodyid if len(targets) == 1 else model.site_bodyid
            return {int(owners[target]) for target in targets}
        case "BODY":
            return set()
        case other:
            raise UnsupportedError(
                f"actuator '{name_of(model, 'actuator', actuator)}' acts by {other.lower()}, which is not known; "
                "use a joint, a tendon or a site"
            )
