"""Steps of a coupling: a prediction in the animator's callback, and the commit of IPC's result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, final
from weakref import ref

import numpy as np
import uipc

from ipc_articulation import affine
from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import CoupledRobot, Prediction
from ipc_articulation.coupling.answers import Answers
from ipc_articulation.coupling.attachments import attach, attachments_of, detach, named, scene_part
from ipc_articulation.coupling.bodies import WORLD, PlacedBodies, set_aim
from ipc_articulation.coupling.distance import scene_distance
from ipc_articulation.coupling.failures import (
    no_joints_while_running,
    no_prediction,
    no_step,
    not_committed,
    require_all,
    require_couplings,
    require_scene,
    require_valid,
    within_a_step,
)
from ipc_articulation.coupling.joint_values import JointValues
from ipc_articulation.coupling.kinds import freedom_names
from ipc_articulation.coupling.lowering.placed import PlacedChains
from ipc_articulation.coupling.readouts.engine_results import results_of
from ipc_articulation.coupling.readouts.jacobian import RobotTree
from ipc_articulation.coupling.readouts.read_out import StepReadOut, StepState
from ipc_articulation.coupling.registry import couplings_of
from ipc_articulation.coupling.restraints import Held, Holding
from ipc_articulation.coupling.robot_states import FreeMotion, RobotState, RobotStates
from ipc_articulation.coupling.teleport import put
from ipc_articulation.coupling.ties import with_tied_joints
from ipc_articulation.coupling.visuals import surface_of, visuals_of
from ipc_articulation.errors import AdapterError, SceneError
from ipc_articulation.frontend.attributes import require
from ipc_articulation.frontend.callbacks import raise_kept
from ipc_articulation.frontend.worlds import is_on_cpu
from ipc_articulation.naming import suggest
from ipc_articulation.recording.scenery import Surface, Visual
from ipc_articulation.signals import interrupts_deferred

_OF_LAST_STEP = ("mass", "delta_theta_tilde", "delta_theta", "contact_force")


@final
class Coupling:
    """A multibody engine and an IPC scene that step together; made by `couple`.

    The values of a step are those of the last commit; before the first one, forces and δθ are zero. Arrays over joints,
    (m,), are in the order of `joint_names`, one name per freedom; arrays over links, (n,), in that of `link_names`.
    """

    def __init__(
        self,
        scene: uipc.Scene,
        answers: Answers,
        robot: CoupledRobot,
        bodies: PlacedBodies,
        articulation: Any,
        tie_strengths: Array,
        holding: Holding,
        chains: PlacedChains | None = None,
    ) -> None:
        """Called by `couple`.

        Args:
            scene: The scene.
            answers: The multibody engine's side, described.
            robot: Its description, completed; the scene's bodies were made from it.
            bodies: Geometry slots of those bodies.
            articulation: Geometry slot of the constraint over all joints and tied joints; None without joints.
            tie_strengths: Strengths of the tied joints, (t,).
            holding: How stiffly the step holds limits, dry friction and equalities.
            chains: What stands for its ball and free joints in the scene; None: they do themselves.
        """
        self.adapter, self.robot = answers.adapter, robot
        self.joint_names = freedom_names(robot.joints)
        self.link_names = tuple(link.name for link in robot.links)
        m = len(self.joint_names)
        self.mass = np.zeros((m, m))  # M̂ of the last step
        self.delta_theta_tilde = np.zeros(m)  # δθ̃ of the last step [rad or m]
        self.delta_theta = np.zeros(m)  # δθ of the last step [rad or m]
        self.contact_force = np.zeros(m)  # ∂K/∂δθ/dt² [N·m or N]: generalised contact force on the joints
        self.scene = scene
        self.observers: list[Callable[[], None]] = []  # called after each commit
        self._bodies, self._articulation, self._answers = bodies, articulation, answers
        self._own_free = bodies.free[: len(answers.robot.free)]  # `complete` may have added others after them
        self._driven = [slot for body, slot in zip(answers.robot.free, self._own_free, strict=True) if body.driven]
        self._tie_strengths, self._restraining, self._chains = tie_strengths, holding, chains
        ends = {link for joint in robot.articulated_joints for link in (joint.parent, joint.child)}
        self._jointed = sorted(ends - {-1})
        self.states = RobotStates(answers, robot, bodies, chains)
        self._pending: Prediction | None = None
        self._held = Held(self.mass, self.delta_theta_tilde, None)  # of the last prediction
        self._started = np.zeros(0)  # velocities of the joints at the prediction of `_pending`
        self._taken: tuple[Prediction, Array] | None = None  # the last step: its prediction and velocities at the start
        self._pending_frame, self._dt = 0, answers.dt()  # frame of the world and dt at the prediction of `_pending`
        self._world: Callable[[], uipc.World | None] = lambda: None  # the last world that was checked to be the scene's

    def step(self, world: uipc.World) -> None:
        """Predict, advance, retrieve, commit. For a scene with several couplings use `coupling.step`.

        Args:
            world: The world, initialised with the scene.

        Raises:
            SceneError: The world is of another scene, or is not valid because bodies intersect at the start.
            EngineError: The engine moves nothing, or another coupling of the scene has not committed its last step.
            AdapterError, ArticulationError: The multibody engine's step is unstable, or its mass not positive definite.
            SolverError: The engine could not solve the step.
        """
        _step(world, [self])

    @interrupts_deferred
    def commit(self) -> None:
        """Give the step that the world has advanced and retrieved back to the multibody engine.

        Raises:
            EngineError: No step was taken since the last commit.
            AdapterError, ArticulationError: What the animator's callback raised.
        """
        prediction = self.require_prediction()
        delta_theta = self._read_delta_theta()
        q, qdot = self._read_free()
        poses = affine.transform_from_q(affine.nearest_rigid(q))
        self.adapter.commit(delta_theta, poses, affine.transform_rate_from_qdot(qdot))
        self._pending, self._taken = None, (prediction, self._started)
        self.mass, self.delta_theta_tilde = prediction.mass, self._held.delta_theta_tilde
        self.delta_theta = delta_theta
        self.contact_force = self._held.resistance(delta_theta) / self._dt**2
        for observer in tuple(self.observers):
            observer()

    def state(self) -> dict[str, Array]:
        """The state of the multibody engine, and the last step's values; later steps depend on both.

        Raises:
            AdapterError: The adapter keeps no state.
        """
        values = {key: np.array(getattr(self, key)) for key in _OF_LAST_STEP}
        return {**values, **{f"adapter/{key}": value for key, value in self._answers.state().items()}}

    def restore(self, state: Mapping[str, Array]) -> None:
        """Restore a state of `state`, after `world.recover` and `world.retrieve`.

        Raises:
            AdapterError: It is no such state, or that of another model, or the adapter keeps no state.
        """
        expected = self.state()
        missing = [key for key in expected if key not in state] if isinstance(state, Mapping) else list(expected)
        if missing:
            raise AdapterError(f"restore: give what coupling.state() returned; this has no '{missing[0]}'")
        prefix = "adapter/"
        inner = {key.removeprefix(prefix): value for key, value in state.items() if key.startswith(prefix)}
        self._answers.keeper().restore(inner)
        self._pending = self._taken = None
        for key in _OF_LAST_STEP:
            setattr(self, key, np.array(state[key]))

    def reset(self, world: uipc.World) -> None:
        """Put the robot and its free bodies back into their states at the moment of coupling.

        The multibody engine gets back its whole state, controls and time included, and all parts are detached that are
        attached to the robot, or are its free bodies. Other robots and bodies stay as they are, and so does the frame
        of the world. For several robots at once use `ipc_articulation.reset`.

        Args:
            world: The world.

        Raises:
            SceneError: A body that has moved there is in the way; names both bodies. The world is of another scene.
            AdapterError: The adapter cannot keep or set states.
            EngineError: The last step was not committed, the world is not initialised, or its engine gives no access to
                the state of bodies. After all of these errors, nothing has changed.
        """
        put(world, {self: None}, "reset")

    def set_state(
        self,
        world: uipc.World,
        theta: JointValues | None = None,
        theta_dot: JointValues | None = None,
        free: Mapping[str, FreeMotion] | None = None,
    ) -> None:
        """Put the robot, or free bodies, into a new state at once; nothing is swept aside on the way.

        Velocities are those that are given, else zero. A part that is attached to a link goes with it. Controls,
        activations and time of the multibody engine stay as they are. For several robots at once use
        `ipc_articulation.set_state`.

        Args:
            world: The world.
            theta: Joint positions, see `RobotState`; None: as they are.
            theta_dot: Joint velocities; None: zero if `theta` is given, else as they are.
            free: New poses of free bodies by name, or pairs (pose, velocity); others stay as they are.

        Raises:
            StateError: An unknown joint or body, a wrong shape, a number that is not finite or above 1e6, a pose that
                is not rigid, a loop that cannot be closed; names the joint or body and the step. In strict mode also a
                position beyond a limit, which is a warning otherwise.
            SceneError: Surfaces would intersect, or one would be inside another; names both bodies. A part is attached.
                The world is of another scene.
            AdapterError: The adapter cannot set states.
            EngineError: As for `reset`. After all of these errors, nothing has changed.
        """
        put(world, {self: RobotState(theta, theta_dot, {} if free is None else free)}, "set_state")

    def attach(self, part: str | Any, link: str = WORLD) -> None:
        """Hold a part at a link of this robot from the next step on, where both are; see `attachments`.

        The part keeps its mass and stays a body that others touch. Where their velocities differ, the next step gives
        both a common one, and momentum is kept. On the CPU engine only, except before `world.init`.

        Args:
            part: Name of a free body or a link of any coupling of the scene, or the geometry slot of an affine body of
                the scene. Several links may hold it, of one robot or of several.
            link: Name of a link; «world» holds the part where it is.

        Raises:
            SceneError: The part or the link is unknown, or the part is attached to this link already.
            EngineError: The scene's engine cannot make joints while it runs, or a coupling of the scene is in the
                middle of a step.
        """
        self._require_cpu()
        self._refuse_within_a_step("attach")
        attach(self.scene, self._part(part), self._link(link, "attach"))

    def detach(self, part: str | Any, link: str | None = None) -> None:
        """Let go of a part, which goes on with its present velocity.

        Args:
            part: As for `attach`.
            link: The link, or «world»; None: all that this robot's coupling attached it to. Other robots keep theirs.

        Raises:
            SceneError: It is not attached there; the message names the parts that are.
            EngineError: A coupling of the scene is in the middle of a step.
        """
        self._refuse_within_a_step("detach")
        slots = self._holding.values() if link is None else (self._link(link, "detach")[1],)
        detach(self.scene, part, {slot.id() for slot in slots})

    @property
    def attached(self) -> tuple[tuple[str, str], ...]:
        """The parts that are attached by this coupling, each with the name of its link or «world»."""
        own = {slot.id() for slot in self._holding.values()}
        return tuple((held.part, held.link) for held in attachments_of(self.scene) if held.link_slot.id() in own)

    def read_out(self, world: uipc.World) -> StepReadOut:
        """Contacts, wrenches on links and joints, momentum and work of the last step; computed when they are asked for.

        Args:
            world: The world that took the step.

        Returns:
            The read-outs; call it, and read `contacts`, before the next step begins.

        Raises:
            EngineError: The coupling has taken no step, or has not committed the last one.
            SceneError: The world is of another scene.
        """
        require_valid(world, "read_out")
        self.require_world(world)
        self.require_committed()
        if self._taken is None:
            raise no_step(self.joint_names)
        (prediction, theta_dot_start), robot, bodies = self._taken, self.robot, self._bodies
        with_inertia = [k for k, body in enumerate(robot.free) if not body.driven]
        free = tuple(bodies.free[k] for k in with_inertia)
        state = StepState(
            dt=self._dt,
            gravity=np.array(self.adapter.gravity),
            q_start=affine.q_from_transform(prediction.link_poses),
            q=_coordinates(bodies.links),
            theta_dot_start=theta_dot_start,
            theta_dot=self.theta_dot.copy(),
            tied_rates=None if prediction.tied is None else prediction.tied.rates,
            free=tuple(robot.free[k] for k in with_inertia),
            free_q=_coordinates(free),
            free_qdot=_velocities(free),
            link_ids=[slot.id() for slot in bodies.links],
            joined=self._joined,
        )
        return StepReadOut(self._tree, state, results_of(world))

    @cached_property
    def _joined(self) -> list[tuple[int, int]]:
        """Ids of the bodies of each of the robot's joints in the scene, those of its chains included."""
        chains, world = self._chains, self._bodies.world
        joints = self.robot.all_joints if chains is None else chains.joints
        ids = [slot.id() for slot in (*(self._bodies.links if chains is None else chains.slots), world)]
        return [(ids[joint.parent], ids[joint.child]) for joint in joints]  # parent -1 is the world

    @cached_property
    def _tree(self) -> RobotTree:
        return RobotTree(self.robot)

    @property
    def theta(self) -> Array:
        """Joint positions of the multibody engine at present, (m,) [rad or m]."""
        return self._answers.theta()

    @property
    def theta_dot(self) -> Array:
        """Joint velocities of the multibody engine at present, (m,) [rad/s or m/s]."""
        return self._answers.theta_dot()

    @property
    def body_poses(self) -> Array:
        """Transforms in the scene of the links and then of the free bodies, (n + f, 4, 4)."""
        return affine.transform_from_q(_coordinates(self._bodies.links + self._bodies.free))

    @property
    def drift(self) -> Array:
        """Distance of each link in the scene from the multibody engine's link, (n,) [m].

        It is the largest displacement of a vertex of its surface, or of its origin if it has none. It is due to the
        finite stiffness of bodies and joints, and does not accumulate. IPC's guarantee is for the scene's links.
        """
        there = affine.q_from_transform(self._answers.link_poses())
        here = _coordinates(self._bodies.links)
        pairs = zip(self.robot.links, here - there, strict=True)
        return np.array([_largest_displacement(link.mesh, dq) for link, dq in pairs])

    @property
    def minimum_distance(self) -> float:
        """Smallest distance [m] of two surfaces of the scene that may touch; inf if no distance is below 10 d̂."""
        return scene_distance(self.scene).minimum()

    def predict(self, info: Any) -> tuple[Array, Array, Mapping[tuple[int, int], Array], Array | None]:
        """The articulation's input for the step that begins, called by the animator's callback.

        Args:
            info: libuipc's UpdateInfo.

        Returns:
            M̂ (m, m), δθ̃ (m,), both with the tied joints after the others; by (geometry id, instance) the reference pose
            (12,) of each link with a joint of the articulation; links with only passive joints have none; and bounded
            springs (m, 4, 4), None where nothing is restrained.

        Raises:
            AdapterError: Time step or gravity are not the scene's, or the adapter's result is not as `Adapter` says.
            EngineError: The world has taken a step since the last prediction, which was not committed.
        """
        frame = info.frame()
        if frame > self._pending_frame:  # else the world repeats a step that failed
            self.require_committed()
        self._pending = None
        self._answers.require_agreement(info.dt())
        self._started = np.array(self.adapter.theta_dot())
        prediction = self._answers.predict()
        self._pending, self._pending_frame, self._dt = prediction, frame, info.dt()
        for slot, aim in zip(self._driven, prediction.aims, strict=True):
            set_aim(slot.geometry(), aim)
        q_ref = affine.q_from_transform(prediction.link_poses)
        references = {(self._bodies.links[link].id(), 0): q_ref[link] for link in self._jointed}
        self._held = self._restraining.held(prediction, self._dt)
        mass, tilde, springs = with_tied_joints(self._held, prediction, self._tie_strengths)
        if self._chains is not None:
            return self._chains.lower(mass, tilde, springs, prediction.link_poses)
        return mass, tilde, references, springs

    @cached_property
    def visuals(self) -> dict[str, tuple[Visual, ...]]:
        """Visual surfaces of the bodies that have any, by name; meshes are read when they are first asked for."""
        return visuals_of((*self.robot.links, *self.robot.free, *self.robot.static))

    @property
    def visuals_by_geometry(self) -> dict[int, tuple[Visual, ...]]:
        """Those of the scene's bodies, by the id of the body's geometry."""
        placed = zip(self.robot.placed, self._bodies.of_robot, strict=True)
        return {slot.id(): self.visuals[body.name] for body, slot in placed if body.name in self.visuals}

    @property
    def link_ids(self) -> frozenset[int]:
        """Ids of the links' geometries in the scene."""
        return frozenset(slot.id() for slot in self._bodies.links)

    @property
    def named_slots(self) -> list[tuple[str, Any]]:
        """Names and geometry slots of the links, then of the free bodies."""
        bodies, slots = (*self.robot.links, *self.robot.free), (*self._bodies.links, *self._bodies.free)
        return [(body.name, slot) for body, slot in zip(bodies, slots, strict=True)]

    @property
    def decorations(self) -> list[Surface]:
        """Static bodies without a mesh, which are only drawn; the scene does not have them."""
        drawn = [body for body in self.robot.static if body.mesh is None and body.name in self.visuals]
        return [surface_of(body, "fixed", self.visuals[body.name]) for body in drawn]

    def require_world(self, world: uipc.World) -> None:
        """Check that a world belongs to the coupling's scene.

        Raises:
            SceneError: It belongs to another one.
        """
        if self._world() is not world:
            require_scene(world, self.scene, self.joint_names)
            self._world = ref(world)
        if attachments_of(self.scene):
            self._require_cpu()

    def require_prediction(self) -> Prediction:
        """The predicted step that is not yet committed.

        Raises:
            EngineError: There is none.
            AdapterError, ArticulationError: The animator's callback raised this error.
        """
        raise_kept(self.scene)
        if self._pending is None:
            raise no_prediction()
        return self._pending

    @property
    def is_within_a_step(self) -> bool:
        """Whether a step is predicted that is not yet committed."""
        return self._pending is not None

    def require_committed(self) -> None:
        """Check that every predicted step was committed.

        Raises:
            EngineError: One was not; the message names the joints.
        """
        if self.is_within_a_step:
            raise not_committed(self.joint_names)

    def begin_anew(self) -> None:
        """Forget the last step, as after `couple`: its values become zero."""
        self._taken = None
        for key in _OF_LAST_STEP:
            setattr(self, key, np.zeros_like(getattr(self, key)))

    def forget_prediction(self) -> None:
        """Discard the predicted step."""
        self._pending = None

    def _refuse_within_a_step(self, asker: str) -> None:
        for other in couplings_of(self.scene):
            if other.is_within_a_step:
                raise within_a_step(asker, other.joint_names)

    def _require_cpu(self) -> None:
        world = self._world()
        if world is not None and not is_on_cpu(world):
            raise no_joints_while_running()

    def _part(self, part: str | Any) -> tuple[str, Any]:
        if not isinstance(part, str):
            return scene_part(self.scene, part)
        return named(part, [entry for other in couplings_of(self.scene) for entry in other.named_slots])

    def _link(self, name: str, asker: str) -> tuple[str, Any]:
        if name not in self._holding:
            raise SceneError(f"{asker}: unknown link '{name}'{suggest(name, self._holding)}")
        return name, self._holding[name]

    @property
    def _holding(self) -> dict[str, Any]:
        """Geometry slots of what parts are attached to, by name."""
        return dict(zip(self.link_names, self._bodies.links, strict=True)) | {WORLD: self._bodies.world}

    def _read_delta_theta(self) -> Array:
        if self._articulation is None:
            return np.zeros(0)
        m = len(self.joint_names)  # tied joints come after the others
        delta = np.array(self._articulation.geometry()["joint"].find("delta_theta").view())
        return delta[:m] if self._chains is None else self._chains.raised(delta, _coordinates(self._bodies.links))

    def _read_free(self) -> tuple[Array, Array]:
        """Coordinates and velocities of the adapter's free bodies, (f, 12) each."""
        return _coordinates(self._own_free), _velocities(self._own_free)


