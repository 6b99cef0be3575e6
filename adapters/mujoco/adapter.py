"""A MuJoCo model as one side of the coupling."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import mujoco
import numpy as np
from ipc_articulation.adapters.around import predicted
from ipc_articulation.adapters.mujoco import prediction, setting
from ipc_articulation.adapters.mujoco.batch import MujocoBatch
from ipc_articulation.adapters.mujoco.constraint_forces import put_constraint_forces
from ipc_articulation.adapters.mujoco.description import describe, describe_joints
from ipc_articulation.adapters.mujoco.edits import Edits
from ipc_articulation.adapters.mujoco.force_sensors import ForceSensors
from ipc_articulation.adapters.mujoco.kinematics import link_poses, positions
from ipc_articulation.adapters.mujoco.selection import Names, select
from ipc_articulation.adapters.mujoco.state_steps import StateSteps
from ipc_articulation.adapters.mujoco.step_ratio import step_count
from ipc_articulation.adapters.mujoco.support import refuse_forces_on_free, refuse_unsupported, report_without_effect
from ipc_articulation.adapters.mujoco.touched_bodies import TouchedBodies

from ipc_articulation.arguments import checked, instance, optional, several
from ipc_articulation.arrays import Array, Ints
from ipc_articulation.coupling.adapter import CoupledRobot, Prediction, StepForces
from ipc_articulation.coupling.kinds import freedom_names
from ipc_articulation.coupling.solids import FACETS, Facets, MeshShape
from ipc_articulation.errors import AdapterError

_NO_GRAVITY = int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)


class MujocoAdapter:
    """Couples a MuJoCo model and its state to an IPC scene.

    By default the whole model takes part. Bodies with joints are links, moved by MuJoCo and corrected by IPC; so is a
    body with a free joint that carries further joints (the floating base of a robot), or on which the model acts by
    actuators, tendons, equalities, springs, damping or gravity compensation. Other bodies with a free joint are moved
    by IPC, and their poses and velocities are written into `data`. Bodies welded to the world are fixed, their planes
    are half-planes, and each geom of the world itself is a fixed body called `world/<geom>`. Mocap bodies follow
    `mocap_pos` and `mocap_quat` in each step, and push what is in their way. Bodies without a joint become part of the
    link to which they are welded. Geoms with contype and conaffinity zero are for display and are left out, except
    those of contact pairs.

    IPC computes the contact between these bodies. MuJoCo's own contact is disabled for them during a step, so that an
    ignored body touches none of them. Parameters of MuJoCo's soft contact (solref, solimp, margin, gap) have no effect
    in IPC. If the scene's dt is k times `opt.timestep`, a step of the scene has k steps of MuJoCo.

    Between steps `model` and `data` may be edited: gains, damping, masses of links, positions and velocities of their
    joints. An edit of the data from which the scene was built (shapes, placements, free bodies, gravity) is refused by
    name at the next step, as is a time step that does not fit the scene's; docs/limits.md has the table.

    Args:
        model: MuJoCo model, integrator Euler or implicitfast.
        data: Its state; controls and forces set by the user before a step are used in it.
        links: Names of bodies whose trees take part as links; None: all trees with joints, except free bodies.
        free: Names of bodies that IPC moves; None: all with a free joint alone, except those on which the model acts.
        static: Names of static bodies, «world» for the world's own geoms; None: all of them.
        ignore: Names of bodies that are left out; for a moving body its whole tree.
        mesh_shape: «mesh» takes the triangles of mesh geoms, open ones closed (a repair); «hull» their convex hull.
        sections: Flat sides around round geoms, which then roll as these do; None: inscribed polyhedra of few.

    Raises:
        AdapterError: An argument is unknown or of another type, the state is of another model, or a name is no body of
            the model, or a body of another kind.
        UnsupportedError: The model contains something that the coupling does not support.
    """

    @checked(
        AdapterError,
        model=instance(mujoco.MjModel),
        data=instance(mujoco.MjData),
        links=optional(several(str)),
        free=optional(several(str)),
        static=optional(several(str)),
        ignore=several(str),
        mesh_shape=FACETS["mesh_shape"],
        sections=FACETS["sections"],
    )
    def __init__(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        *,
        links: Names = None,
        free: Names = None,
        static: Names = None,
        ignore: Collection[str] = (),
        mesh_shape: MeshShape = "mesh",
        sections: int | None = None,
    ) -> None:
        _require_state_of(model, data)
        self.model, self.data = model, data
        selection = select(model, links, free, static, ignore)
        refuse_unsupported(model, selection)
        refuse_forces_on_free(model, data, selection)
        report_without_effect(model, selection)
        self._steps = steps = StateSteps(model, data, selection)
        self._alone = MujocoBatch([steps])
        self._facets = Facets(mesh_shape, sections)
        self._sensors = ForceSensors(model, TouchedBodies(model, selection, steps.joints, self._facets))
        self.feels = self._sensors.are_there

    @property
    def dt(self) -> float:
        """Time step of the scene [s]; before the adapter is coupled, that of the model."""
        return float(self.model.opt.timestep) if self._steps.dt is None else self._steps.dt

    @property
    def step_count(self) -> int:
        """The number of MuJoCo's steps in one step of the scene.

        Raises:
            AdapterError: It is no whole number.
        """
        return self._steps.count

    def follow_time_step(self, dt: float) -> None:
        """Take as many steps of MuJoCo at once as a step of the scene of dt [s] has.

        Raises:
            AdapterError: dt is no whole multiple of `opt.timestep`; the message has the nearest values that fit.
        """
        if dt != self.model.opt.timestep:
            step_count(dt, float(self.model.opt.timestep))
        self._steps.dt = dt

    @property
    def moved_state(self) -> mujoco.MjData:
        """The state that `commit` changes."""
        return self.data

    @property
    def gravity(self) -> Array:
        """Gravity, (3,) [m/s²]; zero if the model disables it."""
        off = self.model.opt.disableflags & _NO_GRAVITY
        return np.zeros(3) if off else self.model.opt.gravity.copy()

    @staticmethod
    def batch_of(adapters: Sequence[MujocoAdapter]) -> MujocoBatch | None:
        """A batch of states of one model of which the same bodies take part; None for others."""
        first, *others = states = [adapter._steps for adapter in adapters]
        is_one = all(own.model is first.model and own.selection == first.selection for own in others)
        return MujocoBatch(states) if is_one else None

    @property
    def joint_ids(self) -> tuple[int, ...]:
        """Numbers of the coupled joints in the model, in the order of their positions, (m,)."""
        return self._steps.joints.ids

    @property
    def dofs(self) -> Ints:
        """Addresses of the coupled joints' degrees of freedom in `qvel`, (F,)."""
        return self._steps.joints.dofs

    @property
    def freedom_names(self) -> list[str]:
        """Names of those degrees of freedom, (F,), as in `coupling.joint_names`."""
        return list(freedom_names(describe_joints(self.model, self._steps.present(), self._steps.joints)))

    def describe(self, by_geom: bool = True) -> CoupledRobot:
        """The model at its present state.

        Args:
            by_geom: Whether friction is that of geoms; False: a body has the largest of its geoms, with a warning.

        Raises:
            MeshError: Repairs are refused, and a mesh is open or has no volume.
            UnsupportedError: A geom's shape has no closed surface.
        """
        steps = self._steps
        steps.edits = Edits(self.model, self.data, steps.selection)
        return describe(self.model, steps.present(), steps.selection, steps.joints, self._facets, by_geom)

    def predict(self) -> Prediction:
        """M̂, δθ̃ and link poses of MuJoCo's own steps from the present state; `model` and `data` do not change.

        Raises:
            AdapterError: MuJoCo's step is unstable, a field from which the scene was built was edited, the limits of
                a joint are no interval, or the time step does not fit the scene's any more.
            UnsupportedError: A force is applied to a free body, or an edit of the model is not supported.
        """
        return self._alone.predict().of(0)

    def commit(self, delta_theta: Array, free_poses: Array, free_velocities: Array) -> None:
        """Take MuJoCo's predicted steps with IPC's correction, and update `data` (`mj_forward`).

        The joints move by δθ, and their velocities gain what a force gives them that moves them by δθ-δθ̃ in
        these steps (see `response`), in a single one (δθ-δθ̃)/dt; the rest of the state is MuJoCo's, see `integrated`.

        Args:
            delta_theta: δθ of the joints' degrees of freedom, (F,) [rad or m].
            free_poses: Poses of the free bodies after the step, (f, 4, 4), rigid.
            free_velocities: Rates of those poses, (f, 4, 4).

        Raises:
            AdapterError: Nothing was predicted since the last commit.
        """
        self._alone.commit(delta_theta[None], free_poses[None], free_velocities[None])

    def feel(self, forces: StepForces) -> None:
        """Update what MuJoCo computes from forces of the step that was committed: see `feels`."""
        steps, m = self._steps, len(forces.limit_force)
        rows = predicted(steps.taken).own.rows[: m - len(self.dofs)]
        put_constraint_forces(self.model, (self.data, steps.scratch), steps.joints, rows, forces)
        self._sensors.read(self.data, forces)

    def link_poses(self) -> Array:
        """Forward kinematics of the links at the present state, (n, 4, 4)."""
        return link_poses(self.model, self._steps.present(), self._steps.joints, self.data.qpos)

    def theta(self) -> Array:
        """Joint positions, (F,) [rad or m]: position and rotation vector of a free joint, that of a ball joint."""
        return positions(self.model, self._steps.joints, self.data.qpos)

    def theta_dot(self) -> Array:
        """Joint velocities, (F,) [rad/s or m/s]."""
        return self.data.qvel[self._steps.joints.dofs]

    def limits(self) -> Array:
        """Lowest and highest position of each degree of freedom, (F, 2) [rad or m]; -inf and inf without limits."""
        return setting.limits(self.model, self._steps.joints)

    def link_motion(self, theta: Array, theta_dot: Array) -> tuple[Array, Array]:
        """Poses of the links with other positions and velocities of the joints, (F,), and the rates of these poses.

        Returns:
            (n, 4, 4) each; `data` does not change.
        """
        still, joints = self._steps.still, self._steps.joints
        prediction.copy_state(self.model, self.data, still)
        setting.write_joints(self.model, still, joints, theta, theta_dot)
        mujoco.mj_kinematics(self.model, still)
        mujoco.mj_comPos(self.model, still)
        mujoco.mj_comVel(self.model, still)
        poses = link_poses(self.model, still, joints, still.qpos)
        return poses, setting.link_rates(self.model, still, joints, poses)

    def set_state(self, motion: tuple[Array, Array] | None, free_poses: Array, free_velocities: Array) -> None:
        """Set the state of joints and free bodies, without the solver's warm start, and update `data` (`mj_forward`).

        Time, controls, activations and mocap bodies stay as they are.

        Args:
            motion: Positions and velocities of the joints' degrees of freedom, (F,) each; None: as they are.
            free_poses: Poses of the free bodies, (f, 4, 4), rigid.
            free_velocities: Rates of those poses, (f, 4, 4).
        """
        if motion is not None:
            setting.write_joints(self.model, self.data, self._steps.joints, *motion)
        self._steps.write_free(free_poses, free_velocities)
        self.data.qacc_warmstart[:] = 0.0
        self._steps.set()

    def state(self) -> dict[str, Array]:
        """MuJoCo's integration state: positions, velocities, activations, controls, forces, warm start; and time."""
        spec = mujoco.mjtState.mjSTATE_INTEGRATION
        values = np.empty(mujoco.mj_stateSize(self.model, spec))
        mujoco.mj_getState(self.model, self.data, values, spec)
        return {"mujoco": values}

    def restore(self, state: Mapping[str, Array]) -> None:
        """Restore a state of `state`, and update `data` (`mj_forward`).

        Raises:
            AdapterError: The state is that of another model.
        """
        values, spec = state["mujoco"], mujoco.mjtState.mjSTATE_INTEGRATION
        if len(values) != (size := mujoco.mj_stateSize(self.model, spec)):
            raise AdapterError(f"the state is of another model: it has {len(values)} numbers, this model's has {size}")
        mujoco.mj_setState(self.model, self.data, values, spec)
        self._steps.set()


def _require_state_of(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Refuse a state whose arrays are not those of the model; MuJoCo would read beyond their ends."""
    if data.signature != model.signature:
        raise AdapterError(
            "MujocoAdapter: data is the state of another model, whose parts are others; give mujoco.MjData(model)"
        )
