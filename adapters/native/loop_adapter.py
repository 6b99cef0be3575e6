"""A robot with loops as one side of the coupling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Unpack

import numpy as np
from ipc_articulation.adapters.native.base import Around, ModelAdapter, refuse_equal_names, refuse_other_lengths
from ipc_articulation.adapters.native.loop_scene import loop_scene, scene_mechanism
from ipc_articulation.adapters.native.pins import placed_pin, require_closing
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import CoupledJoint, CoupledRobot, Prediction, TiedMotion
from ipc_articulation.coupling.robots import Pin
from ipc_articulation.dynamics import integrate
from ipc_articulation.dynamics.integrators import Drive, Scheme, Step, implicit
from ipc_articulation.dynamics.integrators.constrained import require_one_column
from ipc_articulation.dynamics.model import Model
from ipc_articulation.errors import AdapterError


class LoopAdapter(ModelAdapter):
    """Couples a robot with loops and its state to an IPC scene.

    M̂ and δθ̃ are those of the independent joints, δθ = dt ẏ⁺. Joints that are known functions of them (gears, knees) are
    tied to them in the scene (see `coupling.ties`). The other joints of the tree, and the pins that close the loops,
    hold their links together and have no part in M̂; so contact on any bar reaches the joint that drives it. Dry
    friction and limits of joints are decided while the step is predicted. Dependent links at the ends without geometry,
    such as rotors, count in M̂ and are not in the scene.

    The engine's own step is `dynamics.implicit`. Where nothing touches, the scene moves as it does.

    Attributes:
        x: Position, (nx,), loops closed; may be set between steps.
        y_dot: Independent velocities, (nv,) [rad/s or m/s]; may be set between steps.
        drive: What drives the joints of the spanning tree in the next step, see `Drive`. PD control beyond the
            effort limit becomes a constant force.
        free: The free bodies, with the poses and velocities that IPC gave them last.

    Args:
        robot: The robot; its gravity must be the scene's.
        dt: Time step [s].
        x: Position at the start, (nx,), loops closed.
        pins: Where links meet that the spanning tree does not join.
        y_dot: Velocity at the start, (nv,); None: at rest.
        scheme: Which forces the engine's step is implicit in.
        around: What stands around the robot, and how surfaces are made; as for `NativeAdapter`.

    Raises:
        AdapterError: The time step is not positive, two bodies have the same name, a pin does not meet, or the pins do
            not close just the loops of the robot.
        MeshError: A mesh is not closed or cannot be read.
        StateError: A wrong length, a number that is not finite, an open or singular loop.
        UnsupportedError: A joint is not made of turns and slides, mimics another one, or has friction or limits and
            moves with several independent coordinates.
    """

    def __init__(
        self,
        robot: Model,
        dt: float,
        x: ArrayLike,
        pins: Sequence[Pin],
        *,
        y_dot: ArrayLike | None = None,
        scheme: Scheme = Scheme.FULL,
        **around: Unpack[Around],
    ) -> None:
        super().__init__(robot.spanning_tree, dt, scheme, **around)
        require_one_column(robot)
        self.robot, self.pins = robot, tuple(pins)
        self.x: Array = np.array(x, dtype=float)
        self.y_dot: Array = np.zeros(robot.nv) if y_dot is None else np.array(y_dot, dtype=float)
        self._scene = loop_scene(robot, self._chain, self._surfaces)
        self._predicted: Step | None = None
        refuse_equal_names(self.describe())
        require_closing(robot, self.x, self._chain, self._scene, self._placed_pins())

    def describe(self) -> CoupledRobot:
        """The robot at its present state.

        Raises:
            AdapterError: A pin does not meet.
            StateError: A wrong length, a number that is not finite, an open loop.
        """
        return scene_mechanism(self._describe_at(self.robot.spanning(self.x)), self._scene, self._placed_pins())

    def predict(self) -> Prediction:
        """M̂, δθ̃ and link poses of the engine's own step from the present state; changes nothing a user sees.

        Raises:
            StateError: A wrong length, a number that is not finite, an open or singular loop.
        """
        step = implicit(self.robot, self.x, self.y_dot, self._dt, self._drive(), self.scheme)
        self._predicted, scale = step, self._scene.scale
        return Prediction(
            step.mass / np.outer(scale, scale), scale * step.v * self._dt, self.link_poses(), self._tied(step)
        )

    def commit(self, delta_theta: Array, free_poses: Array, free_velocities: Array) -> None:
        """Take the predicted step with IPC's correction: y gains δθ, and the loops are closed.

        Args:
            delta_theta: δθ of the independent joints, (nv,) [rad or m].
            free_poses: Poses of the free bodies after the step, (f, 4, 4), rigid.
            free_velocities: Rates of those poses, (f, 4, 4).

        Raises:
            AdapterError: Nothing was predicted since the last commit.
            StateError: A loop cannot be closed.
        """
        if self._predicted is None:
            raise AdapterError("commit without a prediction: call predict first, once for each step")
        self._predicted = None
        y_dot = delta_theta / (self._scene.scale * self._dt)
        self.x, self.y_dot = integrate(self.robot, self.x, y_dot, self._dt), y_dot
        self._move_free(free_poses, free_velocities)

    def link_poses(self) -> Array:
        """Forward kinematics of the scene's links at the present state, (n, 4, 4).

        Raises:
            StateError: A wrong length, a number that is not finite, an open loop.
        """
        return self._chain.link_poses(self.robot.spanning(self.x))[self._scene.links]

    def theta(self) -> Array:
        """Positions of the independent joints, (nv,) [rad or m].

        Raises:
            StateError: A wrong length, a number that is not finite, an open loop.
        """
        return self.robot.spanning(self.x)[self._scene.owned]

    def theta_dot(self) -> Array:
        """Velocities of the independent joints, (nv,) [rad/s or m/s]."""
        return self._scene.scale * np.asarray(self.y_dot)

    def state(self) -> dict[str, Array]:
        """Position, velocity, and where the free bodies are; `drive` is the user's."""
        return {"x": np.array(self.x), "y_dot": np.array(self.y_dot), **self._free_state()}

    def restore(self, state: Mapping[str, Array]) -> None:
        """Go back to what `state` gave.

        Raises:
            AdapterError: It is of another model.
        """
        refuse_other_lengths(state, x=self.x, y_dot=self.y_dot)
        self.x, self.y_dot, self._predicted = np.array(state["x"]), np.array(state["y_dot"]), None
        self._restore_free(state)

    def _tied(self, step: Step) -> TiedMotion | None:
        """How the tied joints follow to the end of a step."""
        tied = self._scene.tied
        if not len(tied):
            return None
        moved = self.robot.spanning(step.q)[tied] - self.robot.spanning(self.x)[tied]
        return TiedMotion(moved, self._scene.tie_rates(self.robot.G(step.q)))

    def _placed_pins(self) -> list[CoupledJoint]:
        poses, names = self.link_poses(), [self._chain.names[link] for link in self._scene.links]
        return [placed_pin(pin, names, poses) for pin in self.pins]

    def _drive(self) -> Drive:
        motion = self.robot.motion(self.x, self.y_dot)
        return self._possible_drive(motion.q, motion.v)
