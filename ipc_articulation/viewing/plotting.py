"""Joint motion, contact force and minimum distance over time, with matplotlib."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.extras import need
from ipc_articulation.recording import Recording
from ipc_articulation.recording.header import JOINT_UNITS
from ipc_articulation.viewing.palette import joint_colours

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_NOISE = 1e-6  # a range of values this small is drawn as zero
_DRAWN_AS_LINES = 3000  # points of a curve, at most
_CUT, _SHOWN = 3.0, 1.5  # of the ordinary size: from where curves are cut, and up to where they are shown
_UNKNOWN = "rad or m"
FORCE_UNITS = {"rad": "N·m", "m": "N", _UNKNOWN: "N·m or N"}
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


def groups_by_unit(recording: Recording) -> dict[str, list[int]]:
    """Indices of the joints by the unit of their position: rad, m, or «rad or m» where it was not recorded."""
    units = recording.extra.get(JOINT_UNITS) or {}
    found: dict[str, list[int]] = {}
    for index, name in enumerate(recording.joint_names):
        found.setdefault(units.get(name, _UNKNOWN), []).append(index)
    return found or {_UNKNOWN: []}


def draw_joints(axes: Axes, recording: Recording, values: Array, joints: Sequence[int]) -> None:
    """A curve (rows,) for each of some joints from (rows, m), in the joint's colour, in the range of `limit_range`."""
    colours = joint_colours(len(recording.joint_names))
    for index in joints:
        draw_curve(axes, recording.time, values[:, index], label=recording.joint_names[index], color=colours[index])
    low, high = axes.get_ylim()
    if high - low < _NOISE:
        axes.set_ylim(-1.0, 1.0)
    limit_range(axes, values[:, joints])


def limit_range(axes: Axes, values: Array) -> None:
    """Show curves (rows, k) only up to their ordinary size if a few values are much larger, and say so.

    The ordinary size is the largest, over the curves, of the 99th percentile of |value|. The axis goes to 1.5 times
    this size if the largest |value| is more than 3 times it; an impact of a few steps flattens nothing then.
    """
    size = np.abs(values[np.isfinite(values).all(axis=1)])
    if not size.size:
        return
    ordinary, largest = float(np.percentile(size, 99, axis=0).max()), float(size.max())
    if not 0.0 < _CUT * ordinary < largest:
        return
    low, high = axes.get_ylim()
    axes.set_ylim(max(low, -_SHOWN * ordinary), min(high, _SHOWN * ordinary))
    place: dict[str, Any] = {"ha": "right", "va": "top", "fontsize": "small", "transform": axes.transAxes}
    axes.text(0.99, 0.97, f"cut: values up to {largest:.3g}", **place)


def draw_curve(axes: Axes, time: Array, values: Array, **style: Any) -> None:
    """A curve over a grid; one of very many points becomes pixels in an SVG, which would be huge otherwise."""
    axes.plot(time, values, **{"linewidth": 1.2, "rasterized": len(time) > _DRAWN_AS_LINES, **style})
    axes.grid(alpha=0.3)


def draw_legend(figure: Figure, panels: Iterable[Axes]) -> None:
    """The names of curves beside the panels; the first of them where there are very many."""
    both = [axes.get_legend_handles_labels() for axes in panels]
    handles = [handle for own, _ in both for handle in own]
    labels = [label for _, own in both for label in own]
    if not labels:
        return
    rest = len(labels) - _NAMED
    title = f"{_NAMED} of {len(labels)} joints" if rest > 0 else None
    figure.legend(handles[:_NAMED], labels[:_NAMED], loc="outside right upper", fontsize="small", title=title)


def _motion(recording: Recording) -> Figure:
    groups = groups_by_unit(recording)
    shares = [3 if len(groups) == 1 else 2] * (2 * len(groups)) + [2]
    figure = new_figure(9.0, sum(shares))
    *panels, distance = figure.subplots(len(shares), 1, sharex=True, height_ratios=shares)
    figure.suptitle(recording.extra.get("title") or recording.name)
    for axes, (unit, joints) in zip(panels, groups.items(), strict=False):
        draw_joints(axes, recording, recording.theta, joints)
        axes.set_ylabel(f"joint position\n[{unit}]")
    for axes, (unit, joints) in zip(panels[len(groups) :], groups.items(), strict=True):
        draw_joints(axes, recording, recording.contact_force, joints)
        axes.set_ylabel(f"contact force on joints\n[{FORCE_UNITS[unit]}]")
    _distance(distance, recording)
    distance.set_xlabel("time [s]")
    draw_legend(figure, panels[: len(groups)])
    return figure


def _distance(axes: Axes, recording: Recording) -> None:
    near = np.where(np.isfinite(recording.minimum_distance), recording.minimum_distance, np.nan)
    draw_curve(axes, recording.time, 1e3 * near, color="black", linewidth=1.0)
    axes.set_ylabel("minimum distance\n[mm]")
    if not np.isfinite(near).any():
        axes.set_yticks([])
        axes.text(0.5, 0.5, "nothing is near anything", ha="center", transform=axes.transAxes)
