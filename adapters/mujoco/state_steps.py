"""One state of a MuJoCo model, and MuJoCo's own steps from it, predicted and committed."""

from __future__ import annotations

import mujoco
import numpy as np
from ipc_articulation.adapters.around import predicted
from ipc_articulation.adapters.mujoco import integrated, prediction
from ipc_articulation.adapters.mujoco.contacts import ContactsOff
from ipc_articulation.adapters.mujoco.description import owned_geoms
from ipc_articulation.adapters.mujoco.edits import Edits
from ipc_articulation.adapters.mujoco.kinematics import displaced, map_joints, mocap_poses
from ipc_articulation.adapters.mujoco.own_steps import OwnSteps, read_single, take_steps
from ipc_articulation.adapters.mujoco.read_step import StepArrays, step_views
from ipc_articulation.adapters.mujoco.selection import Selection
from ipc_articulation.adapters.mujoco.step_ratio import step_count
from ipc_articulation.adapters.mujoco.support import refuse_forces_on_free, refuse_passive_on_free
from ipc_articulation.adapters.mujoco.taken_step import TakenStep, put_accelerations
from ipc_articulation.adapters.mujoco.write_state import free_addresses, put_free, put_joints

from ipc_articulation.arrays import Array

_PHYSICS = int(mujoco.mjtState.mjSTATE_FULLPHYSICS)


class StateSteps:
    """The steps of a state of which some bodies take part.

    Attributes:
        model: The model.
        data: The state; users may edit it between steps.
        selection: What takes part.
        joints: The coupled joints.
        contacts_off: Contacts that are IPC's.
        scratch: Where MuJoCo takes its own steps.
        still: Kinematics of the present state, when they were asked for.
        edits: Since the model was described; None before that.
        dt: Of the scene's steps [s]; None: that of the model.
        noted: The step that is predicted.
        taken: The one that was committed last.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, selection: Selection) -> None:
        """Take a state; nothing is predicted."""
        self.model, self.data, self.selection = model, data, selection
        self.joints = map_joints(model, selection.links)
        self.contacts_off = ContactsOff(model, owned_geoms(model, selection))
        self.scratch, self.still = mujoco.MjData(model), mujoco.MjData(model)
        self._views = step_views(model, data, self.scratch, self.joints)
        self.edits: Edits | None = None
        self.dt: float | None = None
        self.taken: TakenStep | None = None
        self.noted: OwnSteps | None = None
        self._free_at = free_addresses(model, selection.free)
        self._free_dofs = (self._free_at[:, 1:] + np.arange(6)).ravel()

    @property
    def count(self) -> int:
        """The number of MuJoCo's steps in one step of the scene.

        Raises:
            AdapterError: It is no whole number.
        """
        h = float(self.model.opt.timestep)
        return 1 if self.dt is None or self.dt == h else step_count(self.dt, h)

    @property
    def aims(self) -> Array:
        """Poses of the mocap bodies at the beginning of the predicted step, (k, 4, 4)."""
        return mocap_poses(self.scratch, self.selection.mocap)

    def begin(self) -> None:
        """Put `scratch` where MuJoCo's steps begin.

        Raises:
            AdapterError: The state of a free body or the time was edited, or a control is bad.
            UnsupportedError: A force is applied to a free body.
        """
        if self.edits is not None:
            self.edits.refuse_of_state()
        refuse_forces_on_free(self.model, self.data, self.selection)
        prediction.begin_steps(self.model, self.data, self.scratch)

    def read(self, state: int, into: StepArrays) -> OwnSteps:
        """Note the single step that was taken on `scratch`, in the arrays of one of several states.

        Raises:
            AdapterError: The step is unstable, or the limits of a joint are no interval.
        """
        prediction.refuse_unstable(self.scratch, self.data.time)
        states = self.data, self.scratch
        return self._note(read_single(self.model, states, self.joints, self._views, state, into))

    def take(self, state: int, into: StepArrays) -> OwnSteps:
        """Take several steps on `scratch`, which has begun, and note them likewise."""
        states = self.data, self.scratch, self.still
        own = take_steps(self.model, states, self.contacts_off, self.joints, self._views, self.count)
        into.mass[state], into.moved[state], into.poses[state] = own.mass, own.delta_theta_tilde, own.link_poses
        into.bounds[:, state], into.rows[state] = own.bounds, own.rows
        return self._note(own)

    def _note(self, own: OwnSteps) -> OwnSteps:
        refuse_passive_on_free(self.model, self.scratch, self.selection)
        self.noted = own
        return own

    def write_end(self, delta_theta: Array, free_poses: Array, free_velocities: Array) -> None:
        """Write the end of the predicted steps into `data`, whose derived values do not follow.

        Raises:
            AdapterError: Nothing was predicted since the last commit.
        """
        own, model, data, joints = predicted(self.noted), self.model, self.data, self.joints
        self.noted, self.taken = None, TakenStep(own, delta_theta, data.qvel.copy())
        moved = displaced(model, joints, data.qpos, delta_theta)
        if follows := integrated.follows_path(model, own):
            integrated.integrate(model, data, self.still, own, joints.dofs, delta_theta)
        mujoco.mj_copyState(model, self.scratch, data, _PHYSICS | prediction.written_by_callback())
        if follows:
            mujoco.mj_copyState(model, self.still, data, integrated.PARTS)
        put_joints(joints.qpos, joints.dofs, moved, own.velocity_gain(delta_theta), data.qpos, data.qvel)
        self.write_free(free_poses, free_velocities)

    def end_commit(self) -> None:
        """What follows when MuJoCo's derived values are those of the end."""
        self.data.qacc_warmstart[:] = self.scratch.qacc_warmstart
        states, dofs = (self.data, self.scratch), self.joints.dofs
        put_accelerations(self.model, states, predicted(self.taken), dofs, self._free_dofs)
        self.note_state()

    def set(self) -> None:
        """Update what MuJoCo derives from a state that was set (`mj_forward`), and forget the prediction."""
        with self.contacts_off, prediction.ControlsHeld():
            mujoco.mj_forward(self.model, self.data)
        self.noted = None
        self.note_state()

    def note_state(self) -> None:
        """Note the present state as that of the scene."""
        if self.edits is not None:
            self.edits.note_state()

    def write_free(self, poses: Array, rates: Array) -> None:
        """Write poses and velocities of the free bodies."""
        if len(self._free_at):  # mocap bodies come after them
            put_free(self._free_at, poses, rates, self.data.qpos, self.data.qvel)

    def present(self) -> mujoco.MjData:
        """A state with the kinematics of the present positions; `data` itself may not be up to date."""
        prediction.copy_state(self.model, self.data, self.still)
        mujoco.mj_kinematics(self.model, self.still)
        return self.still
