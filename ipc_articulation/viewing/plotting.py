"""Joint motion, contact force and minimum distance over time, with matplotlib."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.extras import need
from ipc_articulation.recording import Recording
from ipc_articulation.viewing.palette import joint_colours

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_NOISE = 1e-6  # a range of values this small is drawn as zero
_DRAWN_AS_LINES = 3000  # points of a curve, at most
_NAMED = 24  # joints in a legend, at most


def plot(recording: Recording, file: Path) -> None:
    """Write a PNG of three panels over time: θ, τ_c and the minimum distance.

    Raises:
        MissingPackageError: matplotlib is not installed.
    """
    _motion(recording).savefig(file, dpi=120)


def svg(recording: Recording) -> str:
    """The same panels as an `<svg>` element."""
    return svg_of(_motion(recording))


def svg_of(figure: Figure) -> str:
    """A figure as an `<svg>` element that fills the width it is given."""
    text = StringIO()
    with need("matplotlib").rc_context({"svg.hashsalt": "ipc_articulation"}):
        figure.savefig(text, format="svg", metadata={"Date": None})
    element = text.getvalue()[text.getvalue().index("<svg") :]
    return element.replace("<svg", '<svg style="width: 100%; height: auto"', 1)


def new_figure(width: float, height: float) -> Figure:
    """An empty figure, in inches.

    Raises:
        MissingPackageError: matplotlib is not installed.
    """
    return need("matplotlib.figure").Figure(figsize=(width, height), layout="constrained")


def draw_joints(axes: Axes, recording: Recording, values: Array) -> None:
    """A curve (rows,) for each joint from (rows, m), in the joint's colour."""
    names, colours = recording.joint_names, joint_colours(len(recording.joint_names))
    for name, colour, column in zip(names, colours, values.T, strict=True):
        draw_curve(axes, recording.time, column, label=name, color=colour)
    low, high = axes.get_ylim()
    if high - low < _NOISE:
        axes.set_ylim(-1.0, 1.0)


def draw_curve(axes: Axes, time: Array, values: Array, **style: Any) -> None:
    """A curve over a grid; one of very many points becomes pixels in an SVG, which would be huge otherwise."""
    axes.plot(time, values, **{"linewidth": 1.2, "rasterized": len(time) > _DRAWN_AS_LINES, **style})
    axes.grid(alpha=0.3)


def draw_legend(figure: Figure, axes: Axes) -> None:
    """The joints' names beside the panels; the first of them where there are very many."""
    handles, labels = axes.get_legend_handles_labels()
    if not labels:
        return
    rest = len(labels) - _NAMED
    title = f"{_NAMED} of {len(labels)} joints" if rest > 0 else None
    figure.legend(handles[:_NAMED], labels[:_NAMED], loc="outside right upper", fontsize="small", title=title)


def _motion(recording: Recording) -> Figure:
    figure = new_figure(9.0, 8.0)
    motion, force, distance = figure.subplots(3, 1, sharex=True, height_ratios=(3, 3, 2))
    figure.suptitle(recording.extra.get("title") or recording.name)
    draw_joints(motion, recording, recording.theta)
    motion.set_ylabel("joint position\n[rad or m]")
    draw_joints(force, recording, recording.contact_force)
    force.set_ylabel("contact force on joints\n[N·m or N]")
    _distance(distance, recording)
    distance.set_xlabel("time [s]")
    draw_legend(figure, motion)
    return figure


def _distance(axes: Axes, recording: Recording) -> None:
    near = np.where(np.isfinite(recording.minimum_distance), recording.minimum_distance, np.nan)
    draw_curve(axes, recording.time, 1e3 * near, color="black", linewidth=1.0)
    axes.set_ylabel("minimum distance\n[mm]")
    if not np.isfinite(near).any():
        axes.set_yticks([])
        axes.text(0.5, 0.5, "nothing is near anything", ha="center", transform=axes.transAxes)
