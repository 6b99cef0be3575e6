"""The elements `<loop>` and `<coupling>` and the attribute `independent` of generalized_rbda's URDF+.

    <joint name="…" type="…" independent="false">…</joint>
    <loop name="…" type="revolute">
      <predecessor link="…"><origin xyz="…"/></predecessor>  <successor link="…"><origin xyz="…"/></successor>
    </loop>
    <coupling name="…">
      <predecessor link="…"/>  <successor link="…"/>  <ratio value="…"/>
    </coupling>

A loop keeps the two origins together; its axis is ignored. In a planar loop the joints constrain all other directions;
a hinge in a spatial loop needs two loops, with points along its axis. A coupling with ratio N means

    N Σ q_j (from the common ancestor to the predecessor) = Σ q_j (from the ancestor to the successor).

Joints are independent unless the file says otherwise.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.model.mechanism import Mechanism
from ipc_articulation.dynamics.reading.loops.paths import paths_between
from ipc_articulation.dynamics.reading.loops.relations import LinearRelation, PointLoop, Relation
from ipc_articulation.dynamics.reading.node import FLAGS, XmlNode, by_name
from ipc_articulation.dynamics.reading.origin import origin_of
from ipc_articulation.naming import suggest

PINS = ("revolute", "continuous", "spherical")


def read_loop(node: XmlNode, mechanism: Mechanism) -> Relation:
    """The relation of a `<loop>`.

    Raises:
        ModelError: The element is wrong.
    """
    _, node = node.named()
    node.allow(("name", "type"), ("predecessor", "successor", "axis"))
    kind = node.element.get("type", "revolute")
    if kind not in PINS:
        raise node.error(f"type '{kind}' is not supported, as a loop holds a point{suggest(kind, PINS)}")
    return PointLoop(mechanism, _end(node, "predecessor"), _end(node, "successor"), node.place)


def read_coupling(node: XmlNode, mechanism: Mechanism) -> Relation:
    """The relation of a `<coupling>`.

    Raises:
        ModelError: The element is wrong.
    """
    _, node = node.named()
    node.allow(("name", "type"), ("predecessor", "successor", "ratio"))
    ratio = node.required("ratio")
    ratio.allow(("value",))
    (first, _), (second, _) = _end(node, "predecessor"), _end(node, "successor")
    paths = paths_between(mechanism, first, second, node.place)
    coefficients: dict[str, float] = {}
    for path, c in zip(paths, (ratio.number("value"), -1.0), strict=True):
        coefficients |= {joint.name: c for joint in path.joints}
    return LinearRelation(coefficients, where=node.place)


def read_flags(robot: XmlNode) -> dict[str, bool]:
    """The attribute `independent` of the joints that have it, by name.

    Raises:
        ModelError: The attribute is neither true nor false.
    """
    flags = {}
    for name, joint in by_name(robot.children("joint")).items():
        if joint.has("independent"):
            text = joint.text("independent").lower()
            if text not in FLAGS:
                raise joint.error(f'<joint> has independent="{text}"; give true or false')
            flags[name] = FLAGS[text]
    return flags


def driven_joints(robot: XmlNode) -> set[str]:
    """Names of the joints that a `<transmission>` moves or a `<ros2_control>` commands."""
    joints = [joint for node in robot.children("transmission") for joint in node.children("joint")]
    for node in robot.children("ros2_control"):
        joints += [joint for joint in node.children("joint") if joint.children("command_interface")]
    return {joint.element.get("name", "").strip() for joint in joints}


def _end(node: XmlNode, tag: str) -> tuple[str, Array]:
    """A link, and the point in its frame, (3,)."""
    end = node.required(tag)
    end.allow(("link",), ("origin",))
    return end.text("link"), np.array(origin_of(end)[:3, 3])
