"""A DART world from a robot's file and a scene file's settings."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import dartpy
import numpy as np
from ipc_articulation.adapters.dart.adapter import DartAdapter
from ipc_articulation.adapters.dart.urdf import make_skeleton
from ipc_articulation.adapters.driven_model import DrivenModel
from ipc_articulation.adapters.limits import warn_beyond_limits
from ipc_articulation.adapters.mechanisms import read_tree
from ipc_articulation.adapters.native.static_links import carried_by_static, static_names

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.kinds import freedom_names
from ipc_articulation.coupling.robots import FRICTION, RobotSetup
from ipc_articulation.dynamics.model import PlacedJoint
from ipc_articulation.dynamics.model.parts import WORLD
from ipc_articulation.dynamics.reading.repairing import Surfaces
from ipc_articulation.errors import UnsupportedError


class SceneModel:
    """A URDF file for DART, see `coupling.robots.RobotFile`.

    Args:
        file: URDF file.
        package_dirs: Folders that are searched for the robot's `package://NAME/...` meshes.
        base: «fixed» fixes floating bases to the world, «free» lets the root link float; None: as in the file.
        base_pose: Of a floating base, (4, 4); None: where the file places it.
        ignore: Regular expressions for names of links that are left out.
        surfaces: «visual» makes drawings the surfaces of links that have no `<collision>`.

    Raises:
        AdapterError: An expression matches no link, or `base_pose` is not that of one floating base.
        ModelError: The file is wrong; the message names the line.
        UnsupportedError: It is no URDF file, or has loops or mimic joints.
    """

    takes = ("base", "base_pose", "ignore", "surfaces")

    def __init__(
        self,
        file: Path,
        package_dirs: Collection[Path],
        *,
        base: str | None = None,
        base_pose: Array | None = None,
        ignore: Sequence[str] = (),
        surfaces: Surfaces = "collision",
    ) -> None:
        self._file = file
        self._element, self._mechanism = read_tree("dart", file, package_dirs, base, base_pose, ignore, surfaces)
        for joint in self._mechanism.joints:
            if joint.mimic is not None:
                raise UnsupportedError(
                    f"{file}: joint '{joint.name}' mimics joint '{joint.mimic.joint}', and DART's motors for that push "
                    "the follower without a reaction on the leader; use adapter mujoco, native or pinocchio"
                )

    @property
    def joint_names(self) -> list[str]:
        """Names of the joints with one degree of freedom."""
        return [joint.name for joint in self._mechanism.joints if joint.joint.ndof == 1]

    def build(self, setup: RobotSetup) -> DrivenModel:
        """The finished world.

        Raises:
            AdapterError: DART cannot read the file or a mesh, or two bodies have the same name.
            MeshError: Repairs are refused, and a mesh is open or has no volume.
            ModelError: Masses of the file are impossible.
            UnsupportedError: A joint, a shape, a setting or the integrator has no counterpart.
        """
        if setup.integrator not in ("Euler", "implicitfast"):
            raise UnsupportedError(
                f"integrator '{setup.integrator}' needs adapter native; with adapter dart use Euler or implicitfast"
            )
        if setup.armature:
            raise UnsupportedError("DART has no rotor inertia: leave out 'armature', or use adapter native")
        mechanism = self._mechanism
        for joint in mechanism.joints:
            if joint.parent == WORLD:
                joint.origin = setup.pose @ np.asarray(joint.origin)
            joint.damping = setup.damping.get(joint.name, joint.damping)
            joint.friction = setup.frictionloss.get(joint.name, joint.friction)
        mechanism.build()  # refuses impossible masses
        skeleton = make_skeleton(self._element, mechanism, self._file)
        for name, position in setup.start.items():
            skeleton.getJoint(name).setPosition(0, position)
        for name, velocity in setup.start_velocity.items():
            skeleton.getJoint(name).setVelocity(0, velocity)
        world = dartpy.simulation.World()
        world.setTimeStep(setup.dt)
        world.setGravity(setup.gravity)
        world.addSkeleton(skeleton)
        adapter = DartAdapter(
            world,
            friction=setup.friction_of(FRICTION),
            mesh_shape=setup.facets.mesh_shape,
            sections=setup.facets.sections,
            untouchable=carried_by_static(mechanism, static_names(mechanism)),
        )
        warn_beyond_limits(adapter, "DART pushes it back in the first steps")
        return self._driven(adapter, setup)

    def _driven(self, adapter: DartAdapter, setup: RobotSetup) -> DrivenModel:
        skeleton, order = adapter.world.getSkeleton(0), freedom_names(adapter.describe().joints)
        placed = {joint.name: joint for joint in self._mechanism.joints}
        damped = [
            (order.index(name), skeleton.getJoint(name), _number(placed[name], "damping"))
            for name in (actuator.joint for actuator in setup.actuators)
        ]

        def drive(force: Array, kd: Array) -> None:
            skeleton.setForces(adapter.motor_forces(force))
            for row, joint, own in damped:
                joint.setDampingCoefficient(0, own + kd[row])

        return DrivenModel(
            adapter,
            setup.actuators,
            drive,
            efforts={name: _number(placed[name], "effort") for name in self.joint_names},
            implicit=setup.integrator == "implicitfast",
        )


def _number(joint: PlacedJoint, name: str) -> float:
    """A property of a joint with one degree of freedom."""
    return float(np.ravel(getattr(joint, name))[0])
