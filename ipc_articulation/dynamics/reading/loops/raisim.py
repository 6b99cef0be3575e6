"""`<constraints>` of RaiSim.

    <constraints nominal_config="…">
      <pin body1="…" body2="…" anchor="…"/>
      <equality body1="…" body2="…" anchor="…"><axis xyz="…"/></equality>
    </constraints>

The anchor is a point of body1, in its frame. It coincides with the point of body2 that is at the same place at the
position `nominal_config`: for a pin in all directions, for an equality along one or two axes that are fixed to body1.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.model.mechanism import Mechanism
from ipc_articulation.dynamics.model.order import ordered_joints
from ipc_articulation.dynamics.reading.loops.paths import paths_between
from ipc_articulation.dynamics.reading.loops.relations import PointLoop, Relation
from ipc_articulation.dynamics.reading.node import XmlNode


def read_constraints(node: XmlNode, mechanism: Mechanism) -> tuple[list[Relation], dict[str, float]]:
    """The relations of a `<constraints>` element, and the nominal positions of joints with one degree of freedom.

    Raises:
        ModelError: The element is wrong.
    """
    node.allow(("nominal_config",), ("pin", "equality"))
    if not node.children():
        return [], {}
    nominal = _nominal(node, mechanism)
    return [_closed_at(nominal, child, mechanism) for child in node.children()], nominal


def _nominal(node: XmlNode, mechanism: Mechanism) -> dict[str, float]:
    """`nominal_config`: the positions of all joints in their order, including (p, quaternion) of a floating base."""
    moving = [
        placed
        for placed in ordered_joints(mechanism.links, mechanism.joints, mechanism.frames, None, node.place)
        if placed.joint.ndof
    ]
    starts = np.cumsum([0, *(placed.joint.nq for placed in moving)])
    count = len(node.text("nominal_config").split())
    if count != starts[-1]:
        listed = ", ".join(f"'{placed.name}' ({placed.joint.nq})" for placed in moving)
        raise node.error(f"nominal_config has {count} numbers; the joints have {starts[-1]}: {listed}")
    q = node.numbers("nominal_config", count)
    return {
        placed.name: float(q[start])
        for placed, start in zip(moving, starts[:-1], strict=True)
        if placed.joint.ndof == 1
    }


def _closed_at(nominal: dict[str, float], node: XmlNode, mechanism: Mechanism) -> Relation:
    """A pin or an equality whose points coincide at the nominal position."""
    body1, body2 = node.text("body1"), node.text("body2")
    node = node._replace(owner=f"{node.tag} of '{body1}' and '{body2}'")
    node.allow(("body1", "body2", "anchor"), ("axis",) if node.tag == "equality" else ())
    anchor = node.numbers("anchor", 3)
    first, second = paths_between(mechanism, body1, body2, node.place)
    point = second.point_in_link(nominal, first.point(nominal, anchor))
    return PointLoop(mechanism, (body1, anchor), (body2, point), node.place, _axes(node))


def _axes(node: XmlNode) -> Array | None:
    """The axes of an equality, (1 or 2, 3)."""
    if node.tag == "pin":
        return None
    axes = [axis.numbers("xyz", 3) for axis in node.children("axis")]
    if len(axes) not in (1, 2):
        raise node.error(f"<equality> has {len(axes)} axes; give one or two, or a <pin>")
    return np.array(axes)
