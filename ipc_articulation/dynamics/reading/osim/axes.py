"""Joints of OpenSim as rotations and translations along six axes, each a function of one coordinate.

    motion = [R_a1(f1) R_a2(f2) R_a3(f3), f4 a4 + f5 a5 + f6 a6]

so that the translations come before the rotations (OpenSim, «CustomJoint»). The other joints have the same form: their
coordinates rotate about or slide along the axes in `PLAIN`. The coordinates of OpenSim's ball joint are successive
angles about x, y and z, so it is singular if the second angle is ±90°.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.joints import Joint, PrismaticJoint, RevoluteJoint
from ipc_articulation.dynamics.joints.elements import unit
from ipc_articulation.dynamics.loops.coordinate_functions import Function
from ipc_articulation.dynamics.reading.node import XmlNode
from ipc_articulation.dynamics.reading.osim.contents import numbers_in, text_in
from ipc_articulation.dynamics.reading.osim.document import JointElement
from ipc_articulation.dynamics.reading.osim.function_elements import function_in
from ipc_articulation.dynamics.reading.osim.functions import IDENTITY, Constant, LinearFunction
from ipc_articulation.errors import ModelError
from ipc_articulation.naming import suggest

NAMES = ("translation1", "translation2", "translation3", "rotation1", "rotation2", "rotation3")
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_ANGLES = (("rotation1", X), ("rotation2", Y), ("rotation3", Z))

CUSTOM = "CustomJoint"
# For each type, the motions of its coordinates, in their order.
PLAIN = {
    "BallJoint": _ANGLES,
    "FreeJoint": (*_ANGLES, ("translation1", X), ("translation2", Y), ("translation3", Z)),
    "GimbalJoint": _ANGLES,
    "PinJoint": (("rotation1", Z),),
    "PlanarJoint": (("rotation1", Z), ("translation1", X), ("translation2", Y)),
    "SliderJoint": (("translation1", X),),
    "UniversalJoint": (("rotation1", X), ("rotation2", Y)),
    "WeldJoint": (),
}


@dataclass(frozen=True)
class Axis:
    """A rotation about or a translation along a direction, by a function of a coordinate."""

    name: str  # one of NAMES
    direction: Array  # (3,), of length one
    function: Function
    coordinate: str = ""  # none: the function is constant

    @property
    def turns(self) -> bool:
        """Whether it is a rotation."""
        return self.name.startswith("rotation")

    def joint(self) -> Joint:
        """The joint whose coordinate is the function's value."""
        return RevoluteJoint(self.direction) if self.turns else PrismaticJoint(self.direction)

    def without_offset(self) -> tuple[Array, Axis]:
        """A pose (4, 4) and an axis whose product is the motion of this axis.

        A constant function becomes part of the pose. For ±y + b, b becomes part of the pose and the sign part of the
        axis, so that the remaining function is the identity. Other functions do not change.
        """
        f = self.function
        if isinstance(f, Constant):
            return self.joint().pose_at(f.value), replace(self, function=Constant(0.0))
        if isinstance(f, LinearFunction) and abs(f.slope) == 1.0:
            rest = replace(self, direction=f.slope * self.direction, function=IDENTITY)
            return self.joint().pose_at(f.offset), rest
        return np.eye(4), self


def axes_of(joint: JointElement, coordinates: list[str]) -> list[Axis]:
    """The axes of a joint in the order in which they move the child, translations first.

    Args:
        joint: The joint.
        coordinates: Names of its coordinates.

    Raises:
        ModelError: A type, axis, function or coordinate is unknown, or a coordinate moves nothing.
    """
    if joint.node.tag == CUSTOM:
        axes = _custom_axes(joint, coordinates)
    elif joint.node.tag in PLAIN:
        axes = _plain_axes(joint, coordinates)
    else:
        raise joint.node.error(f"unknown type <{joint.node.tag}>{suggest(joint.node.tag, [CUSTOM, *PLAIN])}")
    idle = [name for name in coordinates if all(axis.coordinate != name for axis in axes)]
    if idle:
        raise joint.node.error(f"coordinate '{idle[0]}' moves nothing")
    return sorted(axes, key=lambda axis: NAMES.index(axis.name))


def _plain_axes(joint: JointElement, coordinates: list[str]) -> list[Axis]:
    motions = PLAIN[joint.node.tag]
    if len(coordinates) != len(motions):
        raise joint.node.error(f"a {joint.node.tag} has {len(motions)} coordinates, not {len(coordinates)}")
    pairs = zip(motions, coordinates, strict=True)
    return [Axis(name, np.array(direction), IDENTITY, coordinate) for (name, direction), coordinate in pairs]


def _custom_axes(joint: JointElement, coordinates: list[str]) -> list[Axis]:
    nodes = joint.node.required("SpatialTransform").children("TransformAxis")
    axes = [_transform_axis(node, coordinates) for node in nodes]
    names = [axis.name for axis in axes]
    if len(set(names)) != len(names):
        raise joint.node.error(f"<SpatialTransform> has axes {', '.join(names)}; give each once")
    return axes


def _transform_axis(node: XmlNode, coordinates: list[str]) -> Axis:
    name = node.text("name")
    if name not in NAMES:
        raise node.error(f"unknown axis '{name}'{suggest(name, NAMES)}")
    function = function_in(node, "function") or Constant(0.0)
    given_axis = numbers_in(node, "axis", 3)
    try:
        direction = np.array(unit(given_axis))
    except ModelError as error:
        raise node.error(f"axis '{name}': {error}") from error
    if isinstance(function, Constant):
        return Axis(name, direction, function)
    given = text_in(node, "coordinates", "").split()
    if len(given) != 1:
        raise node.error(f"axis '{name}' is a function of {len(given)} coordinates; give one")
    if given[0] not in coordinates:
        raise node.error(f"axis '{name}': unknown coordinate '{given[0]}'{suggest(given[0], coordinates)}")
    return Axis(name, direction, function, given[0])
