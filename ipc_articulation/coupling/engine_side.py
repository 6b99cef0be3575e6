"""The CPU engine as robots see it: their inputs handed over, their results read, without libuipc's attributes.

Attributes cost 1 µs each, and a robot has forty of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ipc_articulation import affine
from ipc_articulation.arrays import Array, Ints
from ipc_articulation.coupling.placed_robot import PlacedRobot
from ipc_articulation.frontend.articulations import StepInput

_NOTHING = np.zeros(0)


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
        self._jointed = rows([robot.jointed_slots for robot in robots]).ravel()
        self._ids = [None if robot.articulation is None else robot.articulation.id() for robot in robots]
        for robot, geo_id in zip(robots, self._ids, strict=True):
            if geo_id is not None:
                self._term.name_joints(geo_id, f"{robot.label}articulation", robot.articulated_names)

    @staticmethod
    def of(cpu: Any, robots: Sequence[PlacedRobot], known: EngineSide | None) -> EngineSide:
        """The side of an engine, which is made anew if the engine or its model has changed."""
        is_same = known is not None and known.cpu is cpu and known._model is cpu.model
        return known if known is not None and is_same else EngineSide(cpu, robots)

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

    def hand_over(self, inputs: Sequence[StepInput], poses: Sequence[Array]) -> None:
        """Give the engine the input of the step whose callbacks run.

        Args:
            inputs: Of the N robots.
            poses: Reference poses of the bodies of each robot's articulation, (k, 4, 4).
        """
        given = {geo_id: own for geo_id, own in zip(self._ids, inputs, strict=True) if geo_id is not None}
        if given:
            self._term.hand_over(given, self._jointed, affine.q_from_transform(np.concatenate(poses)))

    def motion(self, which: Sequence[int]) -> tuple[Array, Array, Array]:
        """The step that some robots have taken.

        Args:
            which: Their numbers, (k,).

        Returns:
            δθ of the joints, (k, m); coordinates and velocities of the multibody engines' free bodies, (k, f, 12) each.
        """
        state = self.cpu.state
        found = {} if self._term is None else self._term.delta_theta(state.q)
        delta = [
            self._robots[k].own_freedoms(found.get(self._ids[k], _NOTHING), q)
            for k, q in zip(which, state.q[self._bodies[which]], strict=True)
        ]
        free = self._free[which]
        return np.array(delta), state.q[free], state.qdot[free]
