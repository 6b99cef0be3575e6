"""A MuJoCo model from a robot's file and what a scene file says of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.adapter import MujocoAdapter
from ipc_articulation.adapters.mujoco.model import load_spec
from numpy.typing import ArrayLike, NDArray

from ipc_articulation.coupling.solids import MeshShape
from ipc_articulation.dynamics.reading.mujoco.names import name_of
from ipc_articulation.errors import AdapterError
from ipc_articulation.naming import matching

Array = NDArray[np.float64]

_INTEGRATORS = {
    "Euler": mujoco.mjtIntegrator.mjINT_EULER,
    "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
}
_DEFAULT_FRICTION = 1.0  # of a geom that says nothing
_DRIVEN = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)


class SceneModel:
    """A model that grows piece by piece, then is compiled once.

    Args:
        robot: URDF or MJCF file.
        package_dirs: Folders in which the robot's `package://NAME/...` meshes are looked up.
        dt: Time step [s].
        gravity: (3,) [m/s²].
        integrator: `Euler` or `implicitfast`.

    Raises:
        AdapterError: The file cannot be read, or a mesh of it is missing.
    """

    def __init__(
        self, robot: Path, package_dirs: Collection[Path], dt: float, gravity: ArrayLike, integrator: str
    ) -> None:
        self.spec = load_spec(robot, package_dirs)
        self.spec.option.timestep = dt
        self.spec.option.gravity = np.asarray(gravity, dtype=float)
        self.spec.option.integrator = _INTEGRATORS[integrator]
        self._joints = [joint for joint in self.spec.joints if joint.type in _DRIVEN]
        self._start: dict[str, float] = {}
        self._start_velocity: dict[str, float] = {}
        self._mesh_shape: MeshShape = "mesh"

    @property
    def joint_names(self) -> list[str]:
        """Names of the hinge and slide joints."""
        return [joint.name for joint in self._joints]

    def place_robot(self, position: ArrayLike, quaternion: ArrayLike) -> None:
        """Move everything that the robot's file puts into the world: position (3,) [m], quaternion (w, x, y, z)."""
        p, q = np.asarray(position, dtype=float), np.asarray(quaternion, dtype=float)
        for element in [*_direct(self.spec.worldbody.bodies), *self.spec.worldbody.geoms]:
            moved, turned = np.zeros(3), np.zeros(4)
            mujoco.mju_rotVecQuat(moved, np.array(element.pos), q / np.linalg.norm(q))
            mujoco.mju_mulQuat(turned, q / np.linalg.norm(q), np.array(element.quat))
            element.pos, element.quat = p + moved, turned

    def set_armature(self, armature: float, joints: str = ".*") -> None:
        """Rotor inertia of joints by regular expression [kg·m² or kg].

        Raises:
            AdapterError: No joint has such a name.
        """
        for joint in self._matching(joints):
            joint.armature = armature

    def set_damping(self, damping: float, joints: str = ".*") -> None:
        """Viscous damping of joints by regular expression [N·m·s/rad or N·s/m].

        Raises:
            AdapterError: No joint has such a name.
        """
        for joint in self._matching(joints):
            joint.damping = _linear(damping, np.shape(joint.damping))

    def set_friction(self, friction: float) -> None:
        """Coulomb coefficient of every surface there is so far."""
        for geom in self.spec.geoms:
            geom.friction[0] = friction

    def set_default_friction(self, friction: float) -> None:
        """Coulomb coefficient of every surface there is so far whose own is 1, MuJoCo's default."""
        for geom in self.spec.geoms:
            if geom.friction[0] == _DEFAULT_FRICTION:
                geom.friction[0] = friction

    def use_hulls(self) -> None:
        """Take convex hulls for the meshes of links."""
        self._mesh_shape = "hull"

    def add_position_actuators(
        self, joints: str | Sequence[str], kp: float, kv: float, max_force: float | None = None
    ) -> None:
        """Actuators with force kp·(target - θ) - kv·θ̇, for joints by regular expression or by name.

        Raises:
            AdapterError: No joint has such a name.
        """
        for index in matching(joints, self.joint_names, "joint", AdapterError):
            actuator = self.spec.add_actuator(target=self.joint_names[index], trntype=mujoco.mjtTrn.mjTRN_JOINT)
            actuator.set_to_position(kp=kp, kv=kv)
            if max_force is not None:
                actuator.forcelimited, actuator.forcerange = True, [-max_force, max_force]

    def start_at(self, positions: Mapping[str, float]) -> None:
        """Initial joint positions by name [rad or m].

        Raises:
            AdapterError: No joint has such a name.
        """
        matching(tuple(positions), self.joint_names, "joint", AdapterError)
        self._start.update(positions)

    def start_moving(self, velocities: Mapping[str, float]) -> None:
        """Initial joint velocities by name [rad/s or m/s].

        Raises:
            AdapterError: No joint has such a name.
        """
        matching(tuple(velocities), self.joint_names, "joint", AdapterError)
        self._start_velocity.update(velocities)

    def compile(self) -> DrivenModel:
        """The finished model.

        Raises:
            AdapterError: With MuJoCo's own words.
        """
        try:
            model = self.spec.compile()
        except ValueError as error:
            raise AdapterError(f"MuJoCo cannot compile the model: {error}") from error
        data = mujoco.MjData(model)
        for name, position in self._start.items():
            data.qpos[model.joint(name).qposadr[0]] = position
        for name, velocity in self._start_velocity.items():
            data.qvel[model.joint(name).dofadr[0]] = velocity
        mujoco.mj_forward(model, data)
        return DrivenModel(model, data, self._mesh_shape)

    def _matching(self, joints: str) -> list[Any]:
        return [self._joints[index] for index in matching(joints, self.joint_names, "joint", AdapterError)]