def step(world: uipc.World, couplings: Sequence[Coupling]) -> None:
    """Take one step of a scene with several couplings: all predict, the world advances, all commit.

    A step that fails, or that Ctrl-C ends, leaves world and multibody engines as they were before it.

    Args:
        world: The world, initialised with the scene.
        couplings: All couplings of the scene.

    Raises:
        EngineError: A coupling of the scene was left out, a coupling comes twice, or there is none. The last step of
            one is not committed. The engine moves nothing.
        AdapterError, ArticulationError, SceneError, SolverError: As for `Coupling.step`.
    """
    require_couplings(couplings, Coupling)
    require_all(couplings, couplings_of(couplings[0].scene))
    _step(world, couplings)


@interrupts_deferred
def _step(world: uipc.World, couplings: Sequence[Coupling]) -> None:
    require_valid(world)
    for coupling in couplings:
        coupling.require_world(world)
        coupling.require_committed()
    try:
        world.advance()
        for coupling in couplings:
            coupling.require_prediction()
    except BaseException:
        for coupling in couplings:
            coupling.forget_prediction()
        raise
    world.retrieve()
    for coupling in couplings:
        coupling.commit()


def _coordinates(slots: tuple[Any, ...]) -> Array:
    """Present coordinates of the bodies' geometries, (n, 12)."""
    transforms = [require(slot.geometry().instances(), "transform", "body")[0] for slot in slots]
    return affine.q_from_transform(np.reshape(transforms, (-1, 4, 4)))


def _velocities(slots: tuple[Any, ...]) -> Array:
    """Present velocities of the free bodies' geometries, (n, 12)."""
    rates = [require(slot.geometry().instances(), "velocity", "free body")[0] for slot in slots]
    return affine.qdot_from_transform_rate(np.reshape(rates, (-1, 4, 4)))


def _largest_displacement(mesh: Any, dq: Array) -> float:
    points = np.zeros((1, 3)) if mesh is None else mesh.vertices
    return float(np.linalg.norm(affine.world_points(dq, points), axis=-1).max())
