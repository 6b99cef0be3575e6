"""The charts of a report; each is left out where the recording holds nothing for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from ipc_articulation.arrays import Array
from ipc_articulation.recording import Recording
from ipc_articulation.viewing.palette import joint_colours
from ipc_articulation.viewing.plotting import draw_curve, draw_joints, draw_legend, new_figure, svg_of
from ipc_articulation.viewing.reporting.pair_forces import pair_forces

_WIDTH, _HEIGHT = 9.0, 3.2  # inches


@dataclass(frozen=True)
class ReportChart:
    """A heading, what the chart shows, and an `<svg>` element."""

    heading: str
    words: str
    svg: str


def charts(recording: Recording) -> Iterator[ReportChart | str]:
    """The charts one after the other; for one that is left out, a note that says why."""
    for heading, words, source, draw in _CHARTS:
        values = source(recording)
        if not (values.size and np.isfinite(values).any()):
            yield f"{heading}: not in this recording"
            continue
        figure = new_figure(_WIDTH, _HEIGHT)
        draw(figure, recording, np.where(np.isfinite(values), values, np.nan))
        figure.axes[0].set_xlabel("time [s]")
        figure.axes[0].margins(x=0.01)
        yield ReportChart(heading, words, svg_of(figure))


def _joints(label: str) -> Callable[[Figure, Recording, Array], None]:
    def draw(figure: Figure, recording: Recording, values: Array) -> None:
        axes = figure.subplots()
        draw_joints(axes, recording, values, label)
        draw_legend(figure, axes)

    return draw


def _pairs(figure: Figure, recording: Recording, values: Array) -> None:
    axes = figure.subplots()
    names, time, forces = pair_forces(recording)
    for name, colour, force in zip(names, joint_colours(len(names)), forces.T, strict=True):
        draw_curve(axes, time, force, label=name, color=colour)
    axes.set_ylabel("[N]")
    draw_legend(figure, axes)


def _distance(figure: Figure, recording: Recording, values: Array) -> None:
    axes = figure.subplots()
    draw_curve(axes, recording.time, values, color="black")
    axes.set_yscale("log")
    axes.set_ylabel("[m]")


def _energies(figure: Figure, recording: Recording, values: Array) -> None:
    axes = figure.subplots()
    for name, colour, energy in zip(recording.energy_terms, joint_colours(values.shape[1]), values.T, strict=True):
        if np.nanmax(np.abs(energy), initial=0.0) > 0.0:
            draw_curve(axes, recording.time, np.where(energy > 0.0, energy, np.nan), label=name, color=colour)
    axes.set_yscale("log")
    greatest = np.nanmax(values)
    low, high = axes.get_ylim()
    axes.set_ylim(max(low, 1e-12 * greatest), high)
    axes.set_ylabel("[J]")
    draw_legend(figure, axes)


def _iterations(figure: Figure, recording: Recording, values: Array) -> None:
    axes = figure.subplots()
    draw_curve(axes, recording.time, values, color="black", drawstyle="steps-mid")
    axes.set_ylim(bottom=0.0)
    axes.set_ylabel("iterations")


def _stages(figure: Figure, recording: Recording, values: Array) -> None:
    axes = figure.subplots()
    per_step = 1e3 * np.nan_to_num(values.T)
    taken = np.flatnonzero(per_step.any(axis=1))  # a scene does not have every stage
    colours, stages = joint_colours(len(per_step)), [recording.stages[k] for k in taken]
    chosen = [colours[k] for k in taken]
    areas = axes.stackplot(recording.time, per_step[taken], labels=stages, colors=chosen, linewidth=0.0)
    for area in areas:
        area.set_rasterized(True)
    axes.set_ylim(0.0, 1.5 * np.percentile(per_step.sum(axis=0), 99))
    axes.set_ylabel("[ms]")
    axes.grid(alpha=0.3)
    draw_legend(figure, axes)


def _step_time(figure: Figure, recording: Recording, values: Array) -> None:
    axes = figure.subplots()
    draw_curve(axes, recording.time, 1e3 * values, color="black")
    axes.set_yscale("log")
    axes.set_ylabel("[ms]")


_CHARTS: tuple[
    tuple[str, str, Callable[[Recording], Array], Callable[[Figure, Recording, Array], None]],
    ...,
] = (
    ("Joint positions", "θ at the end of each step.", lambda r: r.theta, _joints("[rad or m]")),
    ("Joint velocities", "", lambda r: r.theta_dot, _joints("[rad/s or m/s]")),
    (
        "What contact did to the joints' motion",
        "δθ - δθ̃: the joint motion of each step less that without contact. Zero where nothing touches.",
        lambda r: r.delta_theta - r.delta_theta_tilde,
        _joints("[rad or m]"),
    ),
    (
        "Contact force on the joints",
        "Generalised force τ_c, with the direction that contact drives the joint.",
        lambda r: r.contact_force,
        _joints("[N·m or N]"),
    ),
    (
        "Contact forces between bodies",
        "Net force of each pair, barrier and friction; the pairs that press hardest.",
        lambda r: pair_forces(r)[2],
        _pairs,
    ),
    (
        "Minimum distance",
        "The least distance of surfaces that may touch. It never reaches zero; gaps: nothing was near anything.",
        lambda r: r.minimum_distance,
        _distance,
    ),
    (
        "Energies",
        "Terms of the incremental potential at the end of each step, over dt².",
        lambda r: r.energies,
        _energies,
    ),
    ("Newton iterations", "In each step.", lambda r: r.newton_iterations, _iterations),
    ("Time of a step", "Wall time.", lambda r: r.step_time, _step_time),
    (
        "Time of a step by stage",
        "Wall time, one stage on the other; the slowest steps may reach beyond the edge.",
        lambda r: r.stage_times,
        _stages,
    ),
)
