"""States that a robot is put in: checked and worked out completely before anything changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation import affine
from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import CoupledRobot, KeepsState, SetsState
from ipc_articulation.coupling.answers import Answers
from ipc_articulation.coupling.bodies import PlacedBodies
from ipc_articulation.coupling.joint_values import (
    JointValues,
    joint_positions,
    joint_velocities,
    numbers,
    rigid_pose,
)
from ipc_articulation.coupling.kinds import freedom_names, told_apart
from ipc_articulation.coupling.lowering.placed import PlacedChains
from ipc_articulation.errors import AdapterError, StateError
from ipc_articulation.frontend.attributes import require
from ipc_articulation.naming import suggest
from ipc_articulation.repairs import caution

_AT_POSE = 1e-5  # by which the entries of a floating base's pose may differ from what was given, `RIGID` included

FreeMotion = ArrayLike | tuple[ArrayLike, ArrayLike]


@dataclass(frozen=True)
class RobotState:
    """A new state of one robot, for `set_state`; what is left out stays as it is.

    Attributes:
        theta: Joint positions [rad or m]: an array in the order of `joint_names`, or values by joint name (others keep
            theirs). A joint with several freedoms takes an array over them; a floating base also its pose in the world
            (4, 4), a ball joint also a rotation (3, 3).
        theta_dot: Joint velocities [rad/s or m/s], likewise; joints that are not named are at rest. None: all are at
            rest if `theta` is given.
        free: By name of a free body its pose in the world (4, 4), at rest, or (pose, velocity) with the velocity
            [ω; v] of its frame and origin in world axes, (6,) [rad/s; m/s]. Fixed bodies that the multibody engine
            does not have may be named too; they stay at rest.
    """

    theta: JointValues | None = None
    theta_dot: JointValues | None = None
    free: Mapping[str, FreeMotion] = field(default_factory=dict)


class BodyMotion(NamedTuple):
    """The new pose of a body in the scene, and its rate."""

    pose: Array  # (4, 4)
    rate: Array  # (4, 4)


Moves = dict[int, BodyMotion]  # by geometry id


class Plan(NamedTuple):
    """A robot's new state, worked out."""

    moves: Moves  # of its links and free bodies
    motion: tuple[Array, Array] | None  # θ and θ̇, (m,) each; None: the joints stay as they are
    kept: Mapping[str, Array] | None = None  # what `KeepsState.restore` takes, instead of motion


