"""What other tools left in the file: definitions of xacro, their own joints, and what has an undeclared prefix."""

from __future__ import annotations

from lxml import etree

from ipc_articulation.dynamics.reading.node import XmlNode
from ipc_articulation.dynamics.reading.repairing.robot import Faults, Robot, remove

XACRO = ("xacro}", "xacro:")  # in the tags of elements that xacro would have replaced
DEFINITIONS = ("arg", "macro", "property")  # elements of xacro that have no effect unless others use them


def leave_out_other_tools(robot: Robot) -> None:
    """Remove xacro's definitions, joints of other tools, and what has an undeclared prefix, which the parser reported.

    Raises:
        ModelError: xacro would have replaced an element.
    """
    faults = Faults()
    for element in list(robot.node.element.iter(etree.Element)):
        node = XmlNode(element, robot.node.file)
        if any(mark in node.tag for mark in XACRO):
            _refuse_use(node)
            faults.add("xacro", node, XACRO_FAULT, "the definition is ignored")
        elif _local(node) == "joint" != node.tag and {"parent", "child"} <= {child.tag for child in node.children()}:
            name, prefix = element.get("name", ""), element.prefix or node.tag.partition(":")[0]
            fault = f"it is a <{prefix}:joint>, which is another tool's"
            faults.add("joint", node._replace(owner=f"joint '{name}'"), fault, "the joint is left out")
            remove(node)
        for name in [name for name in element.attrib if ":" in name and not name.startswith("{")]:
            del element.attrib[name]
        if ":" in node.tag.rpartition("}")[2] or any(mark in node.tag for mark in XACRO):
            remove(node)
    faults.report()


XACRO_FAULT = "this is a xacro file; give what the tool xacro makes of it"


def _refuse_use(node: XmlNode) -> None:
    if _local(node) not in DEFINITIONS:
        raise node.error(XACRO_FAULT)


def _local(node: XmlNode) -> str:
    """The tag without its prefix or namespace."""
    return node.tag.replace("}", ":").rpartition(":")[2]
