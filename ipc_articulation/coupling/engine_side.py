"""The CPU engine as robots see it: their inputs handed over, their results read, without libuipc's attributes.

Attributes cost 1 µs each, and a robot has forty of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ipc_articulation import affine
from ipc_articulation.arrays import Array, Ints
from ipc_articulation.articulation.step_places import StepInput
from ipc_articulation.coupling.placed_robot import PlacedRobot
from ipc_articulation.coupling.robot_steps import RobotSteps
from ipc_articulation.frontend.articulations import HandedOver


class EngineSide:
    """Rows of N robots in the arrays of an engine, as long as the engine has the same model."""

    def __init__(self, cpu: Any, robots: Sequence[PlacedRobot]) -> None:
        """Find the rows.

        Args:
            cpu: The CPU engine.
            robots: The robots, all of one kind.
        """
        self.cpu, self._model, self._robots = cpu, cpu.model, robots
        row_of = {body: row for row, body in enumerate(cpu.body_ids)}

        def rows(slots_of_each: Sequence[Sequence[Any]]) -> Ints:
            return np.array([[row_of[slot.id(), 0] for slot in slots] for slots in slots_of_each], dtype=np.int64)

        self._bodies = rows([[*robot.bodies.links, *robot.bodies.free] for robot in robots])
        self._free = rows([robot.own_slots for robot in robots])
        jointed = rows([robot.jointed_slots for robot in robots]).ravel()
        self._given: HandedOver | None = None  # with the reference poses of the last step; None without joints
        if robots[0].articulation is not None:
            ids = [robot.articulation.id() for robot in robots]
            self._given = HandedOver(self._term.places(ids), jointed, np.zeros((len(jointed), 12)))
            for robot, geo_id in zip(robots, ids, strict=True):
                self._term.name_joints(geo_id, f"{robot.label}articulation", robot.articulated_names)

    @staticmethod
    def of(cpu: Any, robots: Sequence[RobotSteps], known: EngineSide | None) -> EngineSide:
        """The side of an engine, which is made anew if the engine or its model has changed."""
        is_same = known is not None and known.cpu is cpu and known._model is cpu.model
        return known if known is not None and is_same else EngineSide(cpu, [robot.placed for robot in robots])

    @property
    def _term(self) -> Any:
        return self.cpu.workspace.articulation

    @property
    def q(self) -> Array:
        """Coordinates of links and free bodies, (N, b, 12)."""
        return self.cpu.state.q[self._bodies]

    def links(self, number: int) -> Array:
        """Coordinates of the links of a robot, (n, 12)."""
        return self.cpu.state.q[self._bodies[number, : len(self._robots[number].link_names)]]

    def hand_over(self, step: StepInput, poses: Array) -> None:
        """Give the engine the input of the step whose callbacks run.

        Args:
            step: Of the N robots.
            poses: Reference poses of the bodies of each robot's articulation, (N, k, 4, 4).
        """
        if self._given is not None:
            q_ref = affine.q_from_transform(poses.reshape(-1, 4, 4))
            self._term.hand_over(step, self._given._replace(q_ref=q_ref))

    def motion(self) -> tuple[Array, Array, Array]:
        """The step that the robots have taken.

        Returns:
            δθ of the joints, (N, m); coordinates and velocities of the multibody engines' free bodies, (N, f, 12) each.
        """
        state, robots = self.cpu.state, self._robots
        delta = np.zeros((len(robots), 0))
        if self._given is not None:
            delta = self._term.delta_theta(state.q)[self._given.places.freedoms]
        each = zip(robots, delta, self.q, strict=True)
        delta = np.array([robot.own_freedoms(own, q) for robot, own, q in each])
        return delta, state.q[self._free], state.qdot[self._free]
