"""A DART world from a robot's file and a scene file's settings."""

from __future__ import annotations

import dartpy
from ipc_articulation.adapters.dart.adapter import DartAdapter
from ipc_articulation.adapters.dart.skeletons import make_skeleton
from ipc_articulation.adapters.driven_model import DrivenModel
from ipc_articulation.adapters.limits import warn_beyond_limits
from ipc_articulation.adapters.mechanisms import TreeFile

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.kinds import freedom_names
from ipc_articulation.coupling.robots import RobotSetup


class SceneModel(TreeFile):
    """A URDF file for DART, without joints that follow others; see `TreeFile`."""

    adapter = "dart"

    def build(self, setup: RobotSetup) -> DrivenModel:
        """The finished world.

        Raises:
            AdapterError: Two bodies have the same name.
            MeshError, ModelError: As for `prepared`.
            UnsupportedError: A joint or the integrator has no counterpart.
        """
        _, setup, around = self.prepared(setup)
        skeleton = make_skeleton(self._robot.mechanism, self._file)
        for name, position in setup.start.items():
            skeleton.getDof(name).setPosition(position)
        for name, velocity in setup.start_velocity.items():
            skeleton.getDof(name).setVelocity(velocity)
        world = dartpy.simulation.World()
        world.setTimeStep(setup.dt)
        world.setGravity(setup.gravity)
        world.addSkeleton(skeleton)
        adapter = DartAdapter(world, **around)
        warn_beyond_limits(adapter, "DART pushes it back in the first steps")
        order = list(freedom_names(adapter.describe().joints))
        freedoms = [skeleton.getDof(actuator.joint) for actuator in setup.actuators]
        damped = [(order.index(one.getName()), one, one.getDampingCoefficient()) for one in freedoms]

        def drive(force: Array, kd: Array) -> None:
            skeleton.setForces(adapter.motor_forces(force))
            for row, freedom, own in damped:
                freedom.setDampingCoefficient(own + kd[row])

        return DrivenModel(
            adapter,
            setup.actuators,
            drive,
            efforts={name: skeleton.getDof(name).getForceUpperLimit() for name in self.joint_names},
            implicit=setup.integrator == "implicitfast",
        )
