"""Pairs that may touch: all except a link and its parent, a link and the base of its chain, and two static bodies."""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations_with_replacement

from ipc_articulation.dynamics.model import Model


def untouchable_pairs(model: Model, immovable: Collection[str]) -> frozenset[frozenset[str]]:
    """Pairs of names that never touch.

    A body without mass and shape is between two joints of a link; the parent is then the next ancestor with one.

    Args:
        model: The model; its bodies are the links, and the one fixed to the world.
        immovable: Names of static bodies and planes; they do not touch each other, nor themselves.
    """
    pairs = {frozenset(pair) for pair in combinations_with_replacement(immovable, 2)}
    for index, body in enumerate(model.bodies):
        if model.body_node[index] >= 0:
            pairs |= {frozenset({body.name, model.bodies[other].name}) for other in _related(model, index)}
    return frozenset(pairs)


def _related(model: Model, body: int) -> set[int]:
    """The parent of a moving body, and the body fixed to the world that its chain ends in."""
    ancestors = _ancestors(model, body)
    solid = [a for a in ancestors if model.bodies[a].mass > 0.0 or model.bodies[a].collision]
    fixed = [a for a in ancestors if model.body_node[a] < 0]
    return {*solid[:1], *fixed}


def _ancestors(model: Model, body: int) -> list[int]:
    found = []
    while (body := model.bodies[body].parent) >= 0:
        found.append(body)
    return found
