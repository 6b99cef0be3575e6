"""Functions on the configuration manifold of a robot with loops: each loop uses its own, other joints the tree's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.loops.motion import ask, over
from ipc_articulation.dynamics.model.model import Model

Kind = Literal["q", "v"]


def joint_by_joint(
    model: Model,
    on_tree: Callable[..., Array],
    on_loop: Callable[..., Array],
    gives: Kind,
    **states: Array,
) -> Array:
    """Evaluate a function of a robot's coordinates for each loop, and for the joints in no loop.

    Args:
        model: A model with loops.
        on_tree: The function for a tree and its states.
        on_loop: The function for a constraint and its states.
        gives: The kind of the result, positions (q) or velocities (v).
        states: State arrays with any leading axes; the first letter of a name is its kind, q or v.

    Raises:
        StateError: A loop is singular or cannot be closed; the message names it.
    """
    closure = model.closure
    whole = on_tree(model.spanning_tree, *(_spread(model, name, x) for name, x in states.items()))
    result = np.empty((*whole.shape[:-1], getattr(model, f"n{gives}")))
    if gives == "q":
        result[..., closure.free_x] = whole[..., closure.free_q]
    else:
        result[..., closure.free_y] = whole[..., closure.free_dofs]
    for loop in model.loops:
        parts = (x[..., loop.x if name[0] == "q" else loop.y] for name, x in states.items())
        size = loop.constraint.position_size if gives == "q" else loop.constraint.ndof
        end = over(lambda *part, loop=loop: ask(loop, on_loop, loop.constraint, *part), *parts, shape=(size,))
        result[..., loop.x if gives == "q" else loop.y] = end
    return result


def _spread(model: Model, name: str, x: Array) -> Array:
    """Coordinates of the spanning tree: given ones for joints in no loop, neutral ones for all others."""
    closure = model.closure
    if name[0] == "q":
        result = np.broadcast_to(model.coordinates.neutral, (*x.shape[:-1], closure.spanning_nq)).copy()
        result[..., closure.free_q] = x[..., closure.free_x]
    else:
        result = np.zeros((*x.shape[:-1], closure.spanning_nv))
        result[..., closure.free_dofs] = x[..., closure.free_y]
    return result


def random_state(model: Model, on_tree: Callable[..., Array], rng: np.random.Generator) -> Array:
    """A random position with all loops closed, (nq,); joints in no loop are drawn as in a tree.

    Raises:
        StateError: No position was found for a loop.
    """
    q, x = on_tree(model.spanning_tree, rng), np.empty(model.nq)
    x[model.closure.free_x] = q[model.closure.free_q]
    for loop in model.loops:
        x[loop.x] = ask(loop, loop.constraint.random, rng)
    return x
