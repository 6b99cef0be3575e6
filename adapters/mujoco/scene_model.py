"""A MuJoCo model from a robot's file and a scene file's settings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path

import mujoco
import numpy as np
from ipc_articulation.adapters.limits import warn_beyond_limits
from ipc_articulation.adapters.mujoco.adapter import MujocoAdapter
from ipc_articulation.adapters.mujoco.compiling import compiled
from ipc_articulation.adapters.mujoco.model import load_spec
from ipc_articulation.adapters.mujoco.scene_actuators import add_actuators
from ipc_articulation.adapters.mujoco.scene_options import prepare_spec
from ipc_articulation.adapters.mujoco.servos import hold, servos, speed_servos
from ipc_articulation.adapters.mujoco.urdf import alone
from numpy.polynomial import Polynomial

from ipc_articulation import spatial
from ipc_articulation.arrays import Array, Ints
from ipc_articulation.coupling.followers import AGREES, Follower, aimed, started, ties
from ipc_articulation.coupling.robots import RobotSetup
from ipc_articulation.coupling.solids import PLAIN, Facets
from ipc_articulation.dynamics.reading.mujoco.actuators import acting, block, joint_of
from ipc_articulation.dynamics.reading.mujoco.names import name_of, reference_positions
from ipc_articulation.dynamics.reading.repairing import Surfaces
from ipc_articulation.errors import AdapterError
from ipc_articulation.repairs import caution

_INTEGRATORS = {
    "Euler": mujoco.mjtIntegrator.mjINT_EULER,
    "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
}
_DRIVEN = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)
_PLACED = ("bodies", "frames", "geoms", "sites", "cameras", "lights")  # what a world body has


class SceneModel:
    """A robot's file read by MuJoCo, see `coupling.robots.RobotFile`.

    Raises:
        AdapterError: The file cannot be read, a mesh of it is missing, or an argument does not fit the file.
    """

    takes = ("base", "base_pose", "ignore", "substeps", "surfaces")

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
        self.spec, self._file = load_spec(file, package_dirs, surfaces), file
        self._ignored = prepare_spec(self.spec, str(file), base, base_pose, ignore)
        self._joints = {joint.name: joint for joint in self.spec.joints if joint.type in _DRIVEN}

    @property
    def joint_names(self) -> list[str]:
        """Names of the hinge and slide joints."""
        return list(self._joints)

    def build(self, setup: RobotSetup) -> DrivenMujocoModel:
        """The compiled model.

        Raises:
            AdapterError: MuJoCo cannot compile the model.
            StartError: A joint starts elsewhere than an equality with another one puts it.
        """
        self._configure(setup)
        self._place(setup.pose)
        self._model = compiled(self.spec, self._file)
        return self.again(setup)

    def again(self, setup: RobotSetup) -> DrivenMujocoModel:
        """Another state of the model, see `coupling.robots.MakesMore`.

        Raises:
            StartError: As for `build`.
        """
        model = copy(self._model) if setup.has_own_model else self._model
        data = mujoco.MjData(model)
        start, start_velocity = started(_followers(model), reference_positions(model), setup)
        for name, position in start.items():
            data.qpos[model.joint(name).qposadr[0]] = position
        for name, velocity in start_velocity.items():
            data.qvel[model.joint(name).dofadr[0]] = velocity
        mujoco.mj_forward(model, data)
        _warn_of_violations(model, data)
        driven = DrivenMujocoModel(model, data, setup.facets, self._ignored, self._damping_gains)
        warn_beyond_limits(driven.adapter, "MuJoCo pushes it back in the first steps")
        return driven

    def _damping_gains(self, armature: Mapping[str, float]) -> tuple[Ints, Array]:
        """Numbers of the actuators with a damping ratio, and the gains that it makes of an armature by joint."""
        self._set_armature(armature)
        ratio = np.flatnonzero([actuator.biasprm[2] > 0.0 for actuator in self.spec.actuators])
        return ratio, compiled(self.spec, self._file).actuator_biasprm[ratio, 2] if len(ratio) else np.empty(0)

    def _set_armature(self, armature: Mapping[str, float]) -> None:
        for name, inertia in armature.items():
            self._joints[name].armature = inertia

    def _configure(self, setup: RobotSetup) -> None:
        option = self.spec.option
        option.timestep, option.gravity = setup.dt / setup.substeps, setup.gravity
        option.integrator = _INTEGRATORS[setup.integrator]
        for geom in self.spec.geoms:
            geom.friction[0] = setup.friction_of(geom.friction[0])
        for pair in self.spec.pairs:
            pair.friction[:2] = [setup.friction_of(friction) for friction in pair.friction[:2]]
        option.o_friction[:2] = [setup.friction_of(friction) for friction in option.o_friction[:2]]
        self._set_armature(setup.armature)
        for name, friction in setup.frictionloss.items():
            self._joints[name].frictionloss = friction
        for name, damping in setup.damping.items():
            self._joints[name].damping = alone(damping, self._joints[name].damping)
        add_actuators(self.spec, setup.actuators)

    def _place(self, pose: Array) -> None:
        """Move the content of the world, by a frame around it."""
        world = self.spec.worldbody
        content = [element for kind in _PLACED for element in getattr(world, kind)]
        outermost = [element for element in content if element.parent == world and element.frame is None]
        frame = world.add_frame(pos=pose[:3, 3], quat=spatial.quaternion_from_rotation(pose[:3, :3]))
        for element in outermost:
            element.set_frame(frame)


class DrivenMujocoModel:
    """A compiled model, see `coupling.robots.DrivenRobot` and `Retunes`."""

    def __init__(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        facets: Facets = PLAIN,
        ignore: Collection[str] = (),
        damping_gains: Callable[[Mapping[str, float]], tuple[Ints, Array]] | None = None,
    ) -> None:
        self.model, self.data, self._damping_gains = model, data, damping_gains
        self.adapter = MujocoAdapter(model, data, mesh_shape=facets.mesh_shape, sections=facets.sections, ignore=ignore)
        joints = self.adapter.joint_ids
        self.joints, self._dofs = self.adapter.freedom_names, self.adapter.dofs
        efforts = _efforts(model)
        self.efforts = np.array([efforts.get(name, np.inf) for name in self.joints])
        holding = servos(model)
        positions = [servo for servo in holding if servo.joint in joints]
        driven = list(dict.fromkeys(servo.joint for servo in positions))
        self.actuated = [name_of(model, "joint", joint) for joint in driven]
        self.start = data.qpos[model.jnt_qposadr[driven]]
        turning = [servo for servo in speed_servos(model) if servo.joint in joints and servo.joint not in driven]
        speeds = list(dict.fromkeys(servo.joint for servo in turning))
        self.speeds = frozenset(name_of(model, "joint", joint) for joint in speeds)
        self.actuated += [name_of(model, "joint", joint) for joint in speeds]
        self._ties = ties(_followers(model), self.actuated, self.speeds)
        taking, places = [*positions, *turning], [*driven, *speeds]
        self._controls = [block(model, "ctrl", servo.number).start for servo in taking]
        self._slopes, self._offsets = np.array([(s.slope * s.gear, s.offset) for s in taking]).reshape(-1, 2).T
        self._targets = [places.index(servo.joint) for servo in taking]
        hold(model, data, holding, driven)
        kept = dict(zip(self._targets, data.ctrl[self._controls] / self._slopes, strict=True))  # of a keyframe
        self.start = np.append(self.start, [kept[k] for k in range(len(driven), len(places))])

    def command(self, targets: Array) -> None:
        """Set the targets of the actuated joints, (k,) [rad or m; of `speeds` per s]; see `aimed` for ties.

        The control of a motor with a gear is larger.
        """
        aims = aimed(self._ties, self.start, np.asarray(targets))
        self.data.ctrl[self._controls] = self._slopes * aims[self._targets] + self._offsets

    def push(self, forces: Array) -> None:
        """Set forces on all joints besides those of their actuators, (m,) [N·m or N]."""
        self.data.qfrc_applied[self._dofs] = forces

    @property
    def tunable(self) -> list[str]:
        """Names of the hinge and slide joints."""
        joints = np.flatnonzero(np.isin(self.model.jnt_type, _DRIVEN))
        return [name_of(self.model, "joint", joint) for joint in joints]

    def retune(self, setup: RobotSetup) -> None:
        """Take armature, damping, friction loss and the gains of the scene's actuators, the last ones of the model."""
        model = self.model
        for key in ("armature", "damping", "frictionloss"):
            for name, value in getattr(setup, key).items():
                getattr(model, f"dof_{key}")[model.joint(name).dofadr[0]] = value
        for number, actuator in enumerate(setup.actuators, len(model.actuator_trntype) - len(setup.actuators)):
            model.actuator_gainprm[number, 0] = actuator.kp or actuator.kv
            model.actuator_biasprm[number, 1:3] = -actuator.kp, -actuator.kv
        if setup.armature:
            mujoco.mj_setConst(model, mujoco.MjData(model))  # inverse inertias, by which limits are soft
            if self._damping_gains is not None:
                ratio, gains = self._damping_gains(setup.armature)
                model.actuator_biasprm[ratio, 2] = gains


