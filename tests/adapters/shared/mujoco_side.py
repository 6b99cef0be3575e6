"""The shared robots in MuJoCo."""

from __future__ import annotations

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco import MujocoAdapter

from ipc_articulation import spatial
from tests.adapters.shared.engines import Side
from tests.adapters.shared.robots import DT, GRAVITY, UNITS, Part, Robot

_TYPES = {"revolute": "hinge", "prismatic": "slide", "spherical": "ball", "free": "free"}


def make(robot: Robot) -> MujocoAdapter:
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{DT}" integrator="Euler" gravity="{_text(GRAVITY)}"/>'
        f"<worldbody>{_bodies(robot.parts, -1)}</worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    single = [model.joint(part.joint).qposadr[0] for part in robot.parts if UNITS[part.kind] == 1]
    data.qpos[single], data.qvel[:] = robot.theta, robot.rates
    return MujocoAdapter(model, data)


def own_step(adapter: MujocoAdapter) -> None:
    model, flags = adapter.model, adapter.model.opt.disableflags
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    mujoco.mj_step(model, adapter.data)
    model.opt.disableflags = flags


def push(adapter: MujocoAdapter, forces: np.ndarray) -> None:
    adapter.data.qfrc_applied[:] = forces


def step_with_edit(adapter: MujocoAdapter) -> None:
    adapter.model.geom_size[0, 0] *= 2.0
    adapter.predict()


def _bodies(parts: tuple[Part, ...], parent: int) -> str:
    return "".join(_body(parts, k) for k, part in enumerate(parts) if part.parent == parent)


def _body(parts: tuple[Part, ...], number: int) -> str:
    part = parts[number]
    free = part.kind == "free"
    joint = (
        f'<joint name="{part.joint}" type="{_TYPES[part.kind]}" axis="{_text(part.axis)}" damping="{part.damping}"/>'
    )
    pose = f'pos="{_text(part.origin[:3, 3])}" quat="{_text(spatial.quaternion_from_rotation(part.origin[:3, :3]))}"'
    return (
        f'<body name="{part.name}" {pose}>'
        + (f'<freejoint name="{part.joint}"/>' if free else joint)
        + f'<inertial pos="{_text(part.centre)}" mass="{part.mass}" diaginertia="{_text(part.inertia)}"/>'
        + f'<geom type="box" size="{_text(0.5 * np.array(part.size))}" pos="{_text(part.centre)}"/>'
        + f"{_bodies(parts, number)}</body>"
    )


def _text(numbers) -> str:
    return " ".join(f"{number!r}" for number in np.asarray(numbers, dtype=float).tolist())


SIDE = Side(make, own_step, push, step_with_edit, "geom_size")
