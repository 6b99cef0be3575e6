"""Algorithms of the spanning tree on robots with loops, by projection.

The spanning tree of a robot at (x, ẏ, ÿ) is at q(x), q̇ = G ẏ, q̈ = G ÿ + g. An algorithm's result for the tree in
this state gives the result for the robot:

    kinematics, energies, momentum    the same
    generalised forces f              Gᵀ f
    matrices M of two forms           Gᵀ M G
    Jacobians J                       J G

(generalized_rbda's reference method: τ = Gᵀ RNEA(q, G ẏ, G ÿ + g), H = Gᵀ M G). For a batch, the loops are evaluated
state by state, and the tree for all states at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.bad_states import checked, leading_axes
from ipc_articulation.dynamics.loops.motion import Motion, times
from ipc_articulation.dynamics.model.model import Model
from ipc_articulation.dynamics.model.shapes_of_arrays import RANK
from ipc_articulation.errors import StateError

OnJoints = Callable[[Model, Any, Any], Array]


def spanning_states(model: Model, takes: Sequence[str], states: Sequence[ArrayLike]) -> tuple[Motion, dict[str, Array]]:
    """The motion of the spanning tree, and the state arrays of a robot by their kinds.

    Args:
        model: A model with loops.
        takes: The kinds of the states, keys of `Model.shapes`: «q», maybe «v», and others.
        states: The state arrays, with any leading axes.

    Raises:
        StateError: A wrong shape, a number that is not finite, no unit quaternion, an open or singular loop.
    """
    given = {name: checked(model, name, x) for name, x in zip(takes, states, strict=True)}
    leading_axes(takes, [x.shape[: x.ndim - RANK[name]] for name, x in given.items()])
    return model.motion(given["q"], given.get("v", np.zeros(model.nv))), given


def lifted(
    on_tree: Callable[..., Array], model: Model, takes: Sequence[str], gives: str, states: Sequence[ArrayLike]
) -> Array:
    """The result of an algorithm for a robot with loops, from its result for the spanning tree.

    Args:
        on_tree: The algorithm, a function of a tree and its states.
        model: A model with loops.
        takes: The kinds of the states, keys of `Model.shapes`.
        gives: The kind of the result, a key of `Model.shapes`.
        states: The states of the robot.

    Raises:
        StateError: A wrong shape, a number that is not finite, no unit quaternion, an open or singular loop.
    """
    motion, given = spanning_states(model, takes, states)
    spanning = {**given, "q": motion.q, "v": motion.v}
    if "a" in given:
        spanning["a"] = times(motion.G, given["a"]) + motion.g
    return projected(gives, motion.G, on_tree(model.spanning_tree, *(spanning[name] for name in takes)))


def of_joints(model: Model, forces: OnJoints, q: ArrayLike | None, v: ArrayLike) -> Array:
    """Forces of all joints as forces on the independent coordinates, Gᵀ f: (..., nv).

    Args:
        model: The model, with or without loops.
        forces: f as a function of a tree, its position and its velocity.
        q: Position of the robot, (..., nq). For a tree it may be None if the forces do not depend on it.
        v: Velocity of the robot, (..., nv).

    Raises:
        StateError: A wrong shape, an open or singular loop, no position of a robot with loops.
    """
    if not model.loops:
        return forces(model, q, v)
    if q is None:
        raise StateError(f"q is needed: model '{model.name}' has loops, so that its joints' velocities depend on it")
    motion = model.motion(q, v)
    return projected("tau", motion.G, forces(model.spanning_tree, motion.q, motion.v))


def projected(gives: str, G: Array, result: Array) -> Array:
    """The result for the robot, from the result for its spanning tree."""
    if gives == "tau":
        return times(np.swapaxes(G, -1, -2), result)
    if gives == "matrix":
        return np.swapaxes(G, -1, -2) @ result @ G
    return result @ G if gives in ("jacobian", "point jacobian") else result
