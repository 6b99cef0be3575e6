"""Joint wrenches: the wrench that a body's parent exerts on it through the joint.

It is the sum of I a + v ×* I v - w over all bodies that the joint carries (`rnea.py`), about the joint.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.over_states import Algorithm
from ipc_articulation.dynamics.arguments import require
from ipc_articulation.dynamics.kernels.kernel import inlined
from ipc_articulation.dynamics.kernels.sweep import accumulate_forces, newton_euler
from ipc_articulation.dynamics.kernels.vectors import cross3
from ipc_articulation.dynamics.model.model import Model
from ipc_articulation.errors import UnsupportedError


def joint_wrenches(model: Model, q: ArrayLike, v: ArrayLike, a: ArrayLike, wrenches: ArrayLike | None = None) -> Array:
    """Wrenches of the joints on the bodies that they carry, [moment about the joint; force], world axes.

    Args:
        model: The model.
        q: Positions, (..., nq).
        v: Velocities, (..., nv).
        a: Accelerations, (..., nv).
        wrenches: On the bodies, (..., nb, 6) [moment about the world's origin; force], world axes [N·m; N].

    Returns:
        (..., nb, 6) [N·m; N]; zero for the body that is fixed to the world.

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
        UnsupportedError: The model has loops.
    """
    require("model", model, Model)
    if model.loops:
        raise UnsupportedError(
            f"model '{model.name}' has loops: what its joints transmit depends on the forces that hold the loops "
            "together, which `algorithms.multipliers` has as generalised forces only"
        )
    return _WRENCHES(model, q, v, a, np.zeros(model.shapes["wrenches"]) if wrenches is None else wrenches)


@inlined
def _single(tree, q, v, a, wrenches, out):
    kin, _, good = newton_euler(tree, q, v, a, wrenches)
    accumulate_forces(tree, kin)
    out[:] = 0.0
    for i in range(len(tree)):
        k, body = kin[i], tree[i].body
        if body >= 0:
            moved = cross3(k.p, (k.f[3], k.f[4], k.f[5]))
            for r in range(3):
                out[body, r], out[body, 3 + r] = k.f[r] - moved[r], k.f[3 + r]
    return good


_WRENCHES = Algorithm(_single, ["q", "v", "a", "wrenches"], "wrenches")
