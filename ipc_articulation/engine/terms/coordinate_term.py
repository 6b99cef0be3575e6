"""Sums Σ φ(θ) of functions of joint coordinates θ, for functions φ of one number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.articulation.joints import JointArrays
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.nodes import coordinates
from ipc_articulation.engine import joint_coordinates
from ipc_articulation.engine.joint_coordinates import JointCoordinates
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms.coordinates import add_gradients, add_pair, by_nodes
from ipc_articulation.engine.terms.term import Term
from ipc_articulation.references import by_reference

JointsType, Joints = by_reference(JointArrays, __name__, "Joints")


class _Functions(NamedTuple):
    """Functions φ of the F coordinates of m joints."""

    joints: Any  # `Joints`
    home: Array  # see `JointCoordinates`
    bodies: Ints  # (F, 2)
    theta: Array  # (F,) at the beginning of the step
    constants: Array  # (F, p) of φ


FunctionsType, Functions = by_reference(_Functions, __name__)


Kernels = tuple[Callable[..., None], Callable[..., None]]


def over_joints(phi: Any) -> Kernels:
    """Energies and derivatives by nodes of φ(θ, constants) -> φ, φ', φ'' ≥ 0."""

    @compiled
    def function_energies(of, affine, x, moving, E):
        theta = joint_coordinates.follow(of.joints, of.home, of.theta, coordinates(x, affine))
        bodies, constants = of.bodies, of.constants
        for f in range(len(theta)):
            left, right = bodies[f]
            E[left if moving[left] else right] += phi(theta[f], constants[f])[0]

    @compiled
    def function_derivatives(of, affine, x, to):
        q, g = coordinates(x, affine), np.zeros((affine, DOF))
        theta = joint_coordinates.follow(of.joints, of.home, of.theta, q)
        slope, curve = np.zeros((2, len(theta)))
        for f in range(len(theta)):
            if to.moving[of.bodies[f, 0]] or to.moving[of.bodies[f, 1]]:
                _, slope[f], curve[f] = phi(theta[f], of.constants[f])
        blocks = np.zeros((len(of.joints.kind), 2 * DOF, 2 * DOF))
        joint_coordinates.add_derivatives(of.joints, of.home, q, slope, curve, g, blocks)
        add_gradients(g, to)
        for k in range(len(blocks)):
            add_pair(of.joints.bodies[k], by_nodes(blocks[k]), to)

    return function_energies, function_derivatives


class CoordinateFunctions(Term):
    """A sum of functions of joint coordinates."""

    def __init__(self, of: JointCoordinates, places: Ints, affine: int, constants: Array, kernels: Kernels) -> None:
        """Take the terms.

        Args:
            of: The coordinates.
            places: Where the first of them are in the state's θ, (k,); the others begin each step at 0.
            affine: Number of affine bodies.
            constants: (F, p) of φ.
            kernels: `over_joints` of φ.
        """
        self._places, self._affine, self.constants = places, affine, constants
        bodies = np.repeat(of.joints.bodies, of.joints.freedoms, axis=0)
        self.couples = self.joints = bodies
        self.room, self._theta = len(of.joints), np.zeros(len(of))
        self._functions = _functions(*of.arrays, bodies, self._theta, constants)
        self._energies, self._derivatives = kernels

    def begin_step(self, state: EngineState, x: Array, dt: float) -> None:
        """Take θ where the step begins."""
        self._theta[: len(self._places)] = state.theta[self._places]

    def add_energies(self, x: Array, moving: Bools, E: Array) -> None:
        self._energies(self._functions, self._affine, x, moving, E)

    def add_derivatives(self, x: Array, to: Any) -> None:
        self._derivatives(self._functions, self._affine, x, to)


@compiled
def _functions(joints, home, bodies, theta, constants):
    return Functions(Joints(*joints), home, bodies, theta, constants)
