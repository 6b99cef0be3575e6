"""Joints as plain arrays: which bodies they join, and the vectors by which their coordinates see these bodies.

Left is the parent body i, right the child body j, as in libuipc's joint geometry. Joints are made while the two bodies
stand in their initial poses: there θ = 0 (a prismatic joint made from local end points that do not coincide starts at
the distance between them, as in libuipc).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.articulation import kinds
from ipc_articulation.articulation.frames import Placement
from ipc_articulation.articulation.kinds import FREEDOMS, KINDS
from ipc_articulation.compiled import compiled
from ipc_articulation.errors import ArticulationError


class JointArrays(NamedTuple):
    """What compiled code knows of m joints."""

    kind: Ints  # (m,)
    bodies: Ints  # (m, 2) of the left and of the right body
    local: Array  # (m, 2, VECTORS, 4)


@dataclass(frozen=True)
class Joints:
    """m joints between n bodies, structure of arrays.

    Raises:
        ArticulationError: A kind is not in the table `kinds.KINDS`.
    """

    kind: Ints  # (m,) keys of KINDS
    bodies: Ints  # (m, 2) index of the left and of the right body
    local: Array  # (m, 2, VECTORS, 4) vectors of the kind in the left and in the right body, homogeneous

    def __post_init__(self) -> None:
        for k, kind in enumerate(self.kind.tolist()):
            if kind not in KINDS:
                known = ", ".join(f"{code} ({entry.name})" for code, entry in KINDS.items())
                raise ArticulationError(f"joint {k}: kind {kind} is unknown; kinds of joints: {known}")

    @classmethod
    def placed(cls, kind: int, bodies: Ints, placement: Placement) -> Joints:
        """Joints of one kind between pairs of bodies (m, 2), as they are placed."""
        vectors = KINDS[kind].measured(placement)
        local = np.zeros((len(bodies), 2, kinds.VECTORS, 4))
        local[:, :, : vectors.shape[2]] = vectors
        return cls(np.full(len(bodies), kind), bodies, local)

    def __len__(self) -> int:
        return len(self.kind)

    def __getitem__(self, index: Ints | slice) -> Joints:
        """The joints at these places, in this order."""
        return Joints(self.kind[index], self.bodies[index], self.local[index])

    @classmethod
    def concatenate(cls, parts: Sequence[Joints]) -> Joints:
        """All joints of the parts, one after the other."""
        nothing = cls(np.zeros(0, dtype=np.int64), np.zeros((0, 2), dtype=np.int64), np.zeros((0, 2, kinds.VECTORS, 4)))
        columns = zip(*((part.kind, part.bodies, part.local) for part in (nothing, *parts)), strict=True)
        return cls(*(np.concatenate(column) for column in columns))

    @property
    def freedoms(self) -> Ints:
        """Number of freedoms of each joint, (m,)."""
        return FREEDOMS[self.kind]

    @property
    def home(self) -> Array:
        """The reference from which δθ of each joint is θ, (m, REFERENCE)."""
        home = np.zeros((len(self), kinds.REFERENCE))
        for k, kind in enumerate(self.kind.tolist()):
            home[k, : len(KINDS[kind].home)] = KINDS[kind].home
        return home

    def arrays(self) -> JointArrays:
        """The same for compiled code."""
        return JointArrays(
            kind=np.ascontiguousarray(self.kind, dtype=np.int64),
            bodies=np.ascontiguousarray(self.bodies, dtype=np.int64),
            local=np.ascontiguousarray(self.local),
        )


@compiled
def delta_theta(joints: JointArrays, reference: Array, q: Array, delta: Array) -> None:
    """Write δθ of all freedoms from references (m, REFERENCE) to q (n, 12) into `delta` (F,)."""
    first = 0
    for k in range(len(joints.kind)):
        kind, i, j = joints.kind[k], joints.bodies[k, 0], joints.bodies[k, 1]
        kinds.delta_theta(kind, joints.local[k], q[i], q[j], reference[k], delta[first:])
        first += FREEDOMS[kind]
