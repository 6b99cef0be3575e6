"""Coupled runs of MuJoCo models on the CPU engine, for the physics tests."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import mujoco
from ipc_articulation.adapters.mujoco import MujocoAdapter

from ipc_articulation import couple
from ipc_articulation.coupling import Coupling
from tests.adapters.mujoco.models import panda_spec
from tests.coupling.worlds import make_scene, make_world

INTEGRATORS = {
    "Euler": mujoco.mjtIntegrator.mjINT_EULER,
    "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
}


class Run:
    """A coupled model with `options` of `couple`; `step` takes one step of everything, with `count` of MuJoCo's own."""

    def __init__(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        folder,
        adapter=MujocoAdapter,
        count: int = 1,
        options: Mapping[str, object] = MappingProxyType({}),
        **scene,
    ) -> None:
        self.model, self.data = model, data
        self.scene = make_scene(count * model.opt.timestep, model.opt.gravity, **scene)
        self.coupling: Coupling = couple(self.scene, adapter(model, data), **options)
        self.world = make_world(self.scene, folder)

    def step(self, count: int = 1) -> None:
        for _ in range(count):
            self.coupling.step(self.world)


def run_text(xml: str, folder, **arguments) -> Run:
    model = mujoco.MjModel.from_xml_string(xml)
    return Run(model, mujoco.MjData(model), folder, **arguments)


POSTURE = (0.0, 0.3, 0.0, -1.5, 0.0, 1.8, 0.5, 0.02, 0.02)


def driven_panda(integrator: str, dt: float, wall: bool = False) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """The Panda with armature, damping and position actuators, in a bent posture; perhaps with a wall at y = 0.3 m."""
    spec = panda_spec()
    for joint in spec.joints:
        joint.armature = 0.1
        servo = spec.add_actuator(name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        servo.set_to_position(kp=400.0)
        servo.biasprm[2] = -20.0  # velocity gain
    if wall:
        box = mujoco.mjtGeom.mjGEOM_BOX
        spec.worldbody.add_geom(name="wall", type=box, size=[0.5, 0.05, 0.5], pos=[0.6, 0.35, 0.5])
    model = spec.compile()
    model.dof_damping[:] = 1.0
    model.opt.timestep, model.opt.integrator = dt, INTEGRATORS[integrator]
    data = mujoco.MjData(model)
    data.qpos[:] = data.ctrl[:] = POSTURE
    return model, data
