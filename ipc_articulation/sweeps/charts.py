"""The charts of a sweep's report: each outcome over what was varied.

One setting is a line, two are a line for each value of the one with fewer. Random draws, and more settings, are
points: a panel for each quantity that varied.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.sweeps.finished import Finished
from ipc_articulation.sweeps.table import DRAW
from ipc_articulation.viewing.palette import joint_colours
from ipc_articulation.viewing.plotting import draw_curve, draw_legend, new_figure, svg_of

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

HEADINGS = {
    "minimum_distance": ("Minimum distance", "[m]"),
    "largest_contact_force": ("Largest contact force on a joint", "[N·m or N]"),
    "mean_newton_iterations": ("Newton iterations", "mean of all steps"),
    "steps_taken": ("Steps taken", "steps"),
    "wall_time": ("Wall time", "[s]"),
}
_WIDTH, _HEIGHT, _PANELS = 9.0, 3.2, 3  # inches; panels in a row
_LINES = 10  # as many as there are colours


def heading(name: str) -> tuple[str, str]:
    """Heading and unit of an outcome."""
    return HEADINGS.get(name, (f"How far {name.removeprefix('moved.')} moved", "[m]"))


def sweep_charts(runs: Finished) -> Iterator[tuple[str, str] | str]:
    """Heading and `<svg>` of each outcome of the runs that are done; a note in place of one that does not vary."""
    inputs = _inputs(runs)
    for name in runs.outcomes:
        values = runs.table[name].to_numpy(dtype=float, copy=True)
        values[(runs.table["status"] != "done").to_numpy()] = np.nan
        known = values[np.isfinite(values)]
        if not inputs or len(np.unique(known)) < 2:
            yield f"{heading(name)[0]}: " + (
                f"{known[0]:.6g} in all runs" if known.size else "not known of any run that ended well"
            )
            continue
        yield (
            heading(name)[0],
            _chart(inputs, np.where(np.isfinite(values), values, np.nan), heading(name)[1], runs.table),
        )


def _inputs(runs: Finished) -> dict[str, Array]:
    """What varied, as numbers, or as texts where there are others; draws count more than the seed that made them."""
    columns: dict[str, Array] = {}
    drawn = any(name.startswith(DRAW) for name in runs.varied)
    for name in runs.varied:
        if not (drawn and name == "seed"):
            columns.update(_columns(name, runs.table[name]))
    return columns


def _columns(name: str, column: pandas.Series) -> Iterator[tuple[str, Array]]:
    """One column, or one for each number of lists that were drawn."""
    if name.startswith(DRAW) and column.map(lambda value: isinstance(value, list)).all():
        for k, values in enumerate(np.array(column.tolist()).T):
            yield f"{name.removeprefix(DRAW)}[{k}]", values
    elif column.map(lambda value: isinstance(value, int | float) and not isinstance(value, bool)).all():
        yield name.removeprefix(DRAW), column.to_numpy(dtype=float)
    else:
        yield name.removeprefix(DRAW), np.array([v if isinstance(v, str) else json.dumps(v) for v in column])


def _chart(inputs: dict[str, Array], values: Array, label: str, set_: Collection[str]) -> str:
    names = sorted(inputs, key=lambda name: -len(np.unique(inputs[name])))
    groups = np.unique(inputs[names[1]]) if len(names) == 2 else np.zeros(1)
    is_lines = len(names) <= 2 and len(groups) <= _LINES and _is_product(inputs)
    shown = names[:1] if is_lines else names
    rows = -(-len(shown) // _PANELS)
    figure = new_figure(_WIDTH, _HEIGHT * rows)
    panels = figure.subplots(rows, min(len(shown), _PANELS), squeeze=False, sharey=True)
    for axes, name in zip(panels.flat, shown, strict=False):
        if is_lines:
            _lines(axes, inputs, names, values)
        else:
            draw_curve(axes, inputs[name], values, marker="o", markersize=3, linestyle="")
        _scale(axes, inputs[name], name in set_)
        axes.set_xlabel(name)
    for row in panels:
        row[0].set_ylabel(label)
    for axes in panels.flat[len(shown) :]:
        axes.remove()
    if is_lines:
        draw_legend(figure, [panels[0, 0]])
    return svg_of(figure)


def _lines(axes: Axes, inputs: dict[str, Array], names: list[str], values: Array) -> None:
    """A line over the first of the names, for each value of the second if there is one."""
    x = inputs[names[0]]
    second = inputs[names[1]] if len(names) > 1 else np.zeros(len(values))
    groups = np.unique(second)
    for group, colour in zip(groups, joint_colours(len(groups)), strict=True):
        own = np.flatnonzero(second == group)
        own = own[np.argsort(x[own], kind="stable")]
        label = {"label": f"{names[1]} {group:g}" if second.dtype.kind == "f" else str(group)} if len(names) > 1 else {}
        draw_curve(axes, x[own], values[own], marker="o", markersize=4, color=colour, **label)


def _is_product(inputs: dict[str, Array]) -> bool:
    """Whether no two runs have the same values, as those of draws or other settings may."""
    return len(set(zip(*inputs.values(), strict=True))) == len(next(iter(inputs.values())))


def _scale(axes: Axes, x: Array, is_set: bool) -> None:
    """Logarithmic where values that were set, not drawn, are more evenly spaced so."""
    levels = np.unique(x) if x.dtype.kind == "f" else np.zeros(0)
    if is_set and len(levels) > 2 and levels[0] > 0.0:
        uneven = [np.std(gaps) / np.mean(gaps) for gaps in (np.diff(levels), np.diff(np.log(levels)))]
        if uneven[1] < uneven[0]:
            axes.set_xscale("log")
            return
    if len(levels):
        axes.locator_params(axis="x", nbins=5)
