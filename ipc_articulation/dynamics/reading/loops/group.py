"""Relations with common joints, as one function of these joints' positions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.reading.connected import connected
from ipc_articulation.dynamics.reading.loops.paths import Vector
from ipc_articulation.dynamics.reading.loops.relations import Relation
from ipc_articulation.errors import ModelError

STEP = 1e-30  # of complex differentiation; its square is zero relative to 1, so it is exact


class Group:
    """Relations between n joints.

    Args:
        relations: The relations.
        order: All joints of the mechanism in order.
    """

    def __init__(self, relations: Sequence[Relation], order: Sequence[str]) -> None:
        self.relations = list(relations)
        there = {joint for relation in relations for joint in relation.joints}
        self.joints = tuple(joint for joint in order if joint in there)
        self.linear = all(relation.linear for relation in relations)
        parts = [relation.phi(dict.fromkeys(self.joints, 0.0)) for relation in relations]
        self.owner = np.repeat(
            np.arange(len(parts)), [len(part) for part in parts]
        )  # index of the relation of each row of φ

    @property
    def size(self) -> int:
        """Number of joints, n."""
        return len(self.joints)

    @property
    def listed(self) -> str:
        """The joints' names, for messages."""
        return "joints " + ", ".join(f"'{joint}'" for joint in self.joints)

    def error(self, message: str) -> ModelError:
        """An error about the whole group."""
        places = "; ".join(relation.where for relation in self.relations)
        return ModelError(f"{places}: {message}")

    def phi(self, q: Any) -> Vector:
        """The φ of all relations, for numbers or symbols: (n,) -> (rows,)."""
        values = dict(zip(self.joints, q, strict=True))
        return np.concatenate([relation.phi(values) for relation in self.relations])

    def gap(self, phi: Array) -> float:
        """The largest |φ| of a relation; for points it is their distance [m]."""
        return max(float(np.linalg.norm(phi[self.owner == k])) for k in range(len(self.relations)))

    def K(self, q: Array) -> Array:
        """∂φ/∂q, (rows, n), by complex steps: exact."""
        return np.column_stack([self.phi(q + 1j * STEP * e).imag / STEP for e in np.eye(self.size)])


def groups(relations: Iterable[Relation], order: Sequence[str]) -> list[Group]:
    """Groups of relations with common joints."""
    return [Group(members, order) for members in connected(relations, lambda relation: relation.joints)]
