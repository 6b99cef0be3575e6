"""Contact forces as arrows, of one scale over a whole recording.

An arrow begins at the contact point and is s·f long, f the force [N] and s [m/N] so that the forces of an ordinary moment are a
tenth of the scene. Impacts, which may be a thousand times stronger, end at three times that length.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.recording import Recording
from ipc_articulation.viewing.bodies import bounds

Array = NDArray[np.float64]

NONE = np.zeros((0, 2, 3))
_LOOKS = 100  # moments at which the ordinary force is measured
_SHARE, _LONGEST = 0.1, 3.0  # of the scene's size; of the ordinary length


class ForceArrows:
    """The arrows of a recording.

    Attributes:
        note: Why there are none; None where there are.
        scale: Length of an arrow [m/N].
    """

    def __init__(self, recording: Recording) -> None:
        self._recording, self.note, self.scale = recording, _absent(recording), 0.0
        if self.note is None:
            low, high = bounds(recording)
            self._longest = _LONGEST * _SHARE * float(np.linalg.norm(high - low))
            self.scale = self._longest / _LONGEST / (_ordinary(recording) or 1.0)

    def at(self, row: int) -> Array:
        """Beginning and end of each arrow of a row: (k, 2, 3) [m], world frame."""
        if self.note is not None:
            return NONE
        contacts = self._recording.contacts(row)
        vectors = self.scale * contacts.forces
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors = vectors * np.minimum(1.0, self._longest / np.maximum(lengths, 1e-300))
        return np.stack([contacts.points, contacts.points + vectors], axis=1)


def _absent(recording: Recording) -> str | None:
    if getattr(recording, "contacts", None) is None:
        return f"recording '{recording.name}' holds no contact forces: none are drawn"
    return None


def _ordinary(recording: Recording) -> float:
    """Median over moments of the greatest force [N]; 0 where nothing ever touches."""
    rows = np.unique(np.linspace(0, recording.rows - 1, _LOOKS).astype(int))
    greatest = [np.linalg.norm(recording.contacts(row).forces, axis=1).max(initial=0.0) for row in rows]
    known = [force for force in greatest if force > 0.0]
    return float(np.median(known)) if known else 0.0
