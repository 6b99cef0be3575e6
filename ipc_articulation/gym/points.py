"""Points of a task by name: origins of links and bodies, and marks; their positions and velocities at present."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.coupling import Coupling
from ipc_articulation.errors import TaskError
from ipc_articulation.frontend.attributes import require
from ipc_articulation.naming import suggest
from ipc_articulation.scenefile import schema


class Place(NamedTuple):
    """Where a point is: in the frame of a body, or of the world."""

    body: str | None  # None: the world
    offset: Array  # (3,) [m]


class Points:
    """The points of one scene.

    Args:
        coupling: Of its robot and free bodies.
        fixed: Poses (4, 4) of bodies that no step moves, by name; read anew at every use, so they may change.
        marks: Of the scene file.

    Attributes:
        places: By name of a link, body or mark.
    """

    def __init__(self, coupling: Coupling, fixed: Mapping[str, Array], marks: tuple[schema.MarkEntry, ...]) -> None:
        self._slots, self._fixed = dict(coupling.named_slots), fixed
        self.places = {name: Place(name, np.zeros(3)) for name in (*self._slots, *fixed)}
        self.bodies = tuple(self.places)
        self.set_marks(marks)

    def set_marks(self, marks: tuple[schema.MarkEntry, ...]) -> None:
        """Put the marks where the entries have them."""
        self.places |= {mark.name: Place(mark.on, np.array(mark.position)) for mark in marks}

    def require_body(self, name: str | None) -> None:
        """Check that there is a link or body of this name; None stands for the world.

        Raises:
            TaskError: There is none.
        """
        if name is not None and name not in self.bodies:
            raise TaskError(f"there is no link or body '{name}'{suggest(name, self.bodies, 'known')}")

    def require(self, name: str) -> str:
        """A name that there is.

        Raises:
            TaskError: There is no such link, body or mark.
        """
        if name not in self.places:
            raise TaskError(f"there is no link, body or mark '{name}'{suggest(name, self.places, 'known')}")
        return name

    def pose(self, name: str) -> Array:
        """Pose of the frame that carries a point, with the point as its origin, (4, 4)."""
        body, offset = self.places[self.require(name)]
        frame = self._frame(body).copy()
        frame[:3, 3] += frame[:3, :3] @ offset
        return frame

    def position(self, name: str) -> Array:
        """Position of a point in the world, (3,) [m]."""
        body, offset = self.places[self.require(name)]
        frame = self._frame(body)
        return frame[:3, :3] @ offset + frame[:3, 3]

    def velocity(self, name: str) -> Array:
        """Velocity of a point in world axes, (3,) [m/s]: Ȧ x̄ + ṗ."""
        body, offset = self.places[self.require(name)]
        if body not in self._slots:
            return np.zeros(3)
        rate = require(self._slots[body].geometry().instances(), "velocity", f"'{body}'")[0]
        return rate[:3, :3] @ offset + rate[:3, 3]

    def _frame(self, body: str | None) -> Array:
        if body is None:
            return np.eye(4)
        if body in self._slots:
            return np.array(require(self._slots[body].geometry().instances(), "transform", f"'{body}'")[0])
        return np.asarray(self._fixed[body])
