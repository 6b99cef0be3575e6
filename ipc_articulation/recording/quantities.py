"""The quantities of a recording.

Row 0 is the state at the start, row k the state after step k. Quantities of a step (force, iterations, times) are NaN
in row 0, and quantities that the engine does not report are NaN in all rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Quantity:
    """One recorded array: its shape after the rows (numbers, or names of dimensions), unit and meaning."""

    shape: tuple[str | int, ...]
    unit: str
    meaning: str

    def sizes(self, counts: Mapping[str, int]) -> tuple[int, ...]:
        """The shape after the rows, with the counts of named dimensions put in."""
        return tuple(n if isinstance(n, int) else counts[n] for n in self.shape)


QUANTITIES = {
    "time": Quantity((), "s", "simulated time"),
    "theta": Quantity(("joints",), "rad or m", "joint positions"),
    "theta_dot": Quantity(("joints",), "rad/s or m/s", "joint velocities"),
    "delta_theta": Quantity(("joints",), "rad or m", "joint motion of the step"),
    "delta_theta_tilde": Quantity(("joints",), "rad or m", "joint motion of the step without contact"),
    "contact_force": Quantity(("joints",), "N·m or N", "generalised contact force on the joints"),
    "body_poses": Quantity(("bodies", 4, 4), "m", "transforms from the bodies' frames to the world"),
    "soft_positions": Quantity(("soft_vertices", "axis"), "m", "world positions of all vertices of soft bodies"),
    "minimum_distance": Quantity((), "m", "minimum distance of surfaces that may touch; inf if none is near"),
    "newton_iterations": Quantity((), "1", "Newton iterations of the step"),
    "energies": Quantity(("energy_terms",), "J", "terms of the step's incremental potential over dt², at its end"),
    "stage_times": Quantity(("stages",), "s", "wall time of the step by stage"),
    "step_time": Quantity((), "s", "wall time of the step"),
}
