"""Joint motion and contact force over time, with matplotlib."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ipc_articulation.recording import Recording

_NOISE = 1e-6  # a range of values this small is drawn as zero


def plot(recording: Recording, file: Path) -> None:
    """Three panels over time: θ, τ_c and the minimum distance."""
    figure = Figure(figsize=(9.0, 8.0), layout="constrained")
    motion, force, distance = figure.subplots(3, 1, sharex=True, height_ratios=(3, 3, 2))
    figure.suptitle(recording.extra.get("title") or recording.name)
    _curves(motion, recording, recording.theta, "joint position\n[rad or m]")
    _curves(force, recording, recording.contact_force, "contact force on joints\n[N·m or N]")
    _distance(distance, recording)
    distance.set_xlabel("time [s]")
    if recording.joint_names:
        figure.legend(*motion.get_legend_handles_labels(), loc="outside right upper", fontsize="small")
    figure.savefig(file, dpi=120)


def _curves(axes: Axes, recording: Recording, values: np.ndarray, label: str) -> None:
    for name, column in zip(recording.joint_names, values.T, strict=True):
        axes.plot(recording.time, column, label=name, linewidth=1.3)
    axes.set_ylabel(label)
    axes.grid(alpha=0.3)
    low, high = axes.get_ylim()
    if high - low < _NOISE:
        axes.set_ylim(-1.0, 1.0)


def _distance(axes: Axes, recording: Recording) -> None:
    near = np.where(np.isfinite(recording.minimum_distance), recording.minimum_distance, np.nan)
    axes.plot(recording.time, 1e3 * near, color="black", linewidth=1.0)
    axes.set_ylabel("minimum distance\n[mm]")
    axes.grid(alpha=0.3)
    if not np.isfinite(near).any():
        axes.set_yticks([])
        axes.text(0.5, 0.5, "nothing is near anything", ha="center", transform=axes.transAxes)
