"""Numbers that callbacks may write into joint geometries, read anew when asked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.frontend.attributes import are_valid, require
from ipc_articulation.frontend.joint_columns import check_joint_values
from ipc_articulation.frontend.joints import JointMesh


class JointAttribute:
    """One attribute of the edges of several joint geometries; its slots are found once."""

    def __init__(self, meshes: Sequence[JointMesh], name: str, nonnegative: bool = False) -> None:
        """Find the attribute.

        Args:
            meshes: The joint geometries.
            name: The attribute, one number an edge.
            nonnegative: Whether values below zero are refused.

        Raises:
            SceneError: A geometry lacks it; names both.
        """
        self._name, self._nonnegative = name, nonnegative
        self._owners = [f"joint geometry {mesh.geo_id}" for mesh in meshes]
        self._slots = []
        for mesh, owner in zip(meshes, self._owners, strict=True):
            edges = mesh.slot.geometry().edges()
            require(edges, name, owner)
            self._slots.append(edges.find(name))

    def read(self) -> Array:
        """The present values of all m joints, geometry after geometry, (m,).

        Raises:
            SceneError: A value is not finite, or negative; names geometry, joint and attribute.
        """
        parts = [slot.view() for slot in self._slots]
        values = np.concatenate([np.zeros(0), *parts])
        if not are_valid(values, self._nonnegative):
            for part, owner in zip(parts, self._owners, strict=True):
                check_joint_values(part, self._name, owner, self._nonnegative)
        return values
