"""A robot of a URDF file, built and driven as in scene files; a joint of it may follow another one."""

from __future__ import annotations

import numpy as np

from ipc_articulation.coupling.robots import RobotSetup

GRAVITY = np.array([0.5, 0.0, -9.81])
NONE = np.zeros((0, 4, 4))
INERTIAL = """<inertial><origin xyz="0.1 0 0.02"/><mass value="1"/>
  <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>"""
SHAPE = '<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>'
LIMIT = '<limit effort="{}" velocity="1" lower="-2" upper="2"/>'


def joint(name: str, kind: str, parent: str, child: str, rest: str = "") -> str:
    return f"""<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>
      <origin xyz="0.3 0.1 0.2" rpy="0.1 0.2 0.3"/><axis xyz="0 0.6 0.8"/>{rest}</joint>"""


LINKS = "".join(
    f'<link name="{name}">{INERTIAL}{SHAPE}</link>' for name in ("base", "upper", "lower", "wheel", "finger")
)
JOINTS = (
    joint("shoulder", "revolute", "base", "upper", LIMIT.format(5) + '<dynamics damping="0.3"/>')
    + joint("slide", "prismatic", "upper", "lower", LIMIT.format(50))
    + joint("spin", "continuous", "lower", "wheel")
    + joint("follow", "revolute", "lower", "finger", LIMIT.format(5) + '<mimic joint="slide" multiplier="-1.5"/>')
)


def setup(integrator: str = "implicitfast", **keys) -> RobotSetup:
    return RobotSetup(0.005, GRAVITY, integrator, **keys)


def run(driven, steps: int = 40) -> dict[str, np.ndarray]:
    """Poses of the links after steps with moving targets, and further forces."""
    adapter = driven.adapter
    for k in range(steps):
        driven.command(driven.start + 0.3 * np.sin(0.1 * k))
        driven.push(np.array([0.1 * (name == "spin") for name in driven.joints]))
        adapter.commit(adapter.predict().delta_theta_tilde, NONE, NONE)
    return {link.name: link.pose for link in adapter.describe().links}