class DrivenModel:
    """A compiled model whose position actuators take targets by joint.

    Attributes:
        adapter: For `couple`.
        actuated: Names of the k joints with a position actuator, in the order of `command`.
        start: Where those joints start, (k,) [rad or m].
        joints: Names of all m hinge and slide joints, in the order of `push`.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, mesh_shape: MeshShape = "mesh") -> None:
        self.model, self.data = model, data
        self.adapter = MujocoAdapter(model, data, mesh_shape=mesh_shape)
        self._controls = [a for a in range(model.nu) if _is_position_actuator(model, a)]
        joints = model.actuator_trnid[self._controls, 0]
        self.actuated = [name_of(model, "joint", int(joint)) for joint in joints]
        self.start = data.qpos[model.jnt_qposadr[joints]]
        driven = [joint for joint in range(model.njnt) if int(model.jnt_type[joint]) in _DRIVEN]
        self.joints = [name_of(model, "joint", joint) for joint in driven]
        self._dofs = model.jnt_dofadr[driven]

    def command(self, targets: Array) -> None:
        """Set the targets of the actuated joints, (k,) [rad or m]."""
        self.data.ctrl[self._controls] = targets

    def push(self, forces: Array) -> None:
        """Set forces on all joints besides those of their actuators, (m,) [N·m or N]."""
        self.data.qfrc_applied[self._dofs] = forces


def _linear(coefficient: float, shape: tuple[int, ...]) -> Array:
    """A damping without terms in |v| and v²; before MuJoCo 4 damping is one number, shape ()."""
    polynomial = np.zeros(shape)
    polynomial.flat[0] = coefficient
    return polynomial


def _direct(bodies: Sequence[Any]) -> list[Any]:
    """Bodies that stand in the world themselves, not on another body."""
    return [body for body in bodies if body.parent.name == "world"]


def _is_position_actuator(model: mujoco.MjModel, actuator: int) -> bool:
    """Whether an actuator's force is kp·(control - θ) - kv·θ̇ on one joint."""
    on_joint = model.actuator_trntype[actuator] == mujoco.mjtTrn.mjTRN_JOINT
    gain, bias = model.actuator_gainprm[actuator, 0], model.actuator_biasprm[actuator, 1]
    return bool(on_joint and gain > 0.0 and bias == -gain)
