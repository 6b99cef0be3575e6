"""The kinds of a robot's joints, looked up in the table of kinds."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ipc_articulation.articulation.kinds import KINDS, Kind, kind_named
from ipc_articulation.coupling.adapter import CoupledJoint
from ipc_articulation.naming import distinct

_BEYOND = 1e-9  # [rad or m] by which rounding may take a joint beyond its limit


def kind_of(joint: CoupledJoint) -> Kind:
    """The kind of a joint; an ArticulationError that names the joint where there is none of that name."""
    return KINDS[kind_named(joint.kind, f"joint '{joint.name}'")]


def freedom_names(joints: Sequence[CoupledJoint]) -> tuple[str, ...]:
    """A name for each freedom: the joint's own where it has one freedom, else with the freedom's, as in «root/x»."""
    return distinct(
        [
            joint.name if kind_of(joint).freedoms == 1 else f"{joint.name}/{label}"
            for joint in joints
            for label in kind_of(joint).labels
        ]
    )


def freedom_units(joints: Sequence[CoupledJoint]) -> dict[str, str]:
    """The unit of each freedom, rad or m, by its name."""
    return dict(zip(freedom_names(joints), (unit for joint in joints for unit in kind_of(joint).units), strict=True))


def is_within(position: float, low: float, high: float) -> bool:
    """Whether a position is within its limits [rad or m], but for rounding."""
    return low - _BEYOND <= position <= high + _BEYOND


def told_apart(position: float, low: float, high: float) -> tuple[str, str, str]:
    """Texts of a position beyond its limits, and of these, with as many digits as show the difference, at least 6."""
    for digits in range(6, 18):
        at, least, most = (f"{value:.{digits}g}" for value in (position, low, high))
        if at not in (least, most):
            break
    return at, least, most


def in_degrees(position: float, unit: str) -> str:
    """A hint that a position beyond its limits was meant in degrees; else empty.

    It is given for more than a turn, 2π rad, which nobody wants of a joint with such limits, whether or not they
    contain the degrees. Smaller values are as likely radians, or degrees that were converted already.
    """
    is_meant = unit == "rad" and abs(position) > 2.0 * math.pi
    return f"; degrees are written ${{{position:g} * deg}}" if is_meant else ""


def single_freedoms(joints: Sequence[CoupledJoint]) -> list[str]:
    """For each freedom the joint's name where it has one freedom, which an actuator may drive, else an empty text."""
    return [joint.name if kind_of(joint).freedoms == 1 else "" for joint in joints for _ in kind_of(joint).units]
