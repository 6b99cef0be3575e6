"""What of a MuJoCo model acts on a body with a free joint, besides gravity and contact."""

from __future__ import annotations

import mujoco
import numpy as np

from ipc_articulation.dynamics.reading.mujoco.attachments import (
    actuator_bodies,
    equality_bodies,
    tendon_bodies,
    tendon_forces,
)
from ipc_articulation.dynamics.reading.mujoco.names import enabled

ON_FREE_JOINTS = {
    "damping": ("dof_damping", "dof_dampingpoly"),
    "friction loss": ("dof_frictionloss",),
    "armature": ("dof_armature",),
}


def acted_on(model: mujoco.MjModel, group: list[int]) -> bool:
    """Whether the model acts on a free body and those welded to it, `group`, when it starts.

    Fluids do not count: they act on all bodies, and hundreds of loose ones would fill one dense mass matrix.
    """
    joint = int(model.body_jntadr[group[0]])
    first = int(model.jnt_dofadr[joint])
    return (
        bool(np.any(model.body_gravcomp[group]))
        or any(np.any(getattr(model, name)[joint]) for name in joint_fields(model))
        or any(any_of(model, names, slice(first, first + 6)) for names in ON_FREE_JOINTS.values())
        or not _attached(model).isdisjoint(group)
    )


def joint_fields(model: mujoco.MjModel) -> list[str]:
    """Arrays over joints with their springs."""
    return [name for name in ("jnt_stiffness", "jnt_stiffnesspoly") if hasattr(model, name)]


def dof_fields(model: mujoco.MjModel) -> list[str]:
    """Arrays over degrees of freedom with what resists them."""
    return [name for names in ON_FREE_JOINTS.values() for name in names if hasattr(model, name)]


def any_of(model: mujoco.MjModel, fields: tuple[str, ...], dofs: slice) -> bool:
    """Whether one of some arrays, as far as this MuJoCo has them, is not zero for some degrees of freedom."""
    return any(np.any(getattr(model, name)[dofs]) for name in fields if hasattr(model, name))


def _attached(model: mujoco.MjModel) -> set[int]:
    """The bodies on which actuators, tendons with forces and active equality constraints act."""
    actuated = (actuator_bodies(model, actuator) for actuator in range(len(model.actuator_trntype)))
    pulled = (tendon_bodies(model, tendon) for tendon in range(model.ntendon) if tendon_forces(model, tendon))
    active = model.eq_active0 & enabled(model, "EQUALITY", "CONSTRAINT")
    joined = (equality_bodies(model, int(equality)) for equality in np.flatnonzero(active))
    return set[int]().union(*actuated, *pulled, *joined)
