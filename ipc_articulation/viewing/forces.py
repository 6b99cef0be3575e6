"""Contact forces as arrows, of one scale over a whole recording.

An arrow begins where bodies touch and is s·f long, f the force [N] and s [m/N] such that the greatest force of an
ordinary moment is an eighth of the scene. Impacts, which may be a thousand times stronger, end at twice that length.
Two bodies that touch have many contacts side by side: those within one cell of a grid make one arrow.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.recording import Recording
from ipc_articulation.recording.contacts import Contacts
from ipc_articulation.viewing.bodies import bounds
from ipc_articulation.viewing.moments import spread

NONE = np.zeros((0, 2, 3))
_LOOKS = 100  # moments at which the ordinary force is measured
_SHARE, _LONGEST = 0.125, 2.0  # of the scene's size; of the ordinary length
_FAINT, _CELL = 0.02, 0.2  # of the ordinary length: shorter arrows are left out; width of a cell
_OFFSET = 0.382  # of a cell: scenes are often symmetric about 0, where no cell should end


class ForceArrows:
    """The arrows of a recording.

    Attributes:
        note: Why there are none; None where there are.
        ordinary: Length of the arrow of an ordinary moment's greatest force [m].
        scale: Length of an arrow [m/N].
    """

    def __init__(self, recording: Recording) -> None:
        self._recording, self.note = recording, _absent(recording)
        low, high = bounds(recording)
        self.ordinary = ordinary_length(low, high)
        self.scale = 0.0 if self.note else self.ordinary / (self._ordinary_force() or 1.0)

    def at(self, row: int) -> Array:
        """Beginning and end of each arrow of a row: (k, 2, 3) [m], world frame.

        Each is the force on the pair's first body, or on the second where the first never moves.
        """
        if self.note is not None:
            return NONE
        return arrows_of(*self._forces(row), self.scale, self.ordinary)

    def _forces(self, row: int) -> tuple[Array, Array]:
        moving = (*self._recording.body_names, *self._recording.soft_names)
        return forces_on(self._recording.contacts(row), moving, self.ordinary)

    def _ordinary_force(self) -> float:
        """Median over moments of the greatest force [N]; 0 where nothing ever touches."""
        rows = spread(self._recording.rows, _LOOKS)
        greatest = [np.linalg.norm(self._forces(int(row))[1], axis=1).max(initial=0.0) for row in rows]
        known = [force for force in greatest if force > 0.0]
        return float(np.median(known)) if known else 0.0


def ordinary_length(low: Array, high: Array) -> float:
    """Length of the arrow of an ordinary force [m] in a scene between two corners, (3,) each [m]."""
    return _SHARE * float(np.linalg.norm(high - low))


def forces_on(contacts: Contacts, moving: Collection[str], ordinary: float) -> tuple[Array, Array]:
    """Points (k, 3) [m] and forces (k, 3) [N], each on a body that moves; contacts side by side are one.

    Args:
        contacts: Those of one moment.
        moving: Names of the bodies that move.
        ordinary: Length of an ordinary arrow [m].
    """
    points, forces, firsts = _gathered(contacts, _CELL * ordinary)
    signs = np.array([1.0 if contacts.bodies[k][0] in moving else -1.0 for k in firsts])
    return points, signs[:, None] * forces


def arrows_of(points: Array, forces: Array, scale: float, ordinary: float) -> Array:
    """Beginning and end of each arrow, (k, 2, 3) [m]; faint forces have none, impacts a shortened one.

    Args:
        points: (n, 3) [m].
        forces: (n, 3) [N].
        scale: [m/N].
        ordinary: Length of an ordinary arrow [m].
    """
    vectors = scale * forces
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = vectors * np.minimum(1.0, _LONGEST * ordinary / np.maximum(lengths, 1e-300))
    arrows = np.stack([points, points + vectors], axis=1)
    return arrows[lengths[:, 0] > _FAINT * ordinary]


def _absent(recording: Recording) -> str | None:
    if recording.contact_names:
        return None
    return f"recording '{recording.name}' holds no contact forces (its engine does not report them): none are drawn"


def _gathered(contacts: Contacts, cell: float) -> tuple[Array, Array, Ints]:
    """The contacts of each pair of bodies in each cell as one: where they are on average by force, and the force's sum.

    Returns:
        Points, (k, 3) [m]; forces, (k, 3) [N]; the index of one contact of each.
    """
    if not len(contacts):
        return np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0, dtype=int)
    numbers = {pair: number for number, pair in enumerate(dict.fromkeys(contacts.bodies))}
    cells = np.floor(contacts.points / cell + _OFFSET)
    keys = np.column_stack([[numbers[pair] for pair in contacts.bodies], cells])
    _, firsts, groups = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    weights = np.linalg.norm(contacts.forces, axis=1) + 1e-300
    sums = np.zeros((len(firsts), 7))
    np.add.at(sums, groups.ravel(), np.column_stack([weights, weights[:, None] * contacts.points, contacts.forces]))
    return sums[:, 1:4] / sums[:, :1], sums[:, 4:], firsts
