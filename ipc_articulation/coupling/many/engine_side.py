"""The CPU engine as many robots see it: their inputs handed over, their results read, without libuipc's attributes.

Attributes cost 1 µs each, and a robot has forty of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import uipc

from ipc_articulation import affine
from ipc_articulation.arrays import Array, Ints
from ipc_articulation.coupling.adapter import Prediction
from ipc_articulation.coupling.placed_robot import PlacedRobot
from ipc_articulation.coupling.robot_steps import ArticulationInput
from ipc_articulation.frontend.articulations import StepInputs
from ipc_articulation.frontend.worlds import ENGINES, is_on_cpu


class EngineSide:
    """Rows of N robots in the arrays of an engine, as long as the engine has the same model."""

    def __init__(self, cpu: Any, robots: Sequence[PlacedRobot]) -> None:
        """Find the rows.

        Args:
            cpu: The CPU engine.
            robots: The robots, all of one kind.
        """
        self._cpu, self._model = cpu, cpu.model
        row_of = {body: row for row, body in enumerate(cpu.body_ids)}

        def rows(slots: Sequence[Any]) -> list[int]:
            return [row_of[slot.id(), 0] for slot in slots]

        free = len(robots[0].own_free)
        self.bodies: Ints = np.array([rows([*robot.bodies.links, *robot.bodies.free]) for robot in robots])
        self._free: Ints = np.array([rows(robot.bodies.free[:free]) for robot in robots], dtype=np.int64)
        self._jointed = robots[0].jointed
        self._links: Ints = self.bodies[:, self._jointed].ravel()
        places = {geo_id: k for k, geo_id in enumerate(self._geo_ids)}
        self._place = [-1 if r.articulation is None else places[r.articulation.id()] for r in robots]
        self._order = np.argsort(self._place).tolist()  # number of the robot of each articulation

    @staticmethod
    def of(world: uipc.World, robots: Sequence[PlacedRobot], known: EngineSide | None) -> EngineSide | None:
        """The side for a world; None where its engine is another one, the scene has other articulations too, or joints
        are lowered to chains.
        """
        if not is_on_cpu(world) or any(robot.chains is not None for robot in robots):
            return None
        cpu = ENGINES[world].cpu
        cpu.follow_changes()
        if known is not None and known._cpu is cpu and known._model is cpu.model:
            return known
        term = cpu.workspace.articulation
        found = () if term is None else term.geo_ids
        ours = {robot.articulation.id() for robot in robots if robot.articulation is not None}
        return EngineSide(cpu, robots) if ours == set(found) else None

    @property
    def _geo_ids(self) -> tuple[int, ...]:
        term = self._cpu.workspace.articulation
        return () if term is None else term.geo_ids

    @property
    def q(self) -> Array:
        """Coordinates of links and free bodies, (N, b, 12)."""
        return self._cpu.state.q[self.bodies]

    @property
    def free_motion(self) -> tuple[Array, Array]:
        """Coordinates and velocities of the multibody engines' free bodies, (N, f, 12) each."""
        return self._cpu.state.q[self._free], self._cpu.state.qdot[self._free]

    def hand_over(self, inputs: Sequence[ArticulationInput], predictions: Sequence[Prediction]) -> None:
        """Give the engine the input of the next step, of all N robots."""
        term = self._cpu.workspace.articulation
        if term is None:
            return
        q_ref = self._cpu.state.q.copy()
        poses = np.array([prediction.link_poses for prediction in predictions])[:, self._jointed]
        q_ref[self._links] = affine.q_from_transform(poses).reshape(-1, affine.DOF)
        given = [inputs[k] for k in self._order]
        masses, tildes, springs, rows = zip(*given, strict=True)
        term.hand_over(StepInputs([mass.ravel() for mass in masses], tildes, springs, rows, q_ref))

    def take_back(self) -> None:
        """Let the engine read attributes again."""
        if (term := self._cpu.workspace.articulation) is not None:
            term.hand_over(None)

    def delta_theta(self) -> list[Array]:
        """δθ of each robot's freedoms in the step that was taken, tied joints last, (fₐ,)."""
        term = self._cpu.workspace.articulation
        found = [] if term is None else term.delta_theta(self._cpu.state.q)
        return [np.zeros(0) if place < 0 else found[place] for place in self._place]
