"""The strain of all soft bodies of a recording, with one scale for all of its rows, so that pictures compare."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.errors import ViewingError
from ipc_articulation.recording import Recording
from ipc_articulation.viewing.strain import VertexStrain

_LEAST = 1e-6  # end of the scale where nothing is strained but by rounding


@dataclass(frozen=True)
class StrainScale:
    """Meaning of the colours; they begin at 0, which also shows what is shortened in every direction."""

    largest: float  # strain, where they end
    legend: str


class SoftStrain:
    """Strain at the vertices of all soft bodies.

    Args:
        recording: Has them.

    Raises:
        ViewingError: It has none.
    """

    def __init__(self, recording: Recording) -> None:
        if not recording.scenery.soft:
            message = (
                f"recording '{recording.name}' has no soft bodies, whose strain colours could show; choose role or link"
            )
            raise ViewingError(message)
        self._recording = recording
        shapes = recording.scenery.soft
        self._own = [(shape.name, VertexStrain(shape.cells.astype(np.int64), shape.rest)) for shape in shapes]

    def at(self, row: int) -> Array:
        """Strain at the vertices of a row, one body after the other, (V,)."""
        positions, slices = self._recording.soft_positions[row], self._recording.header.soft_slices
        return np.concatenate([strain.at(positions[slices[name]]) for name, strain in self._own])

    def scale(self) -> StrainScale:
        """From 0 to the largest strain in all rows; the legend tells where it is and when."""
        recording = self._recording
        peaks = np.array([self.at(row).max() for row in range(recording.rows)])
        row = int(np.nanargmax(peaks))
        if peaks[row] < _LEAST:
            return StrainScale(_LEAST, f"strain, less than {_LEAST:g}")
        vertex, largest = int(np.argmax(self.at(row))), float(peaks[row])
        name = next(name for name, own in recording.header.soft_slices.items() if own.start <= vertex < own.stop)
        return StrainScale(largest, f"strain, at most {largest:.3g}: {name} at {recording.time[row]:.4g} s")
