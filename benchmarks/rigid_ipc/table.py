"""The verdicts as a table of the terminal, and as docs/rigid_ipc.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.table import Table

from benchmarks.rigid_ipc.fixture import UNTIL_SETTLED
from benchmarks.rigid_ipc.running import Limits, Verdict
from ipc_articulation.contact.materials import BY_LOAD

COLUMNS = (
    "scene",
    "bodies",
    "load",
    "steps",
    "intersections",
    "not converged",
    "iterations mean",
    "max",
    "smallest gap / d̂",
    "resting gaps / d̂: least",
    "median",
    "greatest",
    "resting",
    "ms mean",
    "median",
    "",
)


def cells(verdict: Verdict) -> tuple[str, ...]:
    """A row of the table."""
    mean, median = verdict.milliseconds()
    ran = verdict.steps > 0
    figures = (
        (
            f"after {', '.join(map(str, verdict.intersecting))}" if verdict.intersecting else "none",
            str(verdict.unconverged),
            f"{verdict.iterations_mean:.1f}",
            f"{max(verdict.iterations):.0f}",
            _ratio(verdict.smallest_gap),
            *map(_ratio, verdict.resting_gaps or (None,) * 3),
            str(verdict.resting),
            f"{mean:.3g}",
            f"{median:.3g}",
        )
        if ran
        else ("",) * 11
    )
    said = [*(["stalls"] if verdict.stalls else []), *filter(None, [verdict.reason])]
    start = (verdict.name, str(verdict.bodies), _ratio(verdict.load))
    return (*start, f"{verdict.steps}/{verdict.wanted}", *figures, "; ".join(said))


def _ratio(gap: float | None) -> str:
    return "" if gap is None else f"{gap:.3g}"


def terminal_table(verdicts: Iterable[Verdict]) -> Table:
    """For rich."""
    table = Table(*COLUMNS)
    for column in table.columns[1:-1]:
        column.justify = "right"
    for verdict in verdicts:
        table.add_row(*(cell.replace("[", "\\[") for cell in cells(verdict)))
    return table


def summary(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """What is true of all together."""
    ran = [verdict for verdict in verdicts if verdict.steps]
    yield f"{len(ran)} of {len(verdicts)} scenes ran, {sum(v.steps for v in ran)} steps in all;"
    yield f"{sum(bool(v.intersecting) for v in ran)} of them had intersections,"
    yield f"{sum(v.unconverged > 0 for v in ran)} steps without convergence,"
    yield f"{sum(v.steps == v.wanted for v in ran)} came to their end within the time,"
    yield f"{sum(v.stalls for v in ran)} stall."
    yield f"The most iterations of a step are {max((max(v.iterations) for v in ran), default=0):.0f}."


def page(verdicts: Sequence[Verdict], limits: Limits, commit: str, scenes: int) -> Iterator[str]:
    """Lines of docs/rigid_ipc.md; there are more scenes than verdicts if only some were tried."""
    option, resistance = f"{limits.resistance:g}", f"{limits.resistance:g} Pa"
    if limits.resistance <= 0.0:
        option, resistance = (
            ("load", "by load (docs/resistance.md)") if limits.resistance == BY_LOAD else ("auto", "adaptive")
        )
    facts = {"commit": commit, "steps": limits.steps, "seconds": limits.seconds, "friction": limits.friction}
    yield from _HEAD.format(**facts, option=option, resistance=resistance, settled=UNTIL_SETTLED).split("\n")
    yield " ".join([*summary(verdicts), f"{scenes - len(verdicts)} more scenes were not tried in this run."])
    yield ""
    yield "| " + " | ".join(COLUMNS) + " |"
    yield "|---" + "|---:" * (len(COLUMNS) - 2) + "|---|"
    for verdict in verdicts:
        yield "| " + " | ".join(cell.replace("|", "/") for cell in cells(verdict)) + " |"


_HEAD = """# Scenes of rigid-ipc

The scenes of [rigid-ipc](https://github.com/ipc-sim/rigid-ipc) (Ferguson et al. 2021, «Intersection-free rigid body
dynamics»; MIT licence), commit `{commit}`, on the CPU engine:
`python -m benchmarks.rigid_ipc --resistance {option} --friction {friction} --seconds {seconds:g} --write`, after
`python tools/fetch_rigid_ipc.py`. Each ran {steps} steps, or its own
number if that is smaller, or {seconds:g} s of the clock; contact resistance {resistance},
{friction} friction (docs/friction.md).

- **Read from the fixtures:** time step, gravity, friction, its slip velocity and whether it is to
  [settle within the step](friction.md#friction-within-the-step) (then up to {settled} minimisations), d̂, minimum
  separation (as thickness), density, mass properties of solids, surfaces, lines and points as rigid-ipc has them,
  initial velocities, forces and torques, groups that do not touch.
- **Ours:** bodies are stiff and affine, not rigid, with a speed of sound of 316 m/s (10⁸ Pa at 1000 kg/m³). Every step
  is solved to convergence, with libuipc's tolerances and without its semi-implicit ends.
- **Kinematic bodies** follow their motion by `SoftTransformConstraint`. Bodies with fixed axes are held by a revolute,
  prismatic, planar or spherical joint at the centre of mass, those that only do not rotate by
  `SoftTransformConstraint`.
- **Left out:** restitution, which has no effect in rigid-ipc either. The scenes of the paper's figures are links to
  these. Scenes in the plane have polygons without thickness, which have no volume in space.
- **Intersections** and gaps are measured by ipctk, intersections every 20 steps and at the end, gaps after the last
  step. A gap is the distance less the minimum separation; a contact of two bodies rests if the last step changed its
  gap by less than 1 % of d̂. Times are of the processor.
- **Load** is the weight of the heaviest body over κ d̂³, κ a given contact resistance, in SI numbers. A barrier pushes
  with about 2 κ d̂⁴/d at small distances d, so loads far above 1 are carried by gaps of about 2 d̂/load, times the
  number of pairs that share it, whatever the engine; bodies that lie on others add their weight.
- **Iterations** are those of a step, or of one of its minimisations, in the mean, where friction settles within it.
- A scene **stalls** if a step did not converge, the mean number of iterations is above 12, or a gap at the end is 5 %
  of d̂ or less.
"""
