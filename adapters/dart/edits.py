"""Edits of a DART world between steps: the dynamics follows them, and those of what the scene was built from are
refused by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from ipc_articulation.adapters.dart import shapes
from ipc_articulation.adapters.dart.tree import Tree

from ipc_articulation.errors import AdapterError, UnsupportedError


class Edits:
    """A copy of the joints' placements and of the shapes from which a scene was built."""

    def __init__(self, world: Any, tree: Tree) -> None:
        self._world, self._tree = world, tree
        self._count, self._built = _count(world), dict(_placed(tree))

    def refuse(self) -> None:
        """Refuse edits of bodies, placements of joints, and shapes that collide.

        Raises:
            AdapterError: There is one; the message names what was edited.
        """
        changed = "the number of its bodies" if _count(self._world) != self._count else self._changed()
        if changed is not None:
            raise AdapterError(
                f"{changed} was edited; the scene was built from it: couple a new adapter in a new scene"
            )

    def _changed(self) -> str | None:
        now = dict(_placed(self._tree))
        names = now | self._built
        return next((name for name in names if now.get(name) != self._built.get(name)), None)


def _count(world: Any) -> list[int]:
    return [world.getSkeleton(number).getNumBodyNodes() for number in range(world.getNumSkeletons())]


def _placed(tree: Tree) -> Iterator[tuple[str, object]]:
    """What the scene is built from, by what a message calls it."""
    groups = {link.name: link.group for link in tree.links} | {name: (body,) for name, body in tree.static.items()}
    for name, group in groups.items():
        for body in group:
            joint = body.getParentJoint()
            ends = joint.getTransformFromParentBodyNode(), joint.getTransformFromChildBodyNode()
            yield f"the placement of joint '{joint.getName()}'", [np.array(end.matrix()).tolist() for end in ends]
            for node in shapes.nodes(body, "Collision"):
                yield f"shape '{node.getName()}' of body '{name}'", _size(node)


def _size(node: Any) -> object:
    place, shape = np.array(node.getRelativeTransform().matrix()).tolist(), node.getShape()
    if shapes.is_plane(node):
        return place, shape.getNormal().tolist(), shape.getOffset()
    try:
        return place, shapes.geometry_of(node)
    except UnsupportedError:
        return place
