"""Bodies and markers of OpenSim models."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ipc_articulation import spatial
from ipc_articulation.dynamics.model.parts import FixedFrame, Link
from ipc_articulation.dynamics.reading.node import XmlNode
from ipc_articulation.dynamics.reading.osim.contents import number_in, numbers_in, parts_in
from ipc_articulation.dynamics.reading.osim.document import Place

PRODUCTS = ("xx", "yy", "zz", "xy", "xz", "yz")


def read_body(name: str, node: XmlNode) -> Link:
    """The link of a `<Body>`, with its mass and its inertia about the centre of mass in its own axes.

    Raises:
        ModelError: The element is wrong.
    """
    if node.child("inertia"):
        products = numbers_in(node, "inertia", 6)
    else:
        products = np.array([number_in(node, f"inertia_{product}") for product in PRODUCTS])
    xx, yy, zz, xy, xz, yz = products
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return Link(name, number_in(node, "mass"), numbers_in(node, "mass_center", 3), inertia)


def read_markers(model: XmlNode, place: Callable[[XmlNode], Place]) -> list[FixedFrame]:
    """The markers, as frames without a rotation of their own.

    Args:
        model: The `<Model>`.
        place: Returns the link and pose of a marker's parent.

    Raises:
        ModelError: A marker is wrong.
    """
    frames = []
    for node in parts_in(model, "Marker"):
        name, node = node.named("marker")
        link, pose = place(node)
        frames.append(FixedFrame(name, link, pose @ spatial.pose(p=numbers_in(node, "location", 3))))
    return frames
