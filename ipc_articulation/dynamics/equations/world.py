"""Several skeletons side by side: their coordinates one after the other, their matrices in blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.arguments import numbers
from ipc_articulation.dynamics.equations.skeleton import Skeleton
from ipc_articulation.errors import StateError


class World:
    """Skeletons that do not touch, seen as one system; the equations are those of `Skeleton`.

    Args:
        skeletons: In their order; each keeps its own state, and pushes go to it.

    Raises:
        StateError: There is none, or time steps differ.
    """

    def __init__(self, skeletons: Sequence[Skeleton]) -> None:
        steps = {skeleton.time_step for skeleton in skeletons}
        if len(steps) != 1:
            raise StateError(f"a world needs skeletons of one time step; there are {sorted(steps) or 'none'}")
        self.skeletons = tuple(skeletons)
        self.time_step = steps.pop()

    @property
    def positions(self) -> Array:
        """q of all, (Σ nq,)."""
        return self._all("positions")

    @positions.setter
    def positions(self, q: ArrayLike) -> None:
        self._share("positions", q, [skeleton.model.nq for skeleton in self.skeletons])

    @property
    def velocities(self) -> Array:
        """v of all, (Σ nv,)."""
        return self._all("velocities")

    @velocities.setter
    def velocities(self, v: ArrayLike) -> None:
        self._share("velocities", v, self._nv)

    @property
    def control_forces(self) -> Array:
        """τ of all, (Σ nv,) [N·m or N]."""
        return self._all("control_forces")

    @control_forces.setter
    def control_forces(self, tau: ArrayLike) -> None:
        self._share("control_forces", tau, self._nv)

    @property
    def accelerations(self) -> Array:
        """q̈ of all, (Σ nv,)."""
        return self._all("accelerations")

    @property
    def mass_matrix(self) -> Array:
        """M in diagonal blocks, (Σ nv, Σ nv)."""
        M, at = np.zeros((sum(self._nv), sum(self._nv))), 0
        for skeleton, n in zip(self.skeletons, self._nv, strict=True):
            M[at : at + n, at : at + n] = skeleton.mass_matrix
            at += n
        return M

    @property
    def coriolis_and_gravity_forces(self) -> Array:
        """c(q, v) of all, (Σ nv,)."""
        return self._all("coriolis_and_gravity_forces")

    @property
    def gravity_forces(self) -> Array:
        """Gravity alone, (Σ nv,)."""
        return self._all("gravity_forces")

    @property
    def coriolis_forces(self) -> Array:
        """Coriolis and centrifugal forces alone, (Σ nv,)."""
        return self._all("coriolis_forces")

    @property
    def external_forces(self) -> Array:
        """Of pushes from outside, (Σ nv,)."""
        return self._all("external_forces")

    @property
    def damping_forces(self) -> Array:
        """Damping forces D v of all, (Σ nv,) [N·m or N]."""
        return self._all("damping_forces")

    @property
    def spring_forces(self) -> Array:
        """Spring forces K x of all, (Σ nv,) [N·m or N]."""
        return self._all("spring_forces")

    @property
    def resisting_forces(self) -> Array:
        """C = c - f + d + s, (Σ nv,)."""
        return self._all("resisting_forces")

    def step(self) -> None:
        """One time step of each."""
        for skeleton in self.skeletons:
            skeleton.step()

    @property
    def _nv(self) -> list[int]:
        return [skeleton.model.nv for skeleton in self.skeletons]

    def _all(self, name: str) -> Array:
        return np.concatenate([getattr(skeleton, name) for skeleton in self.skeletons])

    def _share(self, name: str, value: Any, counts: list[int]) -> None:
        x = numbers(name.replace("_", " "), value)
        if x.shape != (sum(counts),):
            raise StateError(f"{name.replace('_', ' ')} have shape {x.shape}; give ({sum(counts)},)")
        for skeleton, part in zip(self.skeletons, np.split(x, np.cumsum(counts)[:-1]), strict=True):
            setattr(skeleton, name, part)
