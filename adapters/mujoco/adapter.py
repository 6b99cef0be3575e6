"""A MuJoCo model as one side of the coupling."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import mujoco
import numpy as np
from ipc_articulation.adapters.around import predicted
from ipc_articulation.adapters.mujoco import integrated, prediction, setting
from ipc_articulation.adapters.mujoco.batch import MujocoBatch
from ipc_articulation.adapters.mujoco.constraint_forces import put_constraint_forces
from ipc_articulation.adapters.mujoco.contacts import ContactsOff
from ipc_articulation.adapters.mujoco.description import describe, describe_joints, owned_geoms
from ipc_articulation.adapters.mujoco.edits import Edits
from ipc_articulation.adapters.mujoco.force_sensors import ForceSensors
from ipc_articulation.adapters.mujoco.kinematics import (
    displaced,
    link_poses,
    map_joints,
    mocap_poses,
    positions,
)
from ipc_articulation.adapters.mujoco.own_steps import OwnSteps, read_single, take_steps
from ipc_articulation.adapters.mujoco.read_step import StepArrays
from ipc_articulation.adapters.mujoco.selection import Names, select
from ipc_articulation.adapters.mujoco.step_ratio import step_count
from ipc_articulation.adapters.mujoco.support import (
    refuse_forces_on_free,
    refuse_passive_on_free,
    refuse_unsupported,
    report_without_effect,
)
from ipc_articulation.adapters.mujoco.taken_step import TakenStep, put_accelerations
from ipc_articulation.adapters.mujoco.touched_bodies import TouchedBodies
from ipc_articulation.adapters.mujoco.write_state import free_addresses, put_free, put_joints

from ipc_articulation.arguments import checked, instance, optional, several
from ipc_articulation.arrays import Array, Ints
from ipc_articulation.coupling.adapter import CoupledRobot, Prediction, StepForces
from ipc_articulation.coupling.kinds import freedom_names
from ipc_articulation.coupling.solids import FACETS, Facets, MeshShape
from ipc_articulation.errors import AdapterError

_NO_GRAVITY = int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)
_PHYSICS = int(mujoco.mjtState.mjSTATE_FULLPHYSICS)


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
        self._selection = select(model, links, free, static, ignore)
        refuse_unsupported(model, self._selection)
        refuse_forces_on_free(model, data, self._selection)
        report_without_effect(model, self._selection)
        self._joints = map_joints(model, self._selection.links)
        self.contacts_off = ContactsOff(model, owned_geoms(model, self._selection))
        self._facets = Facets(mesh_shape, sections)
        self._sensors = ForceSensors(model, TouchedBodies(model, self._selection, self._joints, self._facets))
        self.feels = self._sensors.are_there
        self._free_at = free_addresses(model, self._selection.free)
        self._free_dofs = (self._free_at[:, 1:] + np.arange(6)).ravel()
        self.scratch = mujoco.MjData(model)  # steps
        self._still = mujoco.MjData(model)  # kinematics of the present state
        self.noted: OwnSteps | None = None  # what is predicted
        self._taken: TakenStep | None = None  # what was committed last
        self.edits: Edits | None = None  # since the model was described
        self._dt: float | None = None  # of the scene's steps [s]; None: that of the model

    @property
    def dt(self) -> float:
        """Time step of the scene [s]; before the adapter is coupled, that of the model."""
        return float(self.model.opt.timestep) if self._dt is None else self._dt

    @property
    def step_count(self) -> int:
        """The number of MuJoCo's steps in one step of the scene.

        Raises:
            AdapterError: It is no whole number.
        """
        return step_count(self.dt, float(self.model.opt.timestep))

    def follow_time_step(self, dt: float) -> None:
        """Take as many steps of MuJoCo at once as a step of the scene of dt [s] has.

        Raises:
            AdapterError: dt is no whole multiple of `opt.timestep`; the message has the nearest values that fit.
        """
        step_count(dt, float(self.model.opt.timestep))
        self._dt = dt

    @property
    def moved_state(self) -> mujoco.MjData:
        """The state that `commit` changes."""
        return self.data

    @property
    def gravity(self) -> Array:
        """Gravity, (3,) [m/s²]; zero if the model disables it."""
        off = self.model.opt.disableflags & _NO_GRAVITY
        return np.zeros(3) if off else self.model.opt.gravity.copy()

    @property
    def aims(self) -> Array:
        """Poses of the mocap bodies at the beginning of the predicted step, (k, 4, 4)."""
        return mocap_poses(self.scratch, self._selection.mocap)

    def step_arrays(self, states: int) -> StepArrays:
        """Arrays for the single steps of some states."""
        return StepArrays.empty(states, self._joints)

    @staticmethod
    def batch_of(adapters: Sequence[MujocoAdapter]) -> MujocoBatch | None:
        """A batch of states of one model of which the same bodies take part; None for others."""
        first = adapters[0]
        is_one = all(adapter.model is first.model and adapter._selection == first._selection for adapter in adapters)
        return MujocoBatch(adapters) if is_one else None

    @property
    def joint_ids(self) -> tuple[int, ...]:
        """Numbers of the coupled joints in the model, in the order of their positions, (m,)."""
        return self._joints.ids

    @property
    def dofs(self) -> Ints:
        """Addresses of the coupled joints' degrees of freedom in `qvel`, (F,)."""
        return self._joints.dofs

    @property
    def freedom_names(self) -> list[str]:
        """Names of those degrees of freedom, (F,), as in `coupling.joint_names`."""
        return list(freedom_names(describe_joints(self.model, self._present(), self._joints)))

    def describe(self, by_geom: bool = True) -> CoupledRobot:
        """The model at its present state.

        Args:
            by_geom: Whether friction is that of geoms; False: a body has the largest of its geoms, with a warning.

        Raises:
            MeshError: Repairs are refused, and a mesh is open or has no volume.
            UnsupportedError: A geom's shape has no closed surface.
        """
        self.edits = Edits(self.model, self.data, self._selection)
        return describe(self.model, self._present(), self._selection, self._joints, self._facets, by_geom)

    def predict(self) -> Prediction:
        """M̂, δθ̃ and link poses of MuJoCo's own steps from the present state; `model` and `data` do not change.

        Raises:
            AdapterError: MuJoCo's step is unstable, a field from which the scene was built was edited, the limits of
                a joint are no interval, or the time step does not fit the scene's any more.
            UnsupportedError: A force is applied to a free body, or an edit of the model is not supported.
        """
        if self.edits is not None:
            self.edits.refuse()
        refuse_forces_on_free(self.model, self.data, self._selection)
        states = self.data, self.scratch, self._still
        self.noted = own = take_steps(self.model, *states, self.contacts_off, self._joints, self.step_count)
        refuse_passive_on_free(self.model, self.scratch, self._selection)
        return Prediction(
            mass=own.mass,
            delta_theta_tilde=own.delta_theta_tilde,
            link_poses=own.link_poses,
            aims=self.aims,
            restraints=own.restraints,
        )

    def begin_step(self) -> None:
        """Put `scratch` where a single step of MuJoCo begins; raises the errors of `predict` that the state has."""
        if self.edits is not None:
            self.edits.refuse_of_state()
        refuse_forces_on_free(self.model, self.data, self._selection)
        prediction.begin_steps(self.model, self.data, self.scratch)

    def read_step(self, state: int, into: StepArrays) -> OwnSteps:
        """Note the single step that was taken on `scratch`, in the arrays of one of several states.

        Raises:
            AdapterError: The step is unstable, or the limits of a joint are no interval.
        """
        prediction.refuse_unstable(self.scratch, self.data.time)
        refuse_passive_on_free(self.model, self.scratch, self._selection)
        self.noted = own = read_single(self.model, self.data, self.scratch, self._joints, state, into)
        return own

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
        self.write_end(delta_theta, free_poses, free_velocities)
        self._derive()
        self.end_commit()

    def write_end(self, delta_theta: Array, free_poses: Array, free_velocities: Array) -> None:
        """Write the end of the predicted steps into `data`, whose derived values do not follow; see `commit`."""
        own, model, data = predicted(self.noted), self.model, self.data
        self.noted, self._taken = None, TakenStep(own, delta_theta, data.qvel.copy())
        moved = displaced(model, self._joints, data.qpos, delta_theta)
        if follows := integrated.follows_path(model, own):
            integrated.integrate(model, data, self._still, own, self._joints.dofs, delta_theta)
        mujoco.mj_copyState(model, self.scratch, data, _PHYSICS | prediction.written_by_callback())
        if follows:
            mujoco.mj_copyState(model, self._still, data, integrated.PARTS)
        gain = own.velocity_gain(delta_theta)
        put_joints(self._joints.qpos, self._joints.dofs, moved, gain, data.qpos, data.qvel)
        self._write_free(free_poses, free_velocities)

    def end_commit(self) -> None:
        """What `commit` does after MuJoCo's derived values are those of the end."""
        self.data.qacc_warmstart[:] = self.scratch.qacc_warmstart
        states, dofs = (self.data, self.scratch), self._joints.dofs
        put_accelerations(self.model, states, predicted(self._taken), dofs, self._free_dofs)
        self._note_state()

    def feel(self, forces: StepForces) -> None:
        """Update what MuJoCo computes from forces of the step that was committed: see `feels`."""
        own = predicted(self._taken).own
        rows = np.zeros((0, len(self._joints.dofs))) if own.restraints is None else own.restraints.rows
        put_constraint_forces(self.model, (self.data, self.scratch), self._joints, rows, forces)
        self._sensors.read(self.data, forces)

    def link_poses(self) -> Array:
        """Forward kinematics of the links at the present state, (n, 4, 4)."""
        return link_poses(self.model, self._present(), self._joints, self.data.qpos)

    def theta(self) -> Array:
        """Joint positions, (F,) [rad or m]: position and rotation vector of a free joint, that of a ball joint."""
        return positions(self.model, self._joints, self.data.qpos)

    def theta_dot(self) -> Array:
        """Joint velocities, (F,) [rad/s or m/s]."""
        return self.data.qvel[self._joints.dofs]

    def limits(self) -> Array:
        """Lowest and highest position of each degree of freedom, (F, 2) [rad or m]; -inf and inf without limits."""
        return setting.limits(self.model, self._joints)

    def link_motion(self, theta: Array, theta_dot: Array) -> tuple[Array, Array]:
        """Poses of the links with other positions and velocities of the joints, (F,), and the rates of these poses.

        Returns:
            (n, 4, 4) each; `data` does not change.
        """
        still = self._still
        prediction.copy_state(self.model, self.data, still)
        setting.write_joints(self.model, still, self._joints, theta, theta_dot)
        mujoco.mj_kinematics(self.model, still)
        mujoco.mj_comPos(self.model, still)
        mujoco.mj_comVel(self.model, still)
        poses = link_poses(self.model, still, self._joints, still.qpos)
        return poses, setting.link_rates(self.model, still, self._joints, poses)

    def set_state(self, motion: tuple[Array, Array] | None, free_poses: Array, free_velocities: Array) -> None:
        """Set the state of joints and free bodies, without the solver's warm start, and update `data` (`mj_forward`).

        Time, controls, activations and mocap bodies stay as they are.

        Args:
            motion: Positions and velocities of the joints' degrees of freedom, (F,) each; None: as they are.
            free_poses: Poses of the free bodies, (f, 4, 4), rigid.
            free_velocities: Rates of those poses, (f, 4, 4).
        """
        if motion is not None:
            setting.write_joints(self.model, self.data, self._joints, *motion)
        self._write_free(free_poses, free_velocities)
        self.data.qacc_warmstart[:] = 0.0
        self._derive()
        self.noted = None
        self._note_state()

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
        self._derive()
        self.noted = None
        self._note_state()

    def _derive(self) -> None:
        """Update what MuJoCo derives from the state (`mj_forward`)."""
        with self.contacts_off, prediction.controls_held():
            mujoco.mj_forward(self.model, self.data)

    def _note_state(self) -> None:
        if self.edits is not None:
            self.edits.note_state()

    def _write_free(self, poses: Array, rates: Array) -> None:
        if len(self._free_at):  # mocap bodies come after them
            put_free(self._free_at, poses, rates, self.data.qpos, self.data.qvel)

    def _present(self) -> mujoco.MjData:
        """A state with the kinematics of the present positions; `data` itself may not be up to date."""
        prediction.copy_state(self.model, self.data, self._still)
        mujoco.mj_kinematics(self.model, self._still)
        return self._still


def _require_state_of(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Refuse a state whose arrays are not those of the model; MuJoCo would read beyond their ends."""
    if data.signature != model.signature:
        raise AdapterError(
            "MujocoAdapter: data is the state of another model, whose parts are others; give mujoco.MjData(model)"
        )
