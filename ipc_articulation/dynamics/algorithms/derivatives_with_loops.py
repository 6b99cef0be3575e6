"""First derivatives of inverse dynamics of robots with loops.

The spanning tree has q(y), v = G ẏ, a = G ÿ + g and inverse dynamics τ(q, v, a); the robot has τ_y = Gᵀ τ. Changes of
the independent coordinates, velocities and accelerations keep the loops closed and change the tree's state by

    δq = G δy,   δv = γ''[ẏ, δy] + G δẏ,   δa = γ''[ÿ, δy] + γ'''[ẏ, ẏ, δy] + 2 γ''[ẏ, δẏ] + G δÿ

(γ'' and γ''' in `curvature.py`), and so

    δτ_y = γ''[·, δy]ᵀ τ + Gᵀ (∂τ/∂q δq + ∂τ/∂v δv + ∂τ/∂a δa).

The derivatives of the tree are exact, and so are these except for γ''', which is computed by differences with the
errors stated in `curvature.py`. As with trees, derivatives by the position are taken along velocity directions δ: x
moves to `integrate(model, x, δ)`. Joints in no loop, such as floating and ball joints, have G = 1 and no curvature.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.curvature import Curvature
from ipc_articulation.dynamics.algorithms.lift import spanning_states
from ipc_articulation.dynamics.algorithms.rnea import inverse_dynamics
from ipc_articulation.dynamics.loops.motion import times
from ipc_articulation.dynamics.model.model import Model

TAKES = ("q", "v", "a", "wrenches")


def derivatives_with_loops(on_tree: Callable[..., Array], model: Model, *states: ArrayLike) -> Array:
    """Derivatives of τ by displacements along ẏ, by ẏ and by ÿ.

    Args:
        on_tree: The same for a tree: (tree, q, v, a, wrenches) -> (..., 3, spanning nv, spanning nv).
        model: A model with loops.
        states: Positions (..., nq), velocities (..., nv), accelerations (..., nv), wrenches on the bodies (..., nb, 6).

    Returns:
        (..., 3, nv, nv).

    Raises:
        StateError: A wrong shape, a number that is not finite, a zero quaternion, an open or singular loop.
    """
    (q, v, G, g), given = spanning_states(model, TAKES, states)
    spanning = model.spanning_tree, q, v, times(G, given["a"]) + g, given["wrenches"]
    by, tau = on_tree(*spanning), inverse_dynamics(*spanning)
    leading = by.shape[:-3]
    each = {name: np.broadcast_to(x, (*leading, *model.shapes[name])) for name, x in given.items()}
    G = np.broadcast_to(G, (*leading, *G.shape[-2:]))
    result = np.empty((*leading, 3, model.nv, model.nv))
    for at in np.ndindex(leading):
        curvature = Curvature(model, each["q"][at])
        turn = curvature.along(each["v"][at])
        a_by_y = curvature.along(each["a"][at]) + curvature.third(each["v"][at])
        by_q, by_v, by_a = by[at]
        moved = by_q @ G[at] + by_v @ turn + by_a @ a_by_y
        result[at][0] = curvature.weighted(tau[at]) + G[at].T @ moved
        result[at][1] = G[at].T @ (by_v @ G[at] + 2.0 * by_a @ turn)
        result[at][2] = G[at].T @ by_a @ G[at]
    return result
