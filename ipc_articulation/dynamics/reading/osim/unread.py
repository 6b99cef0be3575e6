"""What of an OpenSim model is not read: one warning names all of it."""

from __future__ import annotations

from collections import defaultdict

from ipc_articulation.dynamics.reading.node import XmlNode
from ipc_articulation.dynamics.reading.osim.contents import flag_in, is_on, number_in, objects_in
from ipc_articulation.dynamics.reading.osim.coordinates import COUPLER
from ipc_articulation.repairs import caution, listed

READ = (COUPLER, "Body", "Ground", "Marker", "PhysicalOffsetFrame", "components", "gravity")
# What says nothing about motion.
HARMLESS = (
    "ModelVisualPreferences",
    "ModelVisualizer",
    "assembly_accuracy",
    "credits",
    "force_units",
    "length_units",
    "publications",
)


def warn_of_unread(model: XmlNode, is_version_4: bool) -> None:
    """Warn of all elements and properties of a `<Model>` that are not read but those without a meaning for motion."""
    unread: dict[str, list[XmlNode]] = defaultdict(list)
    for node in _parts(model):
        if node.tag not in (*READ, *HARMLESS) and not node.tag.endswith("Joint") and is_on(node, is_version_4):
            unread[node.tag].append(node)
    for node in model.descendants("Coordinate"):
        if flag_in(node, "prescribed", False):
            unread["prescribed motion of coordinate"].append(node)
        if number_in(node, "default_speed_value", 0.0):
            unread["default_speed_value of coordinate"].append(node)
    if is_version_4 and (old := model.descendants("isDisabled")):
        unread["isDisabled, a tag of older versions"] = old
    if unread:
        what = "; ".join(_named(kind, nodes) for kind, nodes in unread.items())
        caution(f"{model.at}: not read, so that the model moves as without: {what}")


def _parts(model: XmlNode) -> list[XmlNode]:
    """The children of a model, instead of sets what is in them, and all components inside it."""
    parts = [part for components in model.descendants("components") for part in components.children()]
    for child in model.children():
        parts += objects_in(model, child.tag) if child.tag.endswith("Set") else [child]
    return parts


def _named(kind: str, nodes: list[XmlNode]) -> str:
    """Elements of a kind, with the line of the first."""
    names = listed(node.element.get("name") for node in nodes if node.has("name"))
    return " ".join(filter(None, [kind, names, f"(line {nodes[0].line})"]))
