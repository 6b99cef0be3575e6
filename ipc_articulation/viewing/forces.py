"""Contact forces as arrows, of one scale over a whole recording.

An arrow begins at the contact point and is s·f long, f the force [N] and s [m/N] such that the greatest force of an
ordinary moment is an eighth of the scene. Impacts, which may be a thousand times stronger, end at twice that length.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.recording import Recording
from ipc_articulation.viewing.bodies import bounds

Array = NDArray[np.float64]

NONE = np.zeros((0, 2, 3))
_LOOKS = 100  # moments at which the ordinary force is measured
_SHARE, _LONGEST = 0.125, 2.0  # of the scene's size; of the ordinary length
_FAINT = 0.02  # of the ordinary length: shorter arrows are left out


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
        self.ordinary = _SHARE * float(np.linalg.norm(high - low))
        self.scale = 0.0 if self.note else self.ordinary / (_ordinary(recording) or 1.0)

    def at(self, row: int) -> Array:
        """Beginning and end of each arrow of a row: (k, 2, 3) [m], world frame.

        Each is the force on the pair's first body, or on the second where the first never moves.
        """
        if self.note is not None:
            return NONE
        contacts = self._recording.contacts(row)
        moving = set(self._recording.body_names)
        signs = np.array([1.0 if first in moving else -1.0 for first, _ in contacts.bodies])
        vectors = self.scale * signs[:, None] * contacts.forces
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors = vectors * np.minimum(1.0, _LONGEST * self.ordinary / np.maximum(lengths, 1e-300))
        arrows = np.stack([contacts.points, contacts.points + vectors], axis=1)
        return arrows[lengths[:, 0] > _FAINT * self.ordinary]


def _absent(recording: Recording) -> str | None:
    if recording.contact_names:
        return None
    return f"recording '{recording.name}' holds no contact forces (its engine does not tell them): none are drawn"


def _ordinary(recording: Recording) -> float:
    """Median over moments of the greatest force [N]; 0 where nothing ever touches."""
    rows = np.unique(np.linspace(0, recording.rows - 1, _LOOKS).astype(int))
    greatest = [np.linalg.norm(recording.contacts(row).forces, axis=1).max(initial=0.0) for row in rows]
    known = [force for force in greatest if force > 0.0]
    return float(np.median(known)) if known else 0.0
