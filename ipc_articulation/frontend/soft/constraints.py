"""Values on vertices of soft bodies that callbacks may write; each read gives the present ones.

SoftPositionConstraint (14): each vertex i that is constrained and not fixed has

    E = ½ sᵢ mᵢ |xᵢ - x̂ᵢ|²,   x̂ᵢ = xᵢᵗ + a (aimᵢ - xᵢᵗ),   without dt²

s is `strength_ratio`, m the lumped mass, aim a position in the world, not moved by the geometry's transform. With n
animator substeps a = 1/n, 2/n, … 1 during the Newton iterations. Without a callback the aim is the first position.

FiniteElementExternalForce (671): the force f [N] on a vertex that is not fixed is an acceleration f/m beside gravity:

    E = -dt² Σ fᵢ·(xᵢ - xᵢᵗ).

Both have a switch for each vertex. libuipc reads values and switches in each step, after the callbacks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.attributes import are_valid
from ipc_articulation.frontend.soft.soft_body import SoftBody


class Aims(NamedTuple):
    """Soft position constraints of n vertices, those of body after body."""

    is_constrained: Bools  # (n,)
    position: Array  # (n, 3) [m], in the world
    strength: Array  # (n,) s


class Forces(NamedTuple):
    """External forces on n vertices, those of body after body."""

    is_constrained: Bools  # (n,)
    force: Array  # (n, 3) [N]


class VertexAttribute:
    """One attribute of the vertices of several soft bodies; its slots are found once."""

    def __init__(
        self, bodies: Sequence[SoftBody], name: str, shape: tuple[int, ...] = (), nonnegative: bool = False
    ) -> None:
        """Find the attribute.

        Args:
            bodies: The bodies that have it.
            name: Name of the attribute.
            shape: Shape of one value: () a number, (3,) a vector.
            nonnegative: Whether values below zero are refused.

        Raises:
            SceneError: A body lacks it, or its values have another shape; the message names both.
        """
        self._bodies, self._name, self._shape, self._nonnegative = bodies, name, shape, nonnegative
        self._slots = [body.slot.geometry().vertices().find(name) for body in bodies]
        for slot, body in zip(self._slots, bodies, strict=True):
            if slot is None:
                raise SceneError(f"{body.owner} has no attribute '{name}' on its vertices")
            found = slot.view().shape[1:]
            if found not in (shape, (*shape, 1)):
                raise SceneError(f"{body.owner}: its '{name}' has the shape {found} a vertex, must have {shape}")

    def read(self) -> Array:
        """The present values, body after body, (n, *shape).

        Raises:
            SceneError: A value is not finite, or negative; the message names body, vertex and attribute.
        """
        parts = [np.reshape(slot.view(), (-1, *self._shape)) for slot in self._slots]
        values = np.concatenate([np.zeros((0, *self._shape)), *parts])
        if not are_valid(values, self._nonnegative):
            for part, body in zip(parts, self._bodies, strict=True):
                self._refuse(body, ~np.isfinite(part), "not finite")
                self._refuse(body, (part < 0.0) & self._nonnegative, "negative")
        return values

    def _refuse(self, body: SoftBody, bad: Bools, why: str) -> None:
        if bad.any():
            vertex = int(np.argmax(bad.reshape(len(bad), -1).any(axis=1)))
            raise SceneError(f"{body.owner}: the '{self._name}' of vertex {vertex} is {why}")


class SoftPositionConstraint:
    """The reader of constraint 14 for the bodies that carry it."""

    def __init__(self, bodies: Sequence[SoftBody]) -> None:
        """Find its attributes.

        Raises:
            SceneError: A body lacks one.
        """
        self._is_on = VertexAttribute(bodies, "is_constrained")
        self._aim = VertexAttribute(bodies, "aim_position", (3,))
        self._strength = VertexAttribute(bodies, "strength_ratio", nonnegative=True)

    def read(self) -> Aims:
        """The present values.

        Raises:
            SceneError: One is not finite, or a strength is negative.
        """
        return Aims(self._is_on.read() != 0.0, self._aim.read(), self._strength.read())


class ExternalForce:
    """The reader of constraint 671 for the bodies that carry it."""

    def __init__(self, bodies: Sequence[SoftBody]) -> None:
        """Find its attributes.

        Raises:
            SceneError: A body lacks one.
        """
        self._is_on = VertexAttribute(bodies, "external_force/is_constrained")
        self._force = VertexAttribute(bodies, "external_force", (3,))

    def read(self) -> Forces:
        """The present values.

        Raises:
            SceneError: A force is not finite.
        """
        return Forces(self._is_on.read() != 0.0, self._force.read())
