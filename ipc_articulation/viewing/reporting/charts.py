"""The charts of a report; each is left out where the recording has nothing for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from ipc_articulation.arrays import Array
from ipc_articulation.recording import Recording
from ipc_articulation.viewing.palette import joint_colours
from ipc_articulation.viewing.plotting import (
    FORCE_UNITS,
    draw_curve,
    draw_joints,
    draw_legend,
    groups_by_unit,
    limit_range,
    new_figure,
    svg_of,
)
from ipc_articulation.viewing.reporting.pair_forces import pair_forces

_WIDTH, _HEIGHT = 9.0, 3.2  # inches


@dataclass(frozen=True)
class ReportChart:
    """A heading, a description, and an `<svg>` element."""

    heading: str
    words: str
    svg: str


def charts(recording: Recording) -> Iterator[ReportChart | str]:
    """The charts in order; in place of a chart that is left out, a note that says why."""
    for heading, words, label, source, draw in _CHARTS:
        values = source(recording)
        if not (values.size and np.isfinite(values).any()):
            yield f"{heading}: not in this recording"
            continue
        known = np.where(np.isfinite(values), values, np.nan)
        groups = groups_by_unit(recording) if draw is _joints else {"": []}
        figure = new_figure(_WIDTH, _HEIGHT * len(groups))
        panels = figure.subplots(len(groups), 1, sharex=True, squeeze=False)[:, 0]
        for axes, (unit, joints) in zip(panels, groups.items(), strict=True):
            if joints:
                draw_joints(axes, recording, known, joints)
            else:
                draw(axes, recording, known)
            axes.set_ylabel(label.format(unit=unit, force=FORCE_UNITS.get(unit)))
            axes.margins(x=0.01)
        panels[-1].set_xlabel("time [s]")
        draw_legend(figure, panels)
        yield ReportChart(heading, words, svg_of(figure))


def _joints(axes: Axes, recording: Recording, values: Array) -> None:
    draw_joints(axes, recording, values, range(values.shape[1]))


def _pairs(axes: Axes, recording: Recording, values: Array) -> None:
    names, time, forces = pair_forces(recording)
    for name, colour, force in zip(names, joint_colours(len(names)), forces.T, strict=True):
        draw_curve(axes, time, force, label=name, color=colour)
    limit_range(axes, forces)


def _logarithmic(factor: float) -> Callable[[Axes, Recording, Array], None]:
    """Draws one curve, times a factor, on a logarithmic axis."""

    def draw(axes: Axes, recording: Recording, values: Array) -> None:
        draw_curve(axes, recording.time, factor * values, color="black")
        axes.set_yscale("log")

    return draw


def _energies(axes: Axes, recording: Recording, values: Array) -> None:
    for name, colour, energy in zip(recording.energy_terms, joint_colours(values.shape[1]), values.T, strict=True):
        if np.nanmax(np.abs(energy), initial=0.0) > 0.0:
            draw_curve(axes, recording.time, np.where(energy > 0.0, energy, np.nan), label=name, color=colour)
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    axes.set_ylim(max(low, 1e-12 * np.nanmax(values)), high)


def _iterations(axes: Axes, recording: Recording, values: Array) -> None:
    draw_curve(axes, recording.time, values, color="black", drawstyle="steps-mid")
    axes.set_ylim(bottom=0.0)


def _stages(axes: Axes, recording: Recording, values: Array) -> None:
    per_step = 1e3 * np.nan_to_num(values.T)
    taken = np.flatnonzero(per_step.any(axis=1))  # a scene does not have every stage
    colours, stages = joint_colours(len(per_step)), [recording.stages[k] for k in taken]
    chosen = [colours[k] for k in taken]
    for area in axes.stackplot(recording.time, per_step[taken], labels=stages, colors=chosen, linewidth=0.0):
        area.set_rasterized(True)
    axes.set_ylim(0.0, 1.5 * np.percentile(per_step.sum(axis=0), 99))
    axes.grid(alpha=0.3)


# heading, what the chart shows, label of the vertical axis, values, how they are drawn
_CHARTS: tuple[
    tuple[str, str, str, Callable[[Recording], Array], Callable[[Axes, Recording, Array], None]],
    ...,
] = (
    ("Joint positions", "θ at the end of each step.", "[{unit}]", lambda r: r.theta, _joints),
    ("Joint velocities", "", "[{unit} per s]", lambda r: r.theta_dot, _joints),
    (
        "Change of the joints' motion by contact",
        "δθ - δθ̃: the joint motion of each step minus that without contact. It is zero without contact.",
        "[{unit}]",
        lambda r: r.delta_theta - r.delta_theta_tilde,
        _joints,
    ),
    (
        "Contact force on the joints",
        "Generalised force τ_c, with the direction that contact drives the joint.",
        "[{force}]",
        lambda r: r.contact_force,
        _joints,
    ),
    (
        "Contact forces between bodies",
        "Net force of barrier and friction of each pair; the pairs with the largest forces.",
        "[N]",
        lambda r: pair_forces(r)[2],
        _pairs,
    ),
    (
        "Minimum distance",
        "The minimum distance of surfaces that may touch. It is never zero; in gaps of the curve nothing was near.",
        "[m]",
        lambda r: r.minimum_distance,
        _logarithmic(1.0),
    ),
    (
        "Energies",
        "Terms of the incremental potential at the end of each step, over dt².",
        "[J]",
        lambda r: r.energies,
        _energies,
    ),
    ("Newton iterations", "In each step.", "iterations", lambda r: r.newton_iterations, _iterations),
    ("Time of a step", "Wall time.", "[ms]", lambda r: r.step_time, _logarithmic(1e3)),
    (
        "Time of a step by stage",
        "Wall time of all stages, stacked; the slowest steps may exceed the chart.",
        "[ms]",
        lambda r: r.stage_times,
        _stages,
    ),
)
