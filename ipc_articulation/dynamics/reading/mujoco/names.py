"""Names in a MuJoCo model, made of kind and number if it has none, and its disabled parts of the physics."""

from __future__ import annotations

from typing import SupportsInt

import mujoco
import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.naming import free_name

SCALAR = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)  # joints of one degree of freedom

_KINDS = {
    "body": mujoco.mjtObj.mjOBJ_BODY,
    "joint": mujoco.mjtObj.mjOBJ_JOINT,
    "geom": mujoco.mjtObj.mjOBJ_GEOM,
    "mesh": mujoco.mjtObj.mjOBJ_MESH,
    "hfield": mujoco.mjtObj.mjOBJ_HFIELD,
    "site": mujoco.mjtObj.mjOBJ_SITE,
    "tendon": mujoco.mjtObj.mjOBJ_TENDON,
    "equality": mujoco.mjtObj.mjOBJ_EQUALITY,
    "flex": mujoco.mjtObj.mjOBJ_FLEX,
    "exclude": mujoco.mjtObj.mjOBJ_EXCLUDE,
    "pair": mujoco.mjtObj.mjOBJ_PAIR,
    "actuator": mujoco.mjtObj.mjOBJ_ACTUATOR,
    "camera": mujoco.mjtObj.mjOBJ_CAMERA,
}


def name_of(model: mujoco.MjModel, kind: str, index: SupportsInt) -> str:
    """Name of element `index` of a kind («body», «joint», «geom», ...), or e.g. «geom3» if it has none in UTF-8.

    If another one is called so, it is «geom3 (1)».
    """
    try:
        name = mujoco.mj_id2name(model, _KINDS[kind], int(index))
    except UnicodeDecodeError:
        name = None
    return name or free_name(f"{kind}{index}", lambda taken: mujoco.mj_name2id(model, _KINDS[kind], taken) >= 0)


def name_within(model: mujoco.MjModel, body: SupportsInt, kind: str, index: SupportsInt) -> str:
    """What is made of an element of a body: «body/joint», «world/geom»; numbered if a body has this name."""
    owner = name_of(model, "body", body)
    name = f"{owner}/{name_of(model, kind, index)}"
    if mujoco.mj_name2id(model, _KINDS["body"], name) < 0:
        return name
    count = {"joint": model.njnt, "geom": model.ngeom}[kind]
    taken = {*body_names(model), *(f"{owner}/{name_of(model, kind, other)}" for other in range(count))}
    return free_name(name, taken.__contains__)


def body_names(model: mujoco.MjModel) -> list[str]:
    """Names of all bodies, the world first."""
    return [name_of(model, "body", b) for b in range(model.nbody)]


def reference_positions(model: mujoco.MjModel) -> dict[str, float]:
    """Positions at qpos0 of hinges and slides, by name [rad or m]."""
    scalar = np.flatnonzero(np.isin(model.jnt_type, SCALAR))
    return {name_of(model, "joint", joint): float(model.qpos0[model.jnt_qposadr[joint]]) for joint in scalar}


def free_joint_positions(model: mujoco.MjModel) -> dict[str, Array]:
    """Position [m] and quaternion (7,) of free joints at qpos0, by name."""
    free = np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_FREE)
    return {name_of(model, "joint", j): np.array(model.qpos0[model.jnt_qposadr[j] :][:7]) for j in free}


def enabled(model: mujoco.MjModel, *parts: str) -> bool:
    """Whether all given parts of the physics («GRAVITY», «SPRING», ... of mjtDisableBit) are enabled."""
    return not any(model.opt.disableflags & getattr(mujoco.mjtDisableBit, f"mjDSBL_{part}") for part in parts)
