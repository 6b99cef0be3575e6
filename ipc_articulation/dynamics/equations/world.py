"""Several skeletons as one system: coordinates are concatenated, matrices are block-diagonal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import block_diag

from ipc_articulation.arguments import checked, several
from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.arguments import numbers
from ipc_articulation.dynamics.equations.skeleton import Skeleton
from ipc_articulation.errors import StateError


def _of_all(name: str, doc: str, count: str | None = None) -> property:
    """A property of all skeletons, concatenated.

    Args:
        name: Name of the property.
        doc: Its docstring.
        count: Number of a model's coordinates, `nq` or `nv`, if the property can be set.
    """

    def read(world: World) -> Array:
        return np.concatenate([getattr(skeleton, name) for skeleton in world.skeletons])

    def write(world: World, value: ArrayLike) -> None:
        x, ends = numbers(words, value), np.cumsum([getattr(each.model, str(count)) for each in world.skeletons])
        if x.shape != (ends[-1],):
            raise StateError(f"{words} have shape {x.shape}; give ({ends[-1]},)")
        for skeleton, part in zip(world.skeletons, np.split(x, ends[:-1]), strict=True):
            setattr(skeleton, name, part)

    words = name.replace("_", " ")
    return property(read, write if count else None, doc=doc)


class World:
    """Skeletons without contact, as one system; the equations are those of `Skeleton`.

    Args:
        skeletons: The skeletons in their order. Each keeps its own state; forces are applied to it, not to the world.

    Raises:
        StateError: There is no skeleton, or time steps differ.
    """

    @checked(StateError, skeletons=several(Skeleton))
    def __init__(self, skeletons: Sequence[Skeleton]) -> None:
        steps = {skeleton.dt for skeleton in skeletons}
        if len(steps) != 1:
            raise StateError(f"a world needs skeletons of one time step; there are {sorted(steps) or 'none'}")
        self.skeletons = tuple(skeletons)
        self.dt = steps.pop()

    positions = _of_all("positions", "q of all, (Σ nq,).", "nq")
    velocities = _of_all("velocities", "v of all, (Σ nv,).", "nv")
    control_forces = _of_all("control_forces", "τ of all, (Σ nv,) [N·m or N].", "nv")
    accelerations = _of_all("accelerations", "q̈ of all, (Σ nv,).")
    coriolis_and_gravity_forces = _of_all("coriolis_and_gravity_forces", "c(q, v) of all, (Σ nv,).")
    gravity_forces = _of_all("gravity_forces", "Gravity forces c(q, 0) of all, (Σ nv,).")
    coriolis_forces = _of_all("coriolis_forces", "Coriolis and centrifugal forces of all, (Σ nv,).")
    external_forces = _of_all("external_forces", "Forces f from outside on all, (Σ nv,).")
    damping_forces = _of_all("damping_forces", "Damping forces D v of all, (Σ nv,) [N·m or N].")
    spring_forces = _of_all("spring_forces", "Spring forces K x of all, (Σ nv,) [N·m or N].")
    resisting_forces = _of_all("resisting_forces", "C = c - f + d + s of all, (Σ nv,).")

    @property
    def mass_matrix(self) -> Array:
        """M, block-diagonal, (Σ nv, Σ nv)."""
        return np.asarray(block_diag(*(skeleton.mass_matrix for skeleton in self.skeletons)), dtype=float)

    def step(self) -> None:
        """Advance each skeleton by one time step."""
        for skeleton in self.skeletons:
            skeleton.step()
