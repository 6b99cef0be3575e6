"""Algorithms of the spanning tree on robots with loops, by projection.

The spanning tree of a robot at (x, ẏ, ÿ) is at q(x), q̇ = G ẏ, q̈ = G ÿ + g. What an algorithm gives for it there is
what the robot has,

    kinematics, energies, momentum    as it is
    generalised forces f              Gᵀ f
    matrices M of two forms           Gᵀ M G
    Jacobians J                       J G

(generalized_rbda's reference method: τ = Gᵀ RNEA(q, G ẏ, G ÿ + g), H = Gᵀ M G). Batches are evaluated state by state
where it comes to the loops, and at once where it comes to the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.bad_states import checked, leading_axes
from ipc_articulation.dynamics.loops.motion import Motion
from ipc_articulation.dynamics.model.model import Model
from ipc_articulation.dynamics.model.shapes_of_arrays import RANK
from ipc_articulation.errors import StateError

OnJoints = Callable[[Model, Any, Any], Array]


def spanning_states(model: Model, takes: Sequence[str], states: Sequence[ArrayLike]) -> tuple[Motion, dict[str, Array]]:
    """The motion of the spanning tree, and the states of a robot by what they hold.

    Args:
        model: With loops.
        takes: What the states hold: «q», maybe «v», and others, keys of `Model.shapes`.
        states: With any leading axes.

    Raises:
        StateError: A wrong shape, a number that is not finite, no unit quaternion, an open or singular loop.
    """
    given = {name: checked(model, name, x) for name, x in zip(takes, states, strict=True)}
    leading_axes(takes, [x.shape[: x.ndim - RANK[name]] for name, x in given.items()])
    return model.motion(given["q"], given.get("v", np.zeros(model.nv))), given


def lifted(
    on_tree: Callable[..., Array], model: Model, takes: Sequence[str], gives: str, states: Sequence[ArrayLike]
) -> Array:
    """An algorithm of the spanning tree, on a robot with loops.

    Args:
        on_tree: The algorithm, of a tree and its states.
        model: With loops.
        takes: What the states hold, keys of `Model.shapes`.
        gives: What comes out, a key of `Model.shapes`.
        states: Of the robot.

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
        model: With loops or without.
        forces: f of a tree and its position and velocity.
        q: Position of the robot, (..., nq); a tree's may be left out where the forces do not depend on it.
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
    """What the robot has, of what its spanning tree has."""
    if gives == "tau":
        return times(np.swapaxes(G, -1, -2), result)
    if gives == "matrix":
        return np.swapaxes(G, -1, -2) @ result @ G
    return result @ G if gives in ("jacobian", "point jacobian") else result


def times(matrix: Array, vector: Array) -> Array:
    """(..., n, m), (..., m) -> (..., n)."""
    return (matrix @ vector[..., None])[..., 0]
