"""Robots of both adapters that turn an arm beside a free crate, for tests of states and attached parts."""

from __future__ import annotations

import mujoco
import numpy as np
import uipc
from ipc_articulation.adapters.mujoco import MujocoAdapter
from ipc_articulation.adapters.native import NativeAdapter
from uipc.constitution import AffineBodyConstitution

from ipc_articulation.coupling.adapter import CoupledBody
from ipc_articulation.dynamics.integrators import PD, Drive
from ipc_articulation.dynamics.joints import RevoluteJoint
from ipc_articulation.dynamics.model import Box, Mechanism, Shape
from tests.coupling.worlds import CUBE_CORNERS, CUBE_FACES, at, cube

DT = 0.01
TARGET = 0.4  # [rad]

ARM = """<mujoco><option timestep="0.01" gravity="{gravity}" integrator="implicitfast"/><compiler angle="radian"/>
  <worldbody><body name="{name}arm" pos="0 {y} 0">
    <joint name="{name}shoulder" axis="0 0 1" damping="0.1" range="-2 2" limited="true"/>
    <geom type="box" size="0.23 0.03 0.03" pos="0.25 0 0" mass="1"/>
    <body name="{name}hand" pos="0.5 0 0"><joint name="{name}wrist" axis="0 0 1" damping="0.05"/>
      <geom type="box" size="0.05 0.03 0.03" pos="0.07 0 0" mass="0.3"/></body></body>
  <body name="{name}crate" pos="0.57 {crate_y} 0"><freejoint/><geom type="box" size="0.05 0.05 0.05" mass="0.5"/></body>
</worldbody><actuator><position joint="{name}shoulder" kp="20" kv="2"/><position joint="{name}wrist" kp="5" kv="0.5"/>
</actuator></mujoco>"""


def by_mujoco(name: str = "", y: float = 0.0, gap: float = 0.02, gravity=(0.0, 0.0, 0.0)) -> MujocoAdapter:
    """An arm with shoulder and hand, and a crate beside the hand, a gap [m] away."""
    text = ARM.format(name=name, y=y, crate_y=y + 0.08 + gap, gravity=" ".join(map(str, gravity)))
    model = mujoco.MjModel.from_xml_string(text)
    adapter = MujocoAdapter(model, mujoco.MjData(model))
    adapter.data.ctrl[:] = TARGET
    return adapter


def by_native(name: str = "", y: float = 0.0, gap: float = 0.02, gravity=(0.0, 0.0, 0.0)) -> NativeAdapter:
    """The same robot."""
    mechanism = Mechanism(f"{name}robot", gravity=np.array(gravity))
    arm, hand = f"{name}arm", f"{name}hand"
    axis = RevoluteJoint([0.0, 0.0, 1.0])
    mechanism.add_joint(f"{name}shoulder", axis, "world", arm, origin=at(0, y, 0), damping=0.1, lower=-2.0, upper=2.0)
    mechanism.add_joint(f"{name}wrist", axis, arm, hand, origin=at(0.5, 0, 0), damping=0.05)
    for link, mass, x, size in ((arm, 1.0, 0.25, (0.46, 0.06, 0.06)), (hand, 0.3, 0.07, (0.1, 0.06, 0.06))):
        inertia = mass / 12.0 * (np.sum(np.square(size)) * np.eye(3) - np.diag(np.square(size)))
        mechanism.add_link(link, mass, (x, 0.0, 0.0), inertia).collision = (Shape(Box(size), at(x, 0.0, 0.0)),)
    model = mechanism.build()
    inertia = 0.5 / 6.0 * 0.1**2 * np.eye(3)
    crate = CoupledBody(f"{name}crate", at(0.57, y + 0.08 + gap, 0), cube(0.05), 0.5, np.zeros(3), inertia, 1.0)
    adapter = NativeAdapter(model, DT, free=[crate])
    adapter.drive = Drive(pd=PD.to(model, [TARGET] * 2, [20.0, 5.0], [2.0, 0.5]))
    return adapter


BOTH = [by_mujoco, by_native]


def add_box(scene: uipc.Scene, pose: np.ndarray):
    """A box of 0.2 kg that no coupling knows; its geometry slot."""
    box = uipc.geometry.trimesh(0.05 * CUBE_CORNERS, CUBE_FACES)
    uipc.geometry.label_surface(box)
    AffineBodyConstitution().apply_to(box, 1e8, 200.0)
    uipc.view(box.transforms())[0] = pose
    return scene.objects().create("box").geometries().create(box)[0]
