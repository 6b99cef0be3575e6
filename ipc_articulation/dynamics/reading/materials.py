"""Colours of a URDF file's drawings; what is wrong with them has no effect."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ipc_articulation.arrays import Colour
from ipc_articulation.dynamics.reading.node import XmlNode, numbers_of


def colours_by_name(robot: XmlNode) -> dict[str, Colour]:
    """The colours of the robot's materials, and of those that its drawings define, by name."""
    drawings = (visual for link in robot.children("link") for visual in link.children("visual"))
    materials = [material for owner in (robot, *drawings) for material in owner.children("material")]
    return {name: colour for material in materials if (colour := _own(material)) and (name := _name(material))}


def colour_of(drawing: XmlNode, named: Mapping[str, Colour]) -> Colour | None:
    """The colour of a `<visual>`; None if it has none."""
    for material in drawing.children("material"):
        return _own(material) or named.get(_name(material))
    return None


def _name(material: XmlNode) -> str:
    return material.element.get("name", "").strip()


def _own(material: XmlNode) -> Colour | None:
    return next(filter(None, map(_rgba, material.children("color"))), None)


def _rgba(node: XmlNode) -> Colour | None:
    values: Iterable[float] | None = numbers_of(node.element.get("rgba", ""), 4)
    if values is None:
        return None
    red, green, blue, opacity = (min(max(float(value), 0.0), 1.0) for value in values)
    return red, green, blue, opacity
