"""Terms Σ φ(θ) of joint coordinates θ, for functions φ of one number."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.engine.joint_coordinates import JointCoordinates
from ipc_articulation.engine.linear_system.hessian import Hessian
from ipc_articulation.engine.terms.term import PairTerm


class CoordinateTerm(PairTerm):
    """A sum of functions of the F coordinates of joints; its pairs of bodies are those of the freedoms."""

    def __init__(self, coordinates: JointCoordinates, places: Ints) -> None:
        """Take the coordinates, and the indices (k,) in the state's θ of those that it follows."""
        joints = coordinates.joints
        super().__init__(np.repeat(joints.bodies, joints.freedoms, axis=0))
        self._coordinates, self._places = coordinates, places
        self._theta = np.zeros(len(coordinates))  # at the beginning of the step

    def coordinates_at(self, q: Array) -> Array:
        """θ (F,) [rad or m] at q (n, 12)."""
        return self._coordinates.follow(self._theta, q)

    def assemble(self, q: Array, g: Array, hessian: Hessian) -> None:
        blocks = self._coordinates.add_derivatives(q, *self.derivatives(q), g)
        hessian.add_pairs(self._coordinates.joints.bodies, blocks)

    @abstractmethod
    def derivatives(self, q: Array) -> tuple[Array, Array]:
        """φ' and φ'' ≥ 0 of each coordinate, (F,) each."""
