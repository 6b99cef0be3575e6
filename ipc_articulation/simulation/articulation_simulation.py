"""Runs scenes without an outside engine (`adapter: none`)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.distance import SceneDistance
from ipc_articulation.frontend.joint_kinds import BY_NAME
from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.document import Document
from ipc_articulation.simulation.articulation_scene import Parts, fill
from ipc_articulation.simulation.world import dump_world, make_uipc_scene, recover_world, start_world


class ArticulationSimulation:
    """A scene whose articulations follow a prescribed motion; implements `Simulation`."""

    def __init__(self, scene: schema.ArticulationScene, document: Document, engine: str, workspace: Path) -> None:
        """Build the scene and start the engine; errors as in `fill` and `start_world`."""
        self._uipc_scene = make_uipc_scene(scene, document)
        parts = fill(self._uipc_scene, scene, document)
        self.surfaces, self.planes, self._soft = parts.surfaces, parts.mechanism.planes, parts.soft
        self.soft_shapes, self.cameras = parts.soft.shapes, parts.mechanism.cameras
        self.ran_code: tuple[str, ...] = ()
        self.failures: list[dict[str, Any]] = []
        self.drawn: Mapping[str, float | list[float]] = {}
        self.joint_names = tuple(joint.name for joint in scene.joints if isinstance(joint, schema.AxisEntry))
        axes = (joint for joint in scene.joints if isinstance(joint, schema.AxisEntry))
        self.joint_units: Mapping[str, str] = {j.name: "rad" if j.type == "revolute" else "m" for j in axes}
        self.body_names = tuple(surface.name for surface in parts.surfaces if surface.role != "fixed")
        self.free_names = tuple(surface.name for surface in parts.surfaces if surface.role == "free")
        self._readers = _Readers(scene, parts)
        self._motions = _Motions(scene, self.joint_names)
        self._theta = np.zeros(len(self.joint_names))
        self.engine, self._world = start_world(self._uipc_scene, scene, document, engine, workspace)
        self._distance = SceneDistance(self._uipc_scene)

    def step(self, index: int) -> None:
        """Take one step; the motion is the same in each."""
        self._world.advance()
        self._world.retrieve()

    def minimum_distance(self) -> float:
        """Smallest distance at present; see `Simulation`."""
        return self._distance.minimum()

    def measure(self, is_start: bool) -> dict[str, Any]:
        """Quantities of the present state; see `Simulation`."""
        theta = self._readers.theta()
        theta_dot = np.zeros_like(theta) if is_start else (theta - self._theta) / self._motions.dt
        self._theta = theta
        state = {
            "theta": theta,
            "theta_dot": theta_dot,
            "body_poses": self._readers.poses(),
            "soft_positions": self._soft.positions,
            "minimum_distance": self.minimum_distance(),
        }
        if is_start:
            return state
        delta_theta = self._readers.delta_theta(self._motions)
        return {
            **state,
            "delta_theta": delta_theta,
            "delta_theta_tilde": self._motions.delta_theta_tilde,
            "contact_force": self._motions.force(delta_theta),
        }

    def dump(self) -> dict[str, Array]:
        """See `Simulation`; joint positions are kept, for velocities are their differences."""
        dump_world(self._world)
        return {"theta": self._theta}

    def recover(self, frame: int, state: Mapping[str, Array]) -> None:
        """See `Simulation`."""
        recover_world(self._world, frame)
        self._theta = np.array(state["theta"])


class _Motions:
    """The prescribed motions of all articulations over the joints of the file; NaN at joints that none moves."""

    def __init__(self, scene: schema.ArticulationScene, joint_names: tuple[str, ...]) -> None:
        m = len(joint_names)
        self.dt = scene.dt
        self.joints = [[joint_names.index(name) for name in item.joints] for item in scene.articulations]
        self.delta_theta_tilde = np.full(m, np.nan)
        self._masses = [np.array(item.mass) for item in scene.articulations]
        for indices, item in zip(self.joints, scene.articulations, strict=True):
            self.delta_theta_tilde[indices] = scene.dt * np.array(item.velocity)

    def force(self, delta_theta: Array) -> Array:
        """τ = M (δθ - δθ̃) / dt², what anything but the prescribed motion does to the joints, (m,) [N·m or N]."""
        force, error = np.full_like(delta_theta, np.nan), delta_theta - self.delta_theta_tilde
        for indices, M in zip(self.joints, self._masses, strict=True):
            force[indices] = M @ error[indices] / self.dt**2
        return force


class _Readers:
    """Attributes of the libuipc scene that each step is read from."""

    def __init__(self, scene: schema.ArticulationScene, parts: Parts) -> None:
        bodies = zip(parts.bodies, parts.surfaces, strict=True)
        self._transforms = [slot.geometry().transforms() for slot, surface in bodies if surface.role != "fixed"]
        joints = zip(parts.joints, scene.joints, strict=True)
        self._positions = [
            slot.geometry().edges().find(BY_NAME[joint.type].coordinate)
            for slot, joint in joints
            if isinstance(joint, schema.AxisEntry)
        ]
        self._deltas = [slot.geometry()["joint"].find("delta_theta") for slot in parts.articulations]

    def poses(self) -> Array:
        """Of the bodies that can move, (n, 4, 4)."""
        return np.array([transforms.view()[0] for transforms in self._transforms]).reshape(-1, 4, 4)

    def theta(self) -> Array:
        """Of all joints, (m,) [rad or m]."""
        return np.array([position.view()[0] for position in self._positions])

    def delta_theta(self, motions: _Motions) -> Array:
        """Of the step just taken, (m,) [rad or m]; NaN at joints of no articulation."""
        result = np.full_like(motions.delta_theta_tilde, np.nan)
        for indices, delta in zip(motions.joints, self._deltas, strict=True):
            result[indices] = delta.view().reshape(-1)
        return result
