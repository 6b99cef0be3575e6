"""Functions of OpenSim files."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ipc_articulation.dynamics.loops.coordinate_functions import Function
from ipc_articulation.dynamics.reading.node import XmlNode
from ipc_articulation.dynamics.reading.osim.contents import number_in, numbers_in
from ipc_articulation.dynamics.reading.osim.functions import Constant, PolynomialFunction, linear, scaled
from ipc_articulation.dynamics.reading.osim.points import PiecewiseLinearFunction, SimmSpline
from ipc_articulation.errors import ModelError
from ipc_articulation.naming import suggest


def function_in(node: XmlNode, role: str) -> Function | None:
    """The function with a role in an element, or None.

    OpenSim 3 writes `<role><LinearFunction>`, OpenSim 4 also `<LinearFunction name="role">`; it reads one without a
    name too. Tags of classes begin with capitals.

    Raises:
        ModelError: An unknown function, or wrong numbers.
    """
    inner = node.child(role)
    given = (
        inner.children()
        if inner
        else [c for c in node.children() if c.element.get("name", role) == role and c.tag[0].isupper()]
    )
    if len(given) > 1:
        raise given[1].error(f"<{node.tag}> has more than one function; give one")
    return read_function(given[0]) if given else None


def read_function(node: XmlNode) -> Function:
    """A function element.

    Raises:
        ModelError: An unknown function, or wrong numbers.
    """
    if node.tag not in READERS:
        raise node.error(f"unknown function <{node.tag}>{suggest(node.tag, READERS)}")
    return READERS[node.tag](node)


def _linear(node: XmlNode) -> Function:
    slope, offset = numbers_in(node, "coefficients", 2)
    return linear(float(slope), float(offset))


def _through_points(node: XmlNode) -> Function:
    kind = PiecewiseLinearFunction if node.tag == "PiecewiseLinearFunction" else SimmSpline
    x, y = numbers_in(node, "x"), numbers_in(node, "y")
    try:
        with np.errstate(all="ignore"):  # points too close together are refused
            return kind(x, y)
    except ModelError as error:
        raise node.error(f"<{node.tag}>: {error}") from error


def _multiplier(node: XmlNode) -> Function:
    function = function_in(node, "function")
    if function is None:
        raise node.error(f"<{node.tag}> lacks <function>")
    return scaled(function, number_in(node, "scale", 1.0))


READERS: dict[str, Callable[[XmlNode], Function]] = {
    "Constant": lambda node: Constant(number_in(node, "value", 0.0)),
    "LinearFunction": _linear,
    "MultiplierFunction": _multiplier,
    "NaturalCubicSpline": _through_points,  # in OpenSim too the same as a SimmSpline
    "PiecewiseLinearFunction": _through_points,
    "PolynomialFunction": lambda node: PolynomialFunction(numbers_in(node, "coefficients").tolist()),
    "SimmSpline": _through_points,
}
