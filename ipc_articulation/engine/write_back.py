"""Writes the engine's state where a libuipc user looks for it: transforms, velocities, joint angles, joint motion."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from uipc import view

from ipc_articulation import affine
from ipc_articulation.engine.scene_context import SceneContext
from ipc_articulation.engine.state import State


class SceneWriter:
    """Writes states into the geometries of a scene."""

    def __init__(self, context: SceneContext) -> None:
        """Find the rows of each body geometry."""
        self._context = context
        self._rows = [np.flatnonzero(context.bodies.geometry == g) for g in range(len(context.bodies.slots))]
        self._written = self._read_joints(np.zeros(len(context.coordinates)))

    def write(self, state: State) -> None:
        """Write a state into the scene."""
        self._write_bodies(state)
        self.write_joints(state)
        articulations = self._context.articulations
        articulations.write_delta_theta(articulations.delta_theta(state.q))

    def _write_bodies(self, state: State) -> None:
        transforms = affine.transform_from_q(state.q)
        rates = affine.transform_rate_from_qdot(state.qdot)
        for slot, rows in zip(self._context.bodies.slots, self._rows, strict=True):
            instances = slot.geometry().instances()
            view(instances.find("transform"))[...] = transforms[rows]
            velocity = instances.find("velocity")
            if velocity is not None:
                view(velocity)[...] = rates[rows]

    def write_joints(self, state: State) -> None:
        """Write `angle` and `distance` of all joints."""
        values, first = state.theta + self._context.coordinates.offset, 0
        for mesh in self._context.joints:
            mesh.write_coordinates(values[first : first + len(mesh.joints)])
            first += len(mesh.joints)
        self._written = values

    def adopt_coordinates(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        """θ (m,), but where somebody else has changed `angle` or `distance` since they were written, what it says."""
        present = self._read_joints(self._written)
        changed = present != self._written
        return np.where(changed, present - self._context.coordinates.offset, theta)

    def _read_joints(self, otherwise: NDArray[np.float64]) -> NDArray[np.float64]:
        """What `angle` and `distance` say, (m,); a joint geometry without them has the other values."""
        values, first = otherwise.copy(), 0
        for mesh in self._context.joints:
            present = mesh.read_coordinates()
            if present is not None:
                values[first : first + len(mesh.joints)] = present
            first += len(mesh.joints)
        return values
