"""Solution with the mass matrix of a model, and the error that names the joint that makes it singular."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.crba import mass_matrix
from ipc_articulation.dynamics.model.model import Model
from ipc_articulation.errors import ModelError

ROUNDING = 1e-14  # of the terms that cancel in an inertia


def solve_mass(model: Model, mass: Array, force: Array) -> Array:
    """M⁻¹ f, (n,).

    Args:
        model: The model.
        mass: M, (..., n, n), of all velocities, or only of those that follow no other joint.
        force: f, (n,), or (n, m) for several.

    Raises:
        ModelError: M is singular; the message names the joint that moves no inertia.
    """
    for M in mass.reshape(-1, *mass.shape[-2:]):
        if not _is_regular(M):
            raise singular(model, M)
    return np.asarray(np.linalg.solve(mass, force), dtype=float)


def _is_regular(M: Array) -> bool:
    """Whether Cholesky's pivots, the inertias D of `aba.py`, are more than rounding errors of the diagonal."""
    try:
        return bool((np.diag(np.linalg.cholesky(M)) ** 2 > ROUNDING * np.diag(M)).all())
    except np.linalg.LinAlgError:  # negative gains may make M̂ indefinite
        moments = np.abs(np.linalg.eigvalsh(M))
        return bool(moments.min() > ROUNDING * moments.max())


def refuse_singular(model: Model, states: Sequence[Array]) -> None:
    """The same error for the state of a batch whose mass matrix is nearest to a singular one.

    Args:
        model: The model.
        states: The positions q, (n, nq), and other arrays.

    Raises:
        ModelError: In any case.
    """
    mass = mass_matrix(model, states[0])
    moments = np.linalg.eigvalsh(mass)
    raise singular(model, mass[int((moments[:, 0] / moments[:, -1]).argmin())])


def singular(model: Model, mass: Array) -> ModelError:
    """The error for a singular mass matrix: a motion without kinetic energy is that of its smallest eigenvalue."""
    names = model.dof_names
    if len(names) != len(mass):
        names = tuple(names[i] for i in model.followers.independent)
    motion = np.linalg.eigh(mass).eigenvectors[:, 0]
    joint = names[int(np.abs(motion).argmax())]
    return ModelError(
        f"model '{model.name}': joint '{joint}' moves no inertia in this position, so its "
        "acceleration is not determined; give its link an inertia about the joint's axis, or the joint a rotor inertia"
    )
