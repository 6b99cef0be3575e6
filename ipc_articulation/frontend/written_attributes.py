"""Values that callbacks may write on instances of affine bodies and on joints; each read gives the present ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array, Bools
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.attributes import are_valid
from ipc_articulation.frontend.bodies import BodyTable
from ipc_articulation.frontend.entries import Entries
from ipc_articulation.frontend.joint_columns import check_joint_values
from ipc_articulation.frontend.joints import JointMesh


class InstanceAttribute:
    """One attribute of the k instances of several body geometries.

    It is found again in each read, because a callback may replace it.
    """

    def __init__(
        self, bodies: BodyTable, slots: Sequence[Any], name: str, shape: tuple[int, ...] = (), nonnegative: bool = False
    ) -> None:
        """Find the attribute.

        Args:
            bodies: All bodies of the scene.
            slots: Geometry slots with this attribute.
            name: Name of the attribute.
            shape: Shape of one value: () a number, (12,) a Vector12, (4, 4) a matrix.
            nonnegative: Whether values below zero are refused.

        Raises:
            SceneError: A geometry lacks it, or its values have another type; the message names both.
        """
        self._name, self._shape, self._nonnegative = name, shape, nonnegative
        self.rows = np.concatenate([np.zeros(0, dtype=np.int64), *(bodies.rows_of(slot) for slot in slots)])  # (k,)
        self._names = [bodies.names[row] for row in self.rows]
        self._slots = tuple(slots)
        self._parts()

    def read(self) -> Array:
        """The present values, geometry after geometry, (k, *shape).

        Raises:
            SceneError: A value is not finite, or negative, or of another type; the message names body and attribute.
        """
        values = np.concatenate([np.zeros((0, *self._shape)), *self._parts()])
        if not are_valid(values, self._nonnegative):
            self._refuse(~np.isfinite(values), "is not finite")
            self._refuse(values < 0.0, "is negative")
        return values

    def said(self, number: int) -> str:
        """What messages call the value with this number."""
        return f"body '{self._names[number]}': its '{self._name}'"

    def read_switch(self) -> Bools:
        """Where it is 1 now, (k,).

        Raises:
            SceneError: A value is not 0 or 1; the message names geometry, instance and attribute.
        """
        parts = [instances.flags(self._name) for instances in self._instances()]
        return np.concatenate([np.zeros(0, dtype=bool), *parts])

    def _parts(self) -> list[Array]:
        return [instances.numbers(self._name, shape=self._shape) for instances in self._instances()]

    def _instances(self) -> list[Entries]:
        return [
            Entries(slot.geometry().instances(), f"affine-body geometry {slot.id()}", "instance")
            for slot in self._slots
        ]

    def _refuse(self, bad: Bools, why: str) -> None:
        if bad.any():
            which = int(np.flatnonzero(bad.reshape(len(bad), -1).any(axis=1))[0])
            raise SceneError(f"{self.said(which)} {why}")


class JointAttribute:
    """One attribute of the edges of several joint geometries, found again in each read: a callback may replace it."""

    def __init__(self, meshes: Sequence[JointMesh], name: str, nonnegative: bool = False) -> None:
        """Find the attribute.

        Args:
            meshes: The joint geometries.
            name: Name of the attribute, which has one number for each edge.
            nonnegative: Whether values below zero are refused.

        Raises:
            SceneError: A geometry lacks it, or its values have another type; the message names both.
        """
        self._name, self._nonnegative = name, nonnegative
        self._owners = [f"joint geometry {mesh.geo_id}" for mesh in meshes]
        self._meshes = tuple(meshes)
        self._parts()

    def read(self) -> Array:
        """The present values of all m joints, geometry after geometry, (m,).

        Raises:
            SceneError: A value is not finite, or negative, or of another type; the message names geometry, joint and
                attribute.
        """
        parts = self._parts()
        values = np.concatenate([np.zeros(0), *parts])
        if not are_valid(values, self._nonnegative):
            for part, owner in zip(parts, self._owners, strict=True):
                check_joint_values(part, self._name, owner, self._nonnegative)
        return values

    def read_switch(self) -> Bools:
        """Where it is 1 now, (m,).

        Raises:
            SceneError: A value is not 0 or 1; the message names geometry, edge and attribute.
        """
        return np.concatenate([np.zeros(0, dtype=bool), *(edges.flags(self._name) for edges in self._edges())])

    def _parts(self) -> list[Array]:
        return [edges.numbers(self._name) for edges in self._edges()]

    def _edges(self) -> list[Entries]:
        of_each = zip(self._meshes, self._owners, strict=True)
        return [Entries(mesh.slot.geometry().edges(), owner, "edge") for mesh, owner in of_each]