def _followers(model: mujoco.MjModel) -> Iterator[Follower]:
    """Joints that active equalities tie to another one, y - y₀ = Σ aₖ (x - x₀)ᵏ with x₀ and y₀ of `qpos0`."""
    for e in np.flatnonzero((model.eq_type == mujoco.mjtEq.mjEQ_JOINT) & (model.eq_active0 != 0)):
        joint, leader = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
        if leader >= 0:
            y0, x0 = model.qpos0[model.jnt_qposadr[[joint, leader]]]
            position = y0 + Polynomial(model.eq_data[e, :5])(Polynomial([-x0, 1.0]))
            yield Follower(name_of(model, "joint", joint), name_of(model, "joint", leader), position)


def _efforts(model: mujoco.MjModel) -> dict[str, float]:
    """Largest force of an actuator on each hinge and slide [N·m or N], by the limits of both."""
    efforts: dict[str, float] = {}
    for actuator in acting(model):
        if (joint := joint_of(model, actuator)) < 0:
            continue
        gear = model.actuator_gear[block(model, "out", actuator).start, 0]
        limited = model.actuator_forcelimited[actuator]
        own = np.abs(gear * model.actuator_forcerange[actuator]).tolist() if limited else [np.inf]
        if model.jnt_actfrclimited[joint]:
            own += np.abs(model.jnt_actfrcrange[joint]).tolist()
        name = name_of(model, "joint", joint)
        efforts[name] = min(*own, efforts.get(name, np.inf))
    return efforts


def _warn_of_violations(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Warn of active equalities that the start violates: MuJoCo pulls the robot to them in the first steps."""
    beyond = np.abs(data.efc_pos[: data.ne])
    for equality in np.unique(data.efc_id[: data.ne][beyond > AGREES]):
        amount = beyond[data.efc_id[: data.ne] == equality].max()
        caution(
            f"{_equality(model, int(equality))} is violated by {amount:.3g} (m or rad) at the start: MuJoCo pulls the "
            "robot to it in the first steps; set 'initial' under 'robot' to positions that satisfy it",
            AdapterError,
        )


def _equality(model: mujoco.MjModel, equality: int) -> str:
    """An equality by its name, and its joints by theirs."""
    name = f"equality '{name_of(model, 'equality', equality)}'"
    if model.eq_type[equality] != mujoco.mjtEq.mjEQ_JOINT:
        return name
    joints = (joint for joint in (model.eq_obj1id[equality], model.eq_obj2id[equality]) if joint >= 0)
    return f"{name} of joint {' and '.join(repr(name_of(model, 'joint', joint)) for joint in joints)}"
