"""Curves of all joints over time with a line at the moment that is shown, for uPlot.

uPlot draws arrays over one common axis and knows no vertical lines: the line is a curve along the lower edge that
goes up and down again at one time.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.recording import Recording
from ipc_articulation.viewing.moments import spread
from ipc_articulation.viewing.palette import FORCE, joint_colours

QUANTITIES = {
    "position [rad or m]": "theta",
    "velocity [rad/s or m/s]": "theta_dot",
    "contact force [N·m or N]": "contact_force",
}
_POINTS = 400  # of a curve, at most
_INTERVAL = 0.2  # seconds between two drawings of the line
_MARGIN = 0.05  # of the curves' range, above and below


class JointChart:
    """One chart in viser's panel, with a choice of what it shows.

    Args:
        gui: A `viser.GuiApi`.
        recording: The recording of the curves; it must have joints.
    """

    def __init__(self, gui: Any, recording: Recording) -> None:
        rows = spread(recording.rows, _POINTS)
        values = {label: getattr(recording, name)[rows].T for label, name in QUANTITIES.items()}
        self._curves = {label: _without_gaps(curves) for label, curves in values.items() if np.isfinite(curves).any()}
        self._time, self._now, self._drawn = recording.time[rows], 0.0, 0.0
        self._choice = gui.add_dropdown("chart", tuple(self._curves))
        self._plot = gui.add_uplot(
            self._data(), _series(recording.joint_names), scales=self._scales(), legend={"show": True}, aspect=1.3
        )
        self._choice.on_update(lambda _: self._choose())

    def mark(self, now: float, at_once: bool = False) -> None:
        """Move the line to a time [s], not more often than the eye needs."""
        if at_once or perf_counter() - self._drawn > _INTERVAL:
            self._now, self._drawn = now, perf_counter()
            self._plot.data = self._data()

    def _choose(self) -> None:
        self._plot.scales = self._scales()
        self._plot.data = self._data()

    def _range(self) -> tuple[float, float]:
        curves = self._curves[self._choice.value]
        low, high = float(curves.min()), float(curves.max())
        margin = _MARGIN * (high - low) or 1.0
        return low - margin, high + margin

    def _scales(self) -> dict[str, Any]:
        return {"x": {"time": False}, "y": {"range": self._range()}}

    def _data(self) -> tuple[Array, ...]:
        """Time, the joints' curves, the line: (points,) each."""
        low, high = self._range()
        at = int(np.searchsorted(self._time, self._now))
        time = np.insert(self._time, at, [self._now] * 3)
        curves = [np.interp(time, self._time, curve) for curve in self._curves[self._choice.value]]
        return (time, *curves, np.insert(np.full(len(self._time), low), at, [low, high, low]))


def _series(names: tuple[str, ...]) -> tuple[dict[str, Any], ...]:
    colours = joint_colours(len(names))
    looks: list[dict[str, Any]] = [{"label": "time [s]"}]
    for name, colour in zip([*names, "now"], [*colours, FORCE], strict=True):
        looks.append({"label": name, "stroke": colour, "width": 1.5, "points": {"show": False}})
    return tuple(looks)


def _without_gaps(curves: Array) -> Array:
    """Curves (joints, points) with unknown values, as those of forces at the start, taken from the next known one."""
    return np.stack([_filled(curve) for curve in curves])


def _filled(curve: Array) -> Array:
    known = np.isfinite(curve)
    if not known.any():
        return np.zeros_like(curve)
    index = np.arange(len(curve))
    return np.interp(index, index[known], curve[known])
