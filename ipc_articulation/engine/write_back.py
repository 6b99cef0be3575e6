"""Writes the engine's state where a libuipc user looks for it: transforms, velocities, joint angles, joint motion."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from uipc import view

from ipc_articulation import affine
from ipc_articulation.articulation.energy import ArticulationEnergy
from ipc_articulation.articulation.joints import REVOLUTE, Joints
from ipc_articulation.engine.model import Model
from ipc_articulation.engine.state import State

Array = NDArray[np.float64]


class SceneWriter:
    """Keeps the unwrapped joint angles and writes everything into the scene's geometries."""

    def __init__(self, model: Model) -> None:
        """Joint angles begin at their `init_angle` and `init_distance`."""
        self._model = model
        joints = Joints.concatenate([mesh.joints for mesh in model.joints])
        self._joints = ArticulationEnergy(joints, len(model.bodies), sizes=(len(joints),))
        self._revolute = joints.kind == REVOLUTE
        self._theta = np.zeros(len(joints))  # unwrapped, without the initial offset
        self._delta_theta = np.zeros(sum(model.articulations.energy.sizes) if model.articulations.energy else 0)
        geometry = model.bodies.geometry
        self._rows = [np.flatnonzero(geometry == g) for g in range(len(model.bodies.slots))]

    def follow(self, state: State) -> None:
        """Let the unwrapped angles follow a step; exact while a joint turns by less than π in a step."""
        if len(self._theta):
            turned = self._joints.theta(state.q) - self._theta
            turned[self._revolute] -= 2.0 * np.pi * np.round(turned[self._revolute] / (2.0 * np.pi))
            self._theta += turned
        self._delta_theta = self._model.articulations.delta_theta(state.q)

    def write(self, state: State) -> None:
        """Write the state into the scene."""
        transforms = affine.transform_from_q(state.q)
        rates = affine.transform_rate_from_qdot(state.qdot)
        for slot, rows in zip(self._model.bodies.slots, self._rows, strict=True):
            instances = slot.geometry().instances()
            view(instances.find("transform"))[...] = transforms[rows]
            velocity = instances.find("velocity")
            if velocity is not None:
                view(velocity)[...] = rates[rows]
        first = 0
        for mesh in self._model.joints:
            values = self._theta[first : first + len(mesh.joints)] + mesh.init
            mesh.write_coordinates(values)
            first += len(mesh.joints)
        self._model.articulations.write_delta_theta(self._delta_theta)
