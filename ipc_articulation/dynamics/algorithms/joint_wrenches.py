"""What the joints transmit: the wrench that a body's parent exerts on it through the joint.

It is the sum of I a + v ×* I v - w over all that the joint carries (`rnea.py`), moved to the joint.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.kernel import batch_kernel, kernel
from ipc_articulation.dynamics.algorithms.over_states import Algorithm
from ipc_articulation.dynamics.algorithms.sweep import (
    NODE_STATE,
    acceleration_kinematics,
    acceleration_of_world,
    accumulate_forces,
    body_forces,
    body_inertias,
    finite,
    position_kinematics,
    velocity_kinematics,
)
from ipc_articulation.dynamics.algorithms.vectors import cross3
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
    if model.loops:
        raise UnsupportedError(
            f"model '{model.name}' has loops: what its joints transmit depends on the forces that hold the loops "
            "together, which `loops.multipliers` has as generalised forces only"
        )
    return _WRENCHES(model, q, v, a, np.zeros(model.shapes["wrenches"]) if wrenches is None else wrenches)


@kernel
def _single(tree, q, v, a, wrenches, out):
    kin, S = np.empty(len(tree), NODE_STATE), np.empty((len(v), 6))
    good = position_kinematics(tree, q, kin, S)
    velocity_kinematics(tree, S, v, kin)
    acceleration_kinematics(tree, S, a, acceleration_of_world(tree), kin)
    body_inertias(tree, kin)
    body_forces(tree, wrenches, kin)
    accumulate_forces(tree, kin)
    out[:] = 0.0
    for i in range(len(tree)):
        k, body = kin[i], tree[i].body
        if body >= 0:
            moved = cross3(k.p, (k.f[3], k.f[4], k.f[5]))
            for r in range(3):
                out[body, r], out[body, 3 + r] = k.f[r] - moved[r], k.f[3 + r]
    return 0 if good and finite(q) and finite(v) and finite(a) and finite(wrenches.ravel()) else 1


@batch_kernel
def _batch(tree, q, v, a, wrenches, out):
    bad = 0
    for s in range(len(q)):
        if _single(tree, q[s], v[s], a[s], wrenches[s], out[s]) and not bad:
            bad = s + 1
    return bad


_WRENCHES = Algorithm(_single, _batch, ["q", "v", "a", "wrenches"], "wrenches")
