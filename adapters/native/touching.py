"""Pairs that may touch: all except a link and its parent, and a link and the base of its chain.

A floating joint holds its link to nothing: the link may touch the parent and what is below it.
"""

from __future__ import annotations

from ipc_articulation.dynamics.joints import FloatingJoint
from ipc_articulation.dynamics.model import Model


def untouchable_pairs(model: Model) -> frozenset[frozenset[str]]:
    """Pairs of names that never touch.

    A body without mass and shape is between two joints of a link; the parent is then the next ancestor with one. The
    body fixed to the world has the name of one of its links, and counts if it has their shapes.

    Args:
        model: The model; its bodies are the links, and the one fixed to the world.
    """
    return frozenset(
        frozenset({body.name, model.bodies[other].name})
        for index, body in enumerate(model.bodies)
        if model.body_node[index] >= 0
        for other in _related(model, index)
    )


def _related(model: Model, body: int) -> set[int]:
    """The parent of a moving body, and the body fixed to the world that its chain ends in."""
    ancestors = _ancestors(model, body)
    solid = [a for a in ancestors if model.bodies[a].mass > 0.0 or model.bodies[a].collision]
    fixed = [a for a in ancestors if model.body_node[a] < 0 and model.bodies[a].collision]
    return {*solid[:1], *fixed}


def _ancestors(model: Model, body: int) -> list[int]:
    found = []
    while not isinstance(model.bodies[body].joint, FloatingJoint) and (body := model.bodies[body].parent) >= 0:
        found.append(body)
    return found
