"""Functions on the configuration manifold of a robot with loops: each loop has its own, the other joints the tree's."""

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
    """A function of a robot's coordinates that keeps to its loops and joints.

    Args:
        model: With loops.
        on_tree: The function, of a tree and its states.
        on_loop: The same, of a constraint and its states.
        gives: What comes out, positions (q) or velocities (v).
        states: Named by what they are, q… or v…, with any leading axes.

    Raises:
        StateError: A loop is singular or cannot be closed; says which.
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
    """Coordinates of the spanning tree with those of joints in no loop, others neutral."""
    closure = model.closure
    if name[0] == "q":
        result = np.broadcast_to(model.coordinates.neutral, (*x.shape[:-1], closure.spanning_nq)).copy()
        result[..., closure.free_q] = x[..., closure.free_x]
    else:
        result = np.zeros((*x.shape[:-1], closure.spanning_nv))
        result[..., closure.free_dofs] = x[..., closure.free_y]
    return result


def random_state(model: Model, on_tree: Callable[..., Array], rng: np.random.Generator) -> Array:
    """A position with all loops closed, joints in no loop as in a tree: (nq,).

    Raises:
        StateError: None was found for a loop.
    """
    q, x = on_tree(model.spanning_tree, rng), np.empty(model.nq)
    x[model.closure.free_x] = q[model.closure.free_q]
    for loop in model.loops:
        x[loop.x] = ask(loop, loop.constraint.random, rng)
    return x
