"""A model of our own dynamics from a robot's file and what a scene file says of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from ipc_articulation.adapters.native.adapter import NativeAdapter
from ipc_articulation.adapters.native.base import Around
from ipc_articulation.adapters.native.driven_model import Actuator, DrivenModel
from ipc_articulation.adapters.native.file_pins import file_pins
from ipc_articulation.adapters.native.loop_adapter import LoopAdapter
from ipc_articulation.adapters.native.pins import Pin
from ipc_articulation.adapters.native.robot import read_robot
from ipc_articulation.adapters.native.scene_loops import Loop, closed_start, scene_loop, scene_pin
from ipc_articulation.adapters.native.static_links import static_names
from numpy.typing import ArrayLike

from ipc_articulation import spatial
from ipc_articulation.coupling.solids import MeshShape
from ipc_articulation.dynamics.integrators import Scheme
from ipc_articulation.dynamics.model import PlacedJoint
from ipc_articulation.errors import AdapterError
from ipc_articulation.naming import matching


class SceneModel:
    """A model that grows piece by piece, then is compiled once.

    Args:
        robot: URDF (.urdf) or OpenSim (.osim) file, or MJCF file where MuJoCo is installed.
        package_dirs: Folders in which the robot's `package://NAME/...` meshes are looked up.
        dt: Time step [s].
        gravity: (3,) [m/s²].
        integrator: `Euler`, `implicitfast` or `implicit`.

    Raises:
        AdapterError, MeshError, ModelError, UnsupportedError: What is wrong with the file, see `read_robot`.
    """

    def __init__(
        self, robot: Path, package_dirs: Collection[Path], dt: float, gravity: ArrayLike, integrator: str
    ) -> None:
        self._robot = read_robot(robot, package_dirs)
        self._robot.mechanism.gravity = gravity
        self._dt, self._scheme = dt, Scheme(integrator)
        self._actuators: list[Actuator] = []
        self._loops: list[Loop] = []
        self._pins: list[Pin] = []
        self._start_velocity: dict[str, float] = {}
        self._mesh_shape: MeshShape = "mesh"

    @property
    def joint_names(self) -> list[str]:
        """Names of the degrees of freedom: the joint's, with a number where it has several."""
        return [name for name, _, _ in self._dofs()]

    def place_robot(self, position: ArrayLike, quaternion: ArrayLike) -> None:
        """Move everything that the robot's file puts into the world: position (3,) [m], quaternion (w, x, y, z)."""
        self._robot.move(spatial.pose(spatial.rotation_from_quaternion(quaternion), position))

    def set_armature(self, armature: float, joints: str = ".*") -> None:
        """Rotor inertia of joints by regular expression, of all degrees of freedom of each [kg·m² or kg].

        Raises:
            AdapterError: No joint has such a name.
        """
        for joint in self._matching(joints):
            joint.rotor_inertia = armature

    def set_damping(self, damping: float, joints: str = ".*") -> None:
        """Viscous damping of joints by regular expression, of all degrees of freedom of each [N·m·s/rad or N·s/m].

        Raises:
            AdapterError: No joint has such a name.
        """
        for joint in self._matching(joints):
            joint.damping = damping

    def set_friction(self, friction: float) -> None:
        """Coulomb coefficient of every surface that the robot's file brings."""
        self._robot.set_friction(friction)

    def set_default_friction(self, friction: float) -> None:
        """Coulomb coefficient of every surface whose own is not in the robot's file, or is 1, MuJoCo's default."""
        self._robot.set_default_friction(friction)

    def use_hulls(self) -> None:
        """Take convex hulls for the meshes of links."""
        self._mesh_shape = "hull"

    def add_position_actuators(
        self, joints: str | Sequence[str], kp: float, kv: float, max_force: float | None = None
    ) -> None:
        """Actuators with force kp·(target - θ) - kv·θ̇, for joints by regular expression or by name.

        Raises:
            AdapterError: No joint has such a name, or it has an actuator already.
        """
        for index in matching(joints, self.joint_names, "joint", AdapterError):
            name = self.joint_names[index]
            if name in [actuator.joint for actuator in self._actuators]:
                raise AdapterError(f"joint '{name}' has an actuator already; adapter native takes one a joint")
            self._actuators.append(Actuator(name, kp, kv, np.inf if max_force is None else max_force))

    def start_at(self, positions: Mapping[str, float]) -> None:
        """Initial joint positions by name [rad or m].

        Raises:
            AdapterError: No joint has such a name.
        """
        matching(tuple(positions), self.joint_names, "joint", AdapterError)
        self._robot.start.update(positions)

    def start_moving(self, velocities: Mapping[str, float]) -> None:
        """Initial joint velocities by name [rad/s or m/s].

        Raises:
            AdapterError: No joint has such a name.
        """
        matching(tuple(velocities), self.joint_names, "joint", AdapterError)
        self._start_velocity.update(velocities)

    def add_loop(self, loop: Mapping[str, Any]) -> None:
        """A loop of joints: `type`, `joints` and numbers as in a scene file.

        Raises:
            AdapterError: No joint has such a name, or the type is unknown.
            ModelError: The numbers do not fit.
        """
        matching(loop["joints"], self.joint_names, "joint", AdapterError)
        self._loops.append(scene_loop(loop))

    def add_pin(self, pin: Mapping[str, Any]) -> None:
        """A hinge that closes a loop between two links, as in a scene file."""
        self._pins.append(scene_pin(pin))

    def compile(self) -> DrivenModel:
        """The finished model.

        Raises:
            AdapterError: Pins do not close the loops, or two bodies have the same name.
            MeshError, ModelError, UnsupportedError: What is wrong with the robot.
            StateError: A loop cannot be closed from where its joints start.
        """
        robot = self._robot
        self._limit_efforts()
        model = robot.mechanism.build(unphysical=robot.unphysical)
        q = model.neutral
        for name, position in robot.start.items():
            q[model.dof_names.index(name)] = position
        v = np.zeros(model.nv)
        for name, velocity in self._start_velocity.items():
            v[model.dof_names.index(name)] = velocity
        around: Around = {
            "static": robot.static,
            "planes": robot.planes,
            "friction": robot.friction,
            "untouchable": robot.untouchable,
            "mesh_shape": self._mesh_shape,
        }
        loops = [*((tuple(names), constraint) for names, constraint in robot.loops), *self._loops]
        if not (loops or self._pins):
            return DrivenModel(NativeAdapter(model, self._dt, q=q, v=v, scheme=self._scheme, **around), self._actuators)
        if self._start_velocity:
            raise AdapterError("a robot with loops starts at rest; leave out initial_velocity")
        looped, x = closed_start(model, loops, q)
        pins = [*self._pins, *file_pins(looped, x, robot.meetings, static_names(robot.mechanism))]
        adapter = LoopAdapter(looped, self._dt, x, pins, scheme=self._scheme, **around)
        return DrivenModel(adapter, self._actuators)

    def _limit_efforts(self) -> None:
        """Let no joint push harder than its actuator."""
        places = {name: (joint, k) for name, joint, k in self._dofs()}
        for actuator in self._actuators:
            joint, k = places[actuator.joint]
            effort = np.broadcast_to(joint.effort, joint.joint.ndof).copy()
            effort[k] = min(effort[k], actuator.max_force)
            joint.effort = effort

    def _matching(self, pattern: str) -> list[PlacedJoint]:
        """Joints of which any degree of freedom matches."""
        dofs = list(self._dofs())
        found = matching(pattern, [name for name, _, _ in dofs], "joint", AdapterError)
        return list({dofs[index][1].name: dofs[index][1] for index in found}.values())

    def _dofs(self) -> Iterator[tuple[str, PlacedJoint, int]]:
        """Name, joint and number in it of every degree of freedom, named as the model names them."""
        for joint in self._robot.mechanism.joints:
            count = joint.joint.ndof
            for k in range(count):
                yield joint.name if count == 1 else f"{joint.name}[{k}]", joint, k
