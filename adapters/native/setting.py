"""States that are set between steps: the position of a robot, with or without loops, from those of its joints."""

from __future__ import annotations

import numpy as np
from ipc_articulation.adapters.native.coordinates import SceneCoordinates
from ipc_articulation.adapters.native.loop_scene import LoopScene

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.manifold import moved
from ipc_articulation.dynamics.model import Model
from ipc_articulation.errors import StateError

_STRIDE = 0.1  # [rad or m]; loops follow on their branch while independent joints move by this
_FOLLOWS = 1e-6  # [rad or m] by which a follower may differ from where its leader puts it


def position_at(model: Model, coordinates: SceneCoordinates, q: Array, present: Array, theta: Array) -> Array:
    """The position (nq,) with the owned joints at θ; loops are closed on the branch of the position q.

    Args:
        model: The model.
        coordinates: Of the scene.
        q: The present position, (nq,), loops closed.
        present: θ at this position, (nv,) [rad or m].
        theta: θ, (nv,) [rad or m].

    Raises:
        StateError: A loop cannot be closed, or a mimic joint is not where its leader puts it; names the joint.
    """
    _refuse_strayed(model, theta)
    if model.loops:
        way = (theta - present) / coordinates.scale
        way[coordinates.rotations] = 0.0
        for _ in range(count := max(1, int(np.ceil(np.abs(way).max(initial=0.0) / _STRIDE)))):
            q = moved(model, q, way / count)
    else:
        q = np.array(q)
        q[model.plain_q] = theta[model.plain_v]
    return coordinates.with_rotations(q, theta)


def limits(model: Model, scene: LoopScene) -> Array:
    """Lowest and highest position of each owned joint, (nv, 2) [rad or m]; -inf and inf without limits."""
    coordinates = model.spanning_tree.coordinates
    return np.stack([coordinates.lower, coordinates.upper], axis=1)[scene.owned]


def _refuse_strayed(model: Model, theta: Array) -> None:
    """Refuse mimic joints that are not where their leaders put them; the next step would move them there at once."""
    followers = model.followers
    if not len(followers):
        return
    wanted = followers.multiplier * theta[followers.leader_dofs] + followers.offset
    strayed = np.flatnonzero(np.abs(theta[followers.dofs] - wanted) > _FOLLOWS)
    if len(strayed):
        k = int(strayed[0])
        follower, leader = (model.dof_names[dofs[k]] for dofs in (followers.dofs, followers.leader_dofs))
        raise StateError(
            f"joint '{follower}' follows joint '{leader}': it must be at {wanted[k]:.9g}, not at "
            f"{theta[followers.dofs[k]]:.9g}"
        )
