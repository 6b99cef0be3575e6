"""The contacts of one recorded row: where bodies touch, and how hard."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Contacts:
    """k pairs of surfaces within reach of the barrier; world frame."""

    points: NDArray[np.floating]  # (k, 3) [m], on the first body's surface
    forces: NDArray[np.floating]  # (k, 3) [N], barrier and friction, on the first body; the second feels the opposite
    bodies: tuple[tuple[str, str], ...]  # names of the first and the second body (or half-plane) of each

    def __len__(self) -> int:
        return len(self.points)

    def by_pair(self) -> dict[tuple[str, str], NDArray[np.floating]]:
        """Sum of the forces (3,) [N] on the first body of each pair, whichever way round a contact names it."""
        net: dict[tuple[str, str], NDArray[np.floating]] = {}
        for (first, second), force in zip(self.bodies, self.forces, strict=True):
            if (second, first) in net:
                net[second, first] = net[second, first] - force
            else:
                net[first, second] = net.get((first, second), np.zeros(3)) + force
        return net


NO_CONTACTS = Contacts(np.zeros((0, 3)), np.zeros((0, 3)), ())
