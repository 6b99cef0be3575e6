"""Kinetic energy ½ Σ vᵀ I v + ½ Σ rotor q̇², which is ½ q̇ᵀ M q̇, and potential energy -Σ m g·x of the centres of mass."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.kernel import batch_kernel, kernel
from ipc_articulation.dynamics.algorithms.over_states import Algorithm
from ipc_articulation.dynamics.algorithms.sweep import (
    NODE_STATE,
    body_inertias,
    finite,
    position_kinematics,
    velocity_kinematics,
)
from ipc_articulation.dynamics.algorithms.vectors import dot, inertia_times, six
from ipc_articulation.dynamics.model.model import Model


def kinetic_energy(model: Model, q: ArrayLike, v: ArrayLike) -> Array:
    """½ vᵀ M v, rotors included: (..., nq), (..., nv) -> (...) [J].

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """
    return _ENERGIES(model, q, v)[..., 0]


def potential_energy(model: Model, q: ArrayLike) -> Array:
    """-Σ m g·x, zero at the world's origin; springs not included: (..., nq) -> (...) [J].

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """
    return _ENERGIES(model, q, np.zeros(model.nv))[..., 1]


@kernel
def _energies(tree, q, v, out):
    kin, S = np.empty(len(tree), NODE_STATE), np.empty((len(v), 6))
    good = position_kinematics(tree, q, kin, S)
    velocity_kinematics(tree, S, v, kin)
    body_inertias(tree, kin)
    kinetic = potential = 0.0
    for i in range(len(tree)):
        b, k = tree[i], kin[i]
        kinetic += 0.5 * dot(six(k.v), inertia_times(k, k.v))
        for j in range(b.nv):
            kinetic += 0.5 * b.rotor[j] * v[b.v + j] ** 2
        for r in range(3):
            potential -= b.gravity[r] * (k.h[r] + k.m * k.o[r])
    out[0], out[1] = kinetic, potential
    return 0 if good and finite(q) and finite(v) else 1


@batch_kernel
def _energies_batch(tree, q, v, out):
    bad = 0
    for s in range(len(q)):
        if _energies(tree, q[s], v[s], out[s]) and not bad:
            bad = s + 1
    return bad


_ENERGIES = Algorithm(_energies, _energies_batch, ["q", "v"], "numbers")
