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
from ipc_articulation.frontend.entries import Entries
from ipc_articulation.frontend.force_checks import refuse_strong
from ipc_articulation.frontend.soft.body_checks import LARGEST
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
    """One attribute of the vertices of several soft bodies, found again in each read: a callback may replace it."""

    def __init__(
        self,
        bodies: Sequence[SoftBody],
        name: str,
        shape: tuple[int, ...] = (),
        nonnegative: bool = False,
        largest: float = np.inf,
    ) -> None:
        """Find the attribute.

        Args:
            bodies: The bodies that have it.
            name: Name of the attribute.
            shape: Shape of one value: () a number, (3,) a vector.
            nonnegative: Whether values below zero are refused.
            largest: The largest size of a number.

        Raises:
            SceneError: A body lacks it, or its values have another type; the message names both.
        """
        self._bodies, self._name, self._shape, self._nonnegative = bodies, name, shape, nonnegative
        self._largest = largest
        self._parts()

    def read(self) -> Array:
        """The present values, body after body, (n, *shape).

        Raises:
            SceneError: A value is not finite, or negative, too large or of another type; the message names body,
                vertex and attribute.
        """
        parts = self._parts()
        values = np.concatenate([np.zeros((0, *self._shape)), *parts])
        if not are_valid(values, self._nonnegative) or np.abs(values).max(initial=0.0) > self._largest:
            for part, body in zip(parts, self._bodies, strict=True):
                self._refuse(body, ~np.isfinite(part), "not finite")
                self._refuse(body, (part < 0.0) & self._nonnegative, "negative")
                self._refuse(body, np.abs(part) > self._largest, f"above {self._largest:g}")
        return values

    def said(self, number: int) -> str:
        """What messages call the value with this number."""
        first = np.cumsum([0, *(len(body.x) for body in self._bodies)])
        k = int(np.searchsorted(first, number, side="right")) - 1
        return f"{self._bodies[k].owner}: the '{self._name}' of vertex {number - first[k]}"

    def _parts(self) -> list[Array]:
        return [_vertices(body).numbers(self._name, shape=self._shape) for body in self._bodies]

    def _refuse(self, body: SoftBody, bad: Bools, why: str) -> None:
        if bad.any():
            vertex = int(np.argmax(bad.reshape(len(bad), -1).any(axis=1)))
            raise SceneError(f"{body.owner}: the '{self._name}' of vertex {vertex} is {why}")


class VertexFlag:
    """A switch of each vertex of several soft bodies."""

    def __init__(self, bodies: Sequence[SoftBody], name: str) -> None:
        """Find it.

        Raises:
            SceneError: A body lacks it, or a value is not 0 or 1.
        """
        self._bodies, self._name = bodies, name
        self.read()

    def read(self) -> Bools:
        """Which vertices have it, body after body, (n,).

        Raises:
            SceneError: A value is not 0 or 1.
        """
        parts = [_vertices(body).flags(self._name) for body in self._bodies]
        return np.concatenate([np.zeros(0, dtype=bool), *parts])


def _vertices(body: SoftBody) -> Entries:
    return Entries(body.slot.geometry().vertices(), body.owner, "vertex")


class SoftPositionConstraint:
    """The reader of constraint 14 for the bodies that carry it."""

    def __init__(self, bodies: Sequence[SoftBody]) -> None:
        """Find its attributes.

        Raises:
            SceneError: A body lacks one.
        """
        self._is_on = VertexFlag(bodies, "is_constrained")
        self._aim = VertexAttribute(bodies, "aim_position", (3,), largest=LARGEST)
        self._strength = VertexAttribute(bodies, "strength_ratio", nonnegative=True)

    def read(self) -> Aims:
        """The present values.

        Raises:
            SceneError: One is not finite, an aim is above LARGEST, or a strength is negative.
        """
        return Aims(self._is_on.read(), self._aim.read(), self._strength.read())


class ExternalForce:
    """The reader of constraint 671 for the bodies that carry it."""

    def __init__(self, bodies: Sequence[SoftBody]) -> None:
        """Find its attributes.

        Raises:
            SceneError: A body lacks one.
        """
        self._is_on = VertexFlag(bodies, "external_force/is_constrained")
        self._force = VertexAttribute(bodies, "external_force", (3,))
        self._mass = np.concatenate([np.zeros(0), *(body.mass for body in bodies)])

    def read(self, dt: float) -> Forces:
        """The present values in a step of dt [s].

        Raises:
            SceneError: A force is not finite, or brings its vertex beyond every speed.
        """
        found = Forces(self._is_on.read(), self._force.read())
        refuse_strong(found.force * found.is_constrained[:, None], self._mass, dt, self._force.said)
        return found
