"""The state of the engine: everything that changes from step to step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.contact.anchors import NO_ANCHORS
from ipc_articulation.contact.held import NOTHING_HELD, Held
from ipc_articulation.contact.springs import NO_SPRINGS, Springs

NO_CREASES = np.zeros((0, 5))

PAST = ("q_before", "qdot_before")  # the fields that one step leaves to the next


class EngineState(NamedTuple):
    """The state of n bodies and m joints."""

    q: Array  # (n, 12)
    qdot: Array  # (n, 12)
    theta: Array  # (m,) joint coordinates, followed over turns [rad or m]
    q_before: Array  # (n, 12) one step earlier
    qdot_before: Array  # (n, 12) one step earlier
    pairs: Ints  # (k,) pairs of bodies with a contact resistance of their own, see `contact.resistance`
    resistances: Array  # (k,) [Pa]
    anchored: Ints  # (h,) pairs of bodies whose friction remembers, see `contact.anchors`
    anchors: Array  # (h, 9)
    creases: Array = NO_CREASES  # (c, 5) of plastic shells, see `terms.creases`
    springs: Ints = NO_SPRINGS.stencils  # (k, 5) where friction of soft bodies remembers, see `contact.springs`
    stretches: Array = NO_SPRINGS.stretches  # (k, 4) what it remembers there

    @property
    def held_resistances(self) -> Held:
        """Contact resistances of pairs."""
        return Held(self.pairs, self.resistances)

    @property
    def held_anchors(self) -> Held:
        """What friction of affine bodies remembers."""
        return Held(self.anchored, self.anchors)

    @property
    def held_springs(self) -> Springs:
        """What friction of soft bodies remembers."""
        return Springs(self.springs, self.stretches)

    @classmethod
    def without_past(cls, q: Array, qdot: Array, theta: Array) -> EngineState:
        """A state to start from: the values of the previous step are set to the current ones, as in libuipc."""
        return cls(q, qdot, theta, q, qdot, *NOTHING_HELD, *NO_ANCHORS)
