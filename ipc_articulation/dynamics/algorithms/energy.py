"""Kinetic energy ½ Σ vᵀ I v + ½ Σ rotor q̇², which is ½ q̇ᵀ M q̇, and potential energy -Σ m g·x of the centres of mass."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.over_states import Algorithm
from ipc_articulation.dynamics.arguments import require
from ipc_articulation.dynamics.kernels.kernel import inlined
from ipc_articulation.dynamics.kernels.sweep import at_velocity, body_inertias
from ipc_articulation.dynamics.kernels.vectors import dot, inertia_times, six
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
    require("model", model, Model)
    return _ENERGIES(model, q, np.zeros(model.nv))[..., 1]


@inlined
def _energies(tree, q, v, out):
    kin, _, good = at_velocity(tree, q, v)
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
    return good


_ENERGIES = Algorithm(_energies, ["q", "v"], "numbers")
