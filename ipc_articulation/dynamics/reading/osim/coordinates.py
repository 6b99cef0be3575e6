"""Coordinates of an OpenSim model, and the constraints that make a coordinate a function of another one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import newton

from ipc_articulation.dynamics.loops.coordinate_functions import Function
from ipc_articulation.dynamics.reading.node import XmlNode
from ipc_articulation.dynamics.reading.osim.contents import flag_in, is_on, number_in, numbers_in, parts_in, text_in
from ipc_articulation.dynamics.reading.osim.function_elements import function_in
from ipc_articulation.dynamics.reading.osim.functions import IDENTITY, composed, scaled
from ipc_articulation.naming import suggest

COUPLER = "CoordinateCouplerConstraint"
LOCK_TOLERANCE = 1e-6  # [rad or m] between the values of two locked coordinates
LONGEST = 100  # largest length of a chain of constraints between two coordinates


@dataclass(frozen=True)
class Coordinate:
    """A generalised coordinate, in rad or m."""

    name: str
    joint: str  # the joint in OpenSim
    default: float = 0.0
    lower: float = -np.inf  # limits: the range of a clamped coordinate, the default of a locked one
    upper: float = np.inf
    clamped: bool = False
    locked: bool = False


@dataclass(frozen=True)
class Coupler:
    """A relation that makes a coordinate a function of another one."""

    function: Function
    independent: str
    node: XmlNode


def read_coordinate(node: XmlNode, joint: str) -> Coordinate:
    """The coordinate of a `<Coordinate>`.

    A locked coordinate remains a degree of freedom, with both limits at its default value.

    Raises:
        ModelError: The element is wrong.
    """
    name, node = node.named(f"joint '{joint}': coordinate")
    default = number_in(node, "default_value", 0.0)
    clamped, locked = flag_in(node, "clamped", False), flag_in(node, "locked", False)
    lower, upper = numbers_in(node, "range", 2, (-np.inf, np.inf), infinite=True)
    if lower > upper:
        raise node.error(f"<range> {lower:g} {upper:g} is empty")
    if locked:
        lower = upper = default
    elif not clamped:
        lower, upper = -np.inf, np.inf
    return Coordinate(name, joint, default, float(lower), float(upper), clamped, locked)


def read_couplings(model: XmlNode, known: Collection[str], is_version_4: bool) -> dict[str, Coupler]:
    """Coordinates that are functions of an independent one, by `CoordinateCouplerConstraint`s.

    Args:
        model: The `<Model>`.
        known: Names of all coordinates.
        is_version_4: Whether the file is.

    Raises:
        ModelError: A constraint is wrong.
    """
    given: dict[str, Coupler] = {}
    for node in parts_in(model, "Constraint"):
        _, node = node.named("constraint")
        if node.tag != COUPLER or not is_on(node, is_version_4):
            continue
        dependent, coupling = _read_coupling(node, known)
        if dependent in given:
            raise node.error(f"coordinate '{dependent}' already depends on '{given[dependent].independent}'")
        given[dependent] = coupling
    return {dependent: _resolved(dependent, given) for dependent in given}


def _read_coupling(node: XmlNode, known: Collection[str]) -> tuple[str, Coupler]:
    independent = text_in(node, "independent_coordinate_names")
    dependent = text_in(node, "dependent_coordinate_name")
    for name in (*independent.split(), dependent):
        if name not in known:
            raise node.error(f"unknown coordinate '{name}'{suggest(name, known)}")
    if len(independent.split()) > 1:
        raise node.error(f"depends on '{independent}'; a {COUPLER} is of one independent coordinate")
    function = function_in(node, "coupled_coordinates_function")
    if function is None:
        raise node.error(f"<{COUPLER}> lacks <coupled_coordinates_function>")
    return dependent, Coupler(scaled(function, number_in(node, "scale_factor", 1.0)), independent, node)


def _resolved(dependent: str, given: dict[str, Coupler]) -> Coupler:
    """The coupling of a coordinate to one that does not itself depend on another one."""
    function: Function = IDENTITY
    name, passed = dependent, [dependent]
    while name in given:
        coupling = given[name]
        node = coupling.node
        function, name = composed(function, coupling.function), coupling.independent
        if name in passed:
            raise node.error(f"coordinates {', '.join(map(repr, passed))} depend on each other in a circle")
        if len(passed) > LONGEST:
            raise node.error(f"coordinate '{dependent}' depends on another one through more than {LONGEST} constraints")
        passed.append(name)
    return Coupler(function, name, given[dependent].node)


def locked_by_dependent(
    coordinates: Mapping[str, Coordinate], couplings: Mapping[str, Coupler]
) -> dict[str, Coordinate]:
    """Coordinates, of which those with a locked dependent one are locked where this has its default value.

    Raises:
        ModelError: No value of the independent coordinate gives this default value, or it is locked elsewhere.
    """
    result = dict(coordinates)
    for dependent, coupling in couplings.items():
        if not coordinates[dependent].locked:
            continue
        f, own, wanted = coupling.function, result[coupling.independent], coordinates[dependent].default
        y = own.default if own.locked else _solution(f, wanted, own.default)
        if abs(f(y) - wanted) > LOCK_TOLERANCE:
            raise coupling.node.error(
                f"coordinate '{dependent}' is locked at {wanted:g}, where '{own.name}' cannot put it; unlock one"
            )
        result[own.name] = replace(own, default=y, lower=y, upper=y, locked=True)
    return result


def _solution(f: Function, wanted: float, start: float) -> float:
    """A y with f(y) as wanted, by Newton's method; the start if there is none near it."""
    try:
        return float(newton(lambda y: f(y) - wanted, start, f.first))
    except RuntimeError:
        return start
