"""Writes the engine's state to libuipc's attributes: transforms, velocities, joint angles, joint motion."""

from __future__ import annotations

import numpy as np

from ipc_articulation.affine import transform_from_q, transform_rate_from_qdot
from ipc_articulation.arrays import Array
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms.articulation import Articulation
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.attributes import writable


class SceneWriter:
    """Writes states into the geometries of a scene."""

    def __init__(self, context: SceneContext, articulation: Articulation | None) -> None:
        """Find the attributes of each body geometry, and the rows of its bodies.

        Args:
            context: The scene's bodies and joints.
            articulation: The term of its articulations; None where it has none.
        """
        self._context, self._articulation, slots = context, articulation, context.bodies.slots
        counts = np.bincount(context.bodies.geometry[: context.bodies.affine_count], minlength=len(slots))
        self._ends = np.cumsum(counts).tolist()
        instances = [slot.geometry().instances() for slot in slots]
        self._targets = [(found.find("transform"), found.find("velocity")) for found in instances]
        soft = [(body.slot, body.owner) for body in context.bodies.soft.bodies]
        owned = [*((slot, f"affine-body geometry {slot.id()}") for slot in slots), *soft]
        meshes = [(slot.geometry().vertices().find("position"), owner, "vertices", "mesh") for slot, owner in owned]
        bodies = [(t, owner, "instances", "bodies") for (t, _), (_, owner) in zip(self._targets, owned, strict=False)]
        self._sizes = [(found, found.size(), *said) for found, *said in meshes + bodies]
        self._written = self._read_joints(np.zeros(len(context.coordinates)))

    def write(self, state: EngineState) -> None:
        """Write a state into the scene, or nothing.

        Raises:
            SceneError: A geometry has another size than when the scene was read; names it.
        """
        self.require_sizes()
        self._write_bodies(state)
        self._write_soft_bodies(state)
        self.write_joints(state)
        if self._articulation is not None:
            self._articulation.write_delta_theta(state.q)

    def require_sizes(self) -> None:
        """Refuse a geometry whose mesh or number of instances has changed since the scene was read.

        Raises:
            SceneError: There is one; names it.
        """
        for attribute, size, owner, parts, whole in self._sizes:
            if attribute.size() != size:
                raise SceneError(
                    f"{owner} has {attribute.size()} {parts} now, but had {size} when the scene was read; for "
                    f"{'another' if whole == 'mesh' else 'other'} {whole} make another geometry"
                )

    def _write_bodies(self, state: EngineState) -> None:
        first, count = 0, self._context.bodies.affine_count
        poses, rates = transform_from_q(state.q[:count]), transform_rate_from_qdot(state.qdot[:count])
        for (transform, velocity), end in zip(self._targets, self._ends, strict=True):
            writable(transform)[:] = poses[first:end]
            if velocity is not None:
                writable(velocity)[:] = rates[first:end]
            first = end

    def _write_soft_bodies(self, state: EngineState) -> None:
        """Write the positions of vertices in the world; the geometries' transforms are the identity (see `cpu`)."""
        soft, first = self._context.bodies.soft, self._context.bodies.affine_count
        if not soft.bodies:
            return
        positions = soft.written(state.q[first:], self._context.bodies.q[first:])
        for body, x, v in zip(soft.bodies, positions, soft.vertices_of(state.qdot[first:]), strict=True):
            vertices = body.slot.geometry().vertices()
            writable(vertices.find("position"))[..., 0] = x
            velocity = vertices.find("velocity")
            if velocity is not None:
                writable(velocity)[..., 0] = v

    def write_joints(self, state: EngineState) -> None:
        """Write `angle` and `distance` of all joints."""
        values, first = state.theta + self._context.coordinates.offset, 0
        for mesh in self._context.tracked:
            mesh.write_coordinates(values[first : first + len(mesh.joints)])
            first += len(mesh.joints)
        self._written = values

    def adopt_coordinates(self, theta: Array) -> Array:
        """θ (m,), replaced by `angle` or `distance` if these were changed since the engine wrote them."""
        present = self._read_joints(self._written)
        changed = present != self._written
        return np.where(changed, present - self._context.coordinates.offset, theta)

    def _read_joints(self, otherwise: Array) -> Array:
        """Values of `angle` and `distance`, (m,), or the given ones for a joint geometry without them."""
        values, first = otherwise.copy(), 0
        for mesh in self._context.tracked:
            present = mesh.read_coordinates()
            if present is not None:
                values[first : first + len(mesh.joints)] = present
            first += len(mesh.joints)
        return values
