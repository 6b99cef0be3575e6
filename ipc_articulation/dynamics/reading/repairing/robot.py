"""The robot that is repaired: its elements, and faults of which each kind is reported once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import NamedTuple

from ipc_articulation.dynamics.reading.mesh_paths import MeshPaths
from ipc_articulation.dynamics.reading.node import XmlNode
from ipc_articulation.repairs import label_of, repair


class Robot(NamedTuple):
    """The element `<robot>`, and the finder of its meshes."""

    node: XmlNode
    meshes: MeshPaths

    @property
    def links(self) -> list[XmlNode]:
        return [owner(link) for link in self.node.children("link")]

    @property
    def joints(self) -> list[XmlNode]:
        return [owner(joint) for joint in self.node.children("joint")]


class Faults:
    """Faults of one kind in several places, reported as one repair that describes the first and names the others."""

    def __init__(self) -> None:
        self._first: dict[Hashable, tuple[XmlNode, str, str]] = {}
        self._others: dict[Hashable, list[str]] = {}

    def add(self, kind: Hashable, node: XmlNode, fault: str | Callable[[], str], remedy: str) -> None:
        """Note a fault at an element, and what is used instead; a text that takes long to make is a function."""
        if kind in self._first:
            self._others[kind].append(label_of(node.owner, node.at))
        else:
            self._first[kind] = node, fault if isinstance(fault, str) else fault(), remedy
            self._others[kind] = []

    def report(self) -> None:
        """Report each kind of fault.

        Raises:
            ModelError: Repairs are errors, and there is a fault.
        """
        for kind, (node, fault, remedy) in self._first.items():
            repair(node.owner, fault, remedy, at=node.at, others=self._others[kind])


def owner(node: XmlNode) -> XmlNode:
    """An element as the owner of its content in messages, if it has a name."""
    return node.named()[1] if node.element.get("name", "").strip() else node


def remove(node: XmlNode) -> None:
    """Take an element out of the tree."""
    parent = node.element.getparent()
    if parent is not None:
        parent.remove(node.element)
