"""Steps of a coupling: a prediction in the animator's callback, and the commit of IPC's result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, final

import numpy as np
import uipc

from ipc_articulation import affine
from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import FeelsForces
from ipc_articulation.coupling.answers import Answers
from ipc_articulation.coupling.bodies import WORLD
from ipc_articulation.coupling.distance import scene_distance
from ipc_articulation.coupling.drifting import DriftWatch
from ipc_articulation.coupling.failures import (
    no_step,
    require_all,
    require_couplings,
    require_numbers,
    require_valid,
)
from ipc_articulation.coupling.joint_values import JointValues
from ipc_articulation.coupling.placed_robot import PlacedRobot, coordinates, largest_displacement
from ipc_articulation.coupling.properties import PartProperties, RobotProperties, set_properties
from ipc_articulation.coupling.readouts.engine_results import results_of
from ipc_articulation.coupling.readouts.jacobian import RobotTree
from ipc_articulation.coupling.readouts.read_out import StepReadOut
from ipc_articulation.coupling.readouts.step_forces import step_forces
from ipc_articulation.coupling.readouts.step_state import step_state
from ipc_articulation.coupling.registry import couplings_of
from ipc_articulation.coupling.restraints import Holding
from ipc_articulation.coupling.robot_attachments import RobotAttachments
from ipc_articulation.coupling.robot_group import RobotGroup, Written
from ipc_articulation.coupling.robot_states import FreeMotion, RobotState, RobotStates
from ipc_articulation.coupling.robot_steps import RobotSteps, StepValues
from ipc_articulation.coupling.robot_visuals import RobotVisuals
from ipc_articulation.coupling.scene_world import SceneWorld
from ipc_articulation.coupling.stepping import take_step
from ipc_articulation.coupling.teleport import put
from ipc_articulation.errors import AdapterError
from ipc_articulation.frontend.callbacks import raise_kept
from ipc_articulation.frontend.turns import changing_in_turn, in_turn
from ipc_articulation.recording.scenery import Surface, Visual

_INNER = "adapter/"  # begins the names of the multibody engine's state


@final
class Coupling:
    """A multibody engine and an IPC scene that step together; made by `couple`.

    The values of a step are those of the last commit; before the first one, forces and δθ are zero. Arrays over joints,
    (m,), are in the order of `joint_names`, one name per freedom; arrays over links, (n,), in that of `link_names`.

    One thread steps a scene: steps, `reset` and `set_state` of a second one are an EngineError. Everything else may be
    called from any thread, also while one steps: it waits for the end of the step, and what it reads changes no bit.
    """

    def __init__(
        self, group: RobotGroup, answers: Answers, placed: PlacedRobot, tie_strengths: Array, holding: Holding
    ) -> None:
        """Called by `couple`.

        Args:
            group: The robots that step together with this one.
            answers: The multibody engine's side, described.
            placed: The robot in the scene.
            tie_strengths: Strengths of the tied joints, (t,).
            holding: How stiffly the step holds limits, dry friction and equalities.
        """
        self.scene, self.adapter, self.robot, self.turn = group.scene, answers.adapter, placed.robot, group.turn
        self.joint_names, self.link_names = placed.joint_names, placed.link_names
        self.observers: list[Callable[[], None]] = []  # called after each commit
        self.states = RobotStates(answers, placed.robot, placed.bodies, placed.chains)
        self.answers, self.placed, self.properties = answers, placed, PartProperties(placed)
        self.steps = RobotSteps(answers, placed, tie_strengths, holding)
        self._group, self._number = group, group.add(self.steps)
        self._drift_watch = DriftWatch(self.scene, placed.robot)
        self._world = SceneWorld(self.scene, self.joint_names)
        self._attachments = RobotAttachments(self.scene, placed, self._world)
        self._visuals = RobotVisuals(placed)
        self._feeling = answers.adapter if isinstance(answers.adapter, FeelsForces) else None

    def step(self, world: uipc.World, retrieve: bool = True) -> None:
        """Predict, advance, retrieve, commit. For a scene with several couplings use `coupling.step`.

        Args:
            world: The world, initialised with the scene.
            retrieve: Whether bodies are written into the scene's geometries. False: on the CPU engine read-outs of the
                coupling do so where they need it, and `world.retrieve()` does.

        Raises:
            SceneError: The world is of another scene, or is not valid because bodies intersect at the start.
            EngineError: The engine moves nothing, or another coupling of the scene has not committed its last step.
                Another thread is in the middle of a step, or an animator callback asks for one.
            AdapterError, ArticulationError: The multibody engine's step is unstable, or its mass not positive definite.
            SolverError: The engine could not solve the step.
        """
        take_step(world, [self], retrieve)

    @changing_in_turn
    def commit(self) -> None:
        """Give the step that the world has advanced and retrieved back to the multibody engine.

        Raises:
            EngineError: No step was taken since the last commit.
            AdapterError, ArticulationError: What the animator's callback raised.
        """
        raise_kept(self.scene)
        self.finish()

    def finish(self, is_stale: bool = False) -> None:
        """What `commit` does, in turn; `is_stale`: the bodies are not retrieved."""
        self._group.commit([self._number])
        self._group.is_stale = is_stale
        self.look_at_drift()
        self.feel()
        if self.observers:
            self._group.refresh()
        for observer in tuple(self.observers):
            self.turn.call(observer, is_calling=False)

    @property
    def is_in_engine(self) -> bool:
        """Whether the CPU engine has the last prediction, so that a commit reads no attributes."""
        return self._group.side is not None

    def look_at_drift(self) -> None:
        """Warn of links that have drifted far after the step that was just committed, now and then."""
        if self._drift_watch.is_due():
            self._drift_watch.look(self._moved(self._group.links(self._number)))

    def feel(self) -> None:
        """Give the forces of the step that was just committed to a multibody engine that asks for them."""
        if self._feeling is not None and self._feeling.feels:
            self._feeling.feel(step_forces(self.placed, self.steps, self._world.find()))

    @in_turn
    def state(self) -> dict[str, Array]:
        """The state of the multibody engine, and the last step's values; later steps depend on both.

        Raises:
            AdapterError: The adapter keeps no state.
        """
        inner = {f"{_INNER}{key}": value for key, value in self.answers.state().items()}
        return {**self.steps.values.arrays(), **inner}

    @changing_in_turn
    def restore(self, state: Mapping[str, Array]) -> None:
        """Restore a state of `state`, after `world.recover` and `world.retrieve`.

        Raises:
            AdapterError: It is no such state, or that of another model, or the adapter keeps no state.
        """
        expected = self.state()
        missing = [key for key in expected if key not in state] if isinstance(state, Mapping) else list(expected)
        if missing:
            raise AdapterError(f"restore: give what coupling.state() returned; this has no '{missing[0]}'")
        require_numbers(state, {key: np.shape(own) for key, own in self.steps.values.arrays().items()})
        inner = {key.removeprefix(_INNER): value for key, value in state.items() if key.startswith(_INNER)}
        self.answers.keeper().restore(inner)
        self.steps.pending = None
        self.steps.begin_anew(StepValues(**{key: np.array(state[key]) for key in self.steps.values.arrays()}))

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

    def set_properties(
        self,
        world: uipc.World,
        mass: Mapping[str, float] | None = None,
        friction: Mapping[str, float] | None = None,
    ) -> None:
        """Give free bodies other masses, and surfaces other friction, from the next step on, until they are set again.

        `reset` does not change them. The stiffness of links and joints stays what `couple` chose. Friction with bodies
        of other robots stays that of the scene. A dump is of a scene with these values: set them before
        `world.recover`.

        Args:
            world: The world, on the CPU engine.
            mass: Of free bodies by name [kg]; see `RobotProperties`.
            friction: Coulomb coefficients of surfaces by name.

        Raises:
            StateError: A name is unknown, a mass is not a positive number, or a coefficient is negative or not finite;
                names the body.
            SceneError: The body is attached, or an aim moves it. The world is of another scene.
            EngineError: The engine reads masses and friction once, or the last step was not committed. After all of
                these errors, nothing has changed.
        """
        given = {"mass": mass, "friction": friction}
        properties = RobotProperties(**{name: values for name, values in given.items() if values is not None})
        set_properties(world, {self: properties})

    @changing_in_turn
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
        self.refresh()
        self._attachments.attach(part, link)

    @changing_in_turn
    def detach(self, part: str | Any, link: str | None = None) -> None:
        """Let go of a part, which goes on with its present velocity.

        Args:
            part: As for `attach`.
            link: The link, or «world»; None: all that this robot's coupling attached it to. Other robots keep theirs.

        Raises:
            SceneError: It is not attached there; the message names the parts that are.
            EngineError: A coupling of the scene is in the middle of a step.
        """
        self._attachments.detach(part, link)

    @property
    @in_turn
    def attached(self) -> tuple[tuple[str, str], ...]:
        """The parts that are attached by this coupling, each with the name of its link or «world»."""
        return self._attachments.held

    @in_turn
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
        self.refresh()
        self.require_world(world)
        if not self.turn.is_calling:  # else the last step is still the one before the predicted one
            self.require_committed()
        if (taken := self.steps.taken) is None:
            raise no_step(self.joint_names)
        state = step_state(self.placed, self.answers, taken)
        return StepReadOut(self._tree, state, results_of(world), self.turn)

    @cached_property
    def _tree(self) -> RobotTree:
        return RobotTree(self.robot)

    @property
    def mass(self) -> Array:
        """M̂ of the last step, (m, m)."""
        return self.steps.values.mass

    @property
    def delta_theta_tilde(self) -> Array:
        """δθ̃ of the last step, (m,) [rad or m]."""
        return self.steps.values.delta_theta_tilde

    @property
    def delta_theta(self) -> Array:
        """δθ of the last step, (m,) [rad or m]."""
        return self.steps.values.delta_theta

    @property
    def contact_force(self) -> Array:
        """Generalised contact force on the joints in the last step, ∂K/∂δθ/dt², (m,) [N·m or N]."""
        return self.steps.values.contact_force

    @property
    @in_turn
    def theta(self) -> Array:
        """Joint positions of the multibody engine at present, (m,) [rad or m]."""
        return self.answers.theta()

    @property
    @in_turn
    def theta_dot(self) -> Array:
        """Joint velocities of the multibody engine at present, (m,) [rad/s or m/s]."""
        return self.answers.theta_dot()

    @property
    @in_turn
    def body_poses(self) -> Array:
        """Transforms in the scene of the links and then of the free bodies, (n + f, 4, 4)."""
        if self._group.is_stale and (q := self._group.q) is not None:
            return affine.transform_from_q(q[self._number])
        return self.placed.body_poses

    @property
    @in_turn
    def drift(self) -> Array:
        """Distance of each link in the scene from the multibody engine's link, (n,) [m].

        It is the largest displacement of a vertex of its surface, or of its origin if it has none. It is due to the
        finite stiffness of bodies and joints, and does not accumulate. IPC's guarantee is for the scene's links. A link
        that has drifted far is a warning, see `drifting`.
        """
        self.refresh()
        each = zip(self.placed.robot.links, self._moved(coordinates(self.placed.bodies.links)), strict=True)
        return np.array([largest_displacement(*of_link) for of_link in each])

    def _moved(self, q: Array) -> Array:
        """Coordinates q (n, 12) of the links in the scene less those of the multibody engine's links, (n, 12)."""
        return q - affine.q_from_transform(self.answers.link_poses())

    @property
    @in_turn
    def minimum_distance(self) -> float:
        """Smallest distance [m] of two surfaces of the scene that may touch; inf if no distance is below 10 d̂."""
        self.refresh()
        return scene_distance(self.scene).minimum()

    @in_turn
    def predict(self, info: Any) -> Written:
        """The articulation's input for the step that begins, for the attributes of libuipc's own engines.

        Args:
            info: libuipc's UpdateInfo.

        Returns:
            M̂ (m, m), δθ̃ (m,), both with the tied joints after the others; by (geometry id, instance) the reference pose
            (12,) of each link with a joint of the articulation; links with only passive joints have none; and bounded
            springs (m, 4, 4) and rows with springs, None where nothing is restrained.

        Raises:
            AdapterError: Time step or gravity are not the scene's, or the adapter's result is not as `Adapter` says.
            EngineError: The world has taken a step since the last prediction, which was not committed.
        """
        return self._group.written(info, self._number)

    @property
    def visuals(self) -> dict[str, tuple[Visual, ...]]:
        """Visual surfaces of the bodies that have any, by name; meshes are read when they are first asked for."""
        return self._visuals.by_name

    @property
    def visuals_by_geometry(self) -> dict[int, tuple[Visual, ...]]:
        """Those of the scene's bodies, by the id of the body's geometry."""
        return self._visuals.by_geometry

    @property
    def decorations(self) -> list[Surface]:
        """Static bodies without a mesh, which are only drawn; the scene does not have them."""
        return self._visuals.decorations

    @property
    def link_ids(self) -> frozenset[int]:
        """Ids of the links' geometries in the scene."""
        return self.placed.link_ids

    @property
    def named_slots(self) -> list[tuple[str, Any]]:
        """Names and geometry slots of the links, then of the free bodies."""
        return self.placed.named_slots

    def require_world(self, world: uipc.World) -> None:
        """Check that a world belongs to the coupling's scene.

        Raises:
            SceneError: It belongs to another one.
        """
        self._world.require(world)

    def require_prediction(self) -> None:
        """Check that a step is predicted that is not yet committed.

        Raises:
            EngineError: There is none.
            AdapterError, ArticulationError: The animator's callback raised this error.
        """
        raise_kept(self.scene)
        self.steps.require_prediction()

    @property
    def is_within_a_step(self) -> bool:
        """Whether a step is predicted that is not yet committed."""
        return self.steps.pending is not None

    def require_committed(self) -> None:
        """Check that every predicted step was committed.

        Raises:
            EngineError: One was not; the message names the joints.
        """
        self.steps.require_committed()

    def begin_anew(self) -> None:
        """Forget the last step, as after `couple`: its values become zero."""
        self.steps.begin_anew()

    def refresh(self) -> None:
        """Write the bodies into the scene's geometries, unless they are there already."""
        self._group.refresh()


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
    take_step(world, couplings)