class RobotStates:
    """Plans states of one robot, and sets them in its multibody engine."""

    def __init__(
        self, answers: Answers, robot: CoupledRobot, bodies: PlacedBodies, chains: PlacedChains | None = None
    ) -> None:
        """Note the state at the moment of coupling.

        Args:
            answers: The multibody engine's side.
            robot: Its description, completed.
            bodies: The geometry slots.
            chains: Chains with ghosts, which go where their links go.
        """
        self._answers, self._robot, self._bodies, self._chains = answers, robot, bodies, chains
        self._kept = answers.state() if isinstance(answers.adapter, KeepsState) else None

    def plan(self, state: RobotState, asker: str) -> Plan:
        """Work out a state; nothing changes.

        Raises:
            StateError: It is not valid; names the joint or body.
            AdapterError: The adapter cannot set states.
        """
        adapter = self._setter(asker)
        if not isinstance(state.free, Mapping):
            raise StateError(f"{asker}: free is a {type(state.free).__name__}, must be poses by names of bodies")
        moves = {self._free_id(name, asker): _free_motion(name, given, asker) for name, given in state.free.items()}
        if state.theta is None and state.theta_dot is None:
            return Plan(moves, None)
        theta, joints = self._answers.theta(), self._robot.joints
        if state.theta is not None:
            theta = joint_positions(joints, state.theta, theta, asker)
            self._caution_limits(theta, adapter.limits(), asker)
        theta_dot = joint_velocities(joints, {} if state.theta_dot is None else state.theta_dot, asker)
        try:
            poses, rates = adapter.link_motion(theta, theta_dot)
        except StateError as error:
            raise StateError(f"{asker}: {error}") from error
        self._require_poses(state.theta, poses, asker)
        return Plan({**moves, **self._of_links(poses, rates)}, (theta, theta_dot))

    def plan_start(self, asker: str) -> Plan:
        """The state at the moment of coupling.

        Raises:
            AdapterError: The adapter cannot keep or set states.
        """
        self._setter(asker)
        self._answers.keeper()
        bodies, slots = (*self._robot.links, *self._robot.free), (*self._bodies.links, *self._bodies.free)
        entries = zip(bodies, slots, strict=True)
        moves = {slot.id(): BodyMotion(body.pose, body.velocity) for body, slot in entries}
        return Plan({**moves, **self._of_ghosts([link.pose for link in self._robot.links])}, None, self._kept)

    def apply(self, plan: Plan, moves: Moves) -> None:
        """Set a planned state in the multibody engine.

        Args:
            plan: The plan.
            moves: All bodies of the scene that are moved; free bodies among them may be carried by other robots.
        """
        if plan.kept is not None:
            self._answers.keeper().restore(plan.kept)
            return
        own = self._bodies.free[: len(self._answers.robot.free)]
        motions = [moves.get(slot.id(), _present(slot)) for slot in own]
        poses, rates = (np.reshape([getattr(motion, k) for motion in motions], (-1, 4, 4)) for k in BodyMotion._fields)
        self._setter("set_state").set_state(plan.motion, poses, rates)

    def owns(self, geo_id: int) -> bool:
        """Whether a geometry is one of the multibody engine's free bodies."""
        return geo_id in {slot.id() for slot in self._bodies.free[: len(self._answers.robot.free)]}

    def _require_poses(self, theta: JointValues | None, poses: Array, asker: str) -> None:
        """Refuse poses of free joints whose freedoms do not count from the world's origin along its axes."""
        given: Mapping[str, Any] = theta if isinstance(theta, Mapping) else {}
        for joint in self._robot.joints:
            pose: Any = given.get(joint.name)
            is_posed = joint.kind == "free" and np.shape(pose) == (4, 4)
            if is_posed and np.abs(poses[joint.child] - np.asarray(pose)).max() > _AT_POSE:
                raise StateError(
                    f"{asker}: joint '{joint.name}' does not count from the world's frame; give its six freedoms"
                )

    def _of_links(self, poses: Array, rates: Array) -> Moves:
        entries = zip(self._bodies.links, poses, rates, strict=True)
        moves = {slot.id(): BodyMotion(pose, rate) for slot, pose, rate in entries}
        return {**moves, **self._of_ghosts(poses)}

    def _of_ghosts(self, poses: Sequence[Array] | Array) -> Moves:
        ghosts = {} if self._chains is None else self._chains.ghost_poses(poses)
        return {geo_id: BodyMotion(pose, np.zeros((4, 4))) for geo_id, pose in ghosts.items()}

    def _setter(self, asker: str) -> SetsState:
        if isinstance(self._answers.adapter, SetsState):
            return self._answers.adapter
        raise AdapterError(
            f"{asker}: {type(self._answers.adapter).__name__} sets no states: it has no method 'limits', 'link_motion' "
            "or 'set_state'; see coupling.adapter.SetsState"
        )

    def _free_id(self, name: str, asker: str) -> int:
        """Geometry id of a body that is not driven, by its name: a free one, or a fixed one of the scene's own."""
        places = {body.name: slot.id() for body, slot in zip(self._robot.free, self._bodies.free, strict=True)}
        fixed = [body for body in self._robot.static if body.mesh is not None]
        own = {body.name for body in self._answers.robot.static}
        places |= {b.name: slot.id() for b, slot in zip(fixed, self._bodies.static, strict=True) if b.name not in own}
        driven = {body.name for body in self._robot.free if body.driven}
        if name in driven:
            raise StateError(f"{asker}: body '{name}' follows its aim in each step; move the aim instead")
        if name not in places:
            raise StateError(f"{asker}: unknown free body '{name}'{suggest(name, places.keys() - driven)}")
        return places[name]

    def _caution_limits(self, theta: Array, limits: Array, asker: str) -> None:
        for name, value, (low, high) in zip(freedom_names(self._robot.joints), theta, limits, strict=True):
            if not low <= value <= high:
                at, least, most = told_apart(value, low, high)
                caution(
                    f"{asker}: joint '{name}' is put at {at}, beyond its limits [{least}, {most}]",
                    StateError,
                )


def _free_motion(name: str, given: Any, asker: str) -> BodyMotion:
    owner = f"{asker}: the pose of body '{name}'"
    paired = isinstance(given, Sequence) and len(given) == 2
    pose = rigid_pose(given[0] if paired else given, owner)
    velocity = np.zeros(6)
    if paired:
        velocity = numbers(given[1], (6,), f"{asker}: the velocity of body '{name}'", "[ω; v], six numbers")
    q = affine.q_from_transform(pose)
    return BodyMotion(pose, affine.transform_rate_from_qdot(affine.qdot_from_twist(q, velocity[3:], velocity[:3])))


def _present(slot: Any) -> BodyMotion:
    """The motion that a free body has in the scene, as `commit` gives it to the multibody engine."""
    pose, rate = (require(slot.geometry().instances(), name, "free body")[0] for name in ("transform", "velocity"))
    return BodyMotion(affine.transform_from_q(affine.nearest_rigid(affine.q_from_transform(pose))), rate)
