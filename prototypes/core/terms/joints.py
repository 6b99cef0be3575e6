"""Joints of affine bodies: penalties, drives and limits; their kernels take coordinates q (A, 12)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.articulation.joints import JointArrays
from ipc_articulation.compiled import compiled
from ipc_articulation.engine import joint_coordinates
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms import driving_joint, joint_limit, joint_penalty
from ipc_articulation.engine.terms.coordinate_term import CoordinateTerm
from prototypes.core.references import by_reference
from prototypes.core.term import Term
from prototypes.core.terms.coordinates import add_gradients, add_pair, coordinates

PenaltiesType, Penalties = by_reference(joint_penalty.Penalties, __name__)
JointsType, Joints = by_reference(JointArrays, __name__, "Joints")


class _Functions(NamedTuple):
    """Functions φ of the F coordinates of m joints."""

    joints: Any  # `Joints`
    home: Array  # see `JointCoordinates`
    bodies: Ints  # (F, 2)
    theta: Array  # (F,) at the beginning of the step
    constants: Array  # (F, p) of φ


FunctionsType, Functions = by_reference(_Functions, __name__)


class JointPenalties(Term):
    """The penalties of m joints, see `engine.terms.joint_penalty`."""

    name = joint_penalty.JointPenalties.name

    def __init__(self, source: joint_penalty.JointPenalties, affine: int) -> None:
        """Take the engine's term, and the number of affine bodies."""
        self.penalties, self._affine = hold_penalties(source.arrays), affine
        self.couples, self.joints, self.room = source.couples, source.joints, len(source.bodies)

    def begin_step(self, state: EngineState, x: Array, dt: float) -> None:
        """Do nothing, because nothing changes from step to step."""

    def add_energies(self, x: Array, y: Array, moving: Bools, E: Array) -> None:
        add_penalty_energies(self.penalties, self._affine, x, moving, E)

    def add_derivatives(self, x: Array, y: Array, to: Any) -> None:
        add_penalty_derivatives(self.penalties, self._affine, x, to)


@compiled
def hold_penalties(penalties):
    return Penalties(*penalties)


@compiled
def add_penalty_energies(penalties, affine, x, moving, E):
    of_joints, bodies = joint_penalty.energies(penalties, coordinates(x, affine)), penalties.bodies
    for j in range(len(of_joints)):
        left, right = bodies[j]
        E[left if moving[left] else right] += of_joints[j]


@compiled
def add_penalty_derivatives(penalties, affine, x, to):
    q, g = coordinates(x, affine), np.zeros((affine, DOF))
    joint_penalty.add_derivatives(penalties, q, to.moving, g)
    joint_penalty.add_residual_curvature(penalties, q, to.moving, to.projected)
    add_gradients(g, to)
    bodies, blocks = penalties.bodies, penalties.blocks
    for j in range(len(bodies)):
        add_pair(bodies[j], blocks[j], to)


def _over_joints(phi: Any) -> tuple[Callable[..., None], Callable[..., None]]:
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
        joint_coordinates._add_derivatives(of.joints, of.home, q, slope, curve, g, blocks)
        add_gradients(g, to)
        for k in range(len(blocks)):
            add_pair(of.joints.bodies[k], blocks[k], to)

    return function_energies, function_derivatives


@compiled
def _spring(theta, c):
    """½ κ (θ - θ̃)², c = (κ, θ̃)."""
    away = theta - c[1]
    return 0.5 * c[0] * away**2, c[0] * away, c[0]


@compiled
def _bounds(theta, c):
    """s |r|³ with r = (θ - its nearest value in [l, u]) / width, c = (l, u, s, width)."""
    r, s, width = (theta - min(max(theta, c[0]), c[1])) / c[3], c[2], c[3]
    return s * abs(r) ** 3, 3.0 * s * r * abs(r) / width, 6.0 * s * abs(r) / width**2


_SPRING, _BOUNDS = _over_joints(_spring), _over_joints(_bounds)


class CoordinateFunctions(Term):
    """A sum of functions of joint coordinates."""

    def __init__(self, source: CoordinateTerm, affine: int, constants: Array, kernels: Any) -> None:
        """Take the engine's term, the number of affine bodies, constants (F, p) of φ, and `_over_joints` of it."""
        self.name, self._source, self._affine, self.constants = source.name, source, affine, constants
        self.couples, self.joints, self.drives = source.couples, source.joints, source.drives
        coordinates = source._coordinates
        self.room = len(coordinates.joints)
        self._theta = np.zeros(len(coordinates))
        self._functions = _functions(*coordinates.arrays, source.bodies, self._theta, constants)
        self._energies, self._derivatives = kernels

    def begin_step(self, state: EngineState, x: Array, dt: float) -> None:
        """Take θ, and what the animator has written."""
        self._source.begin_step(state, dt)
        self._theta[:] = self._source._theta

    def add_energies(self, x: Array, y: Array, moving: Bools, E: Array) -> None:
        self._energies(self._functions, self._affine, x, moving, E)

    def add_derivatives(self, x: Array, y: Array, to: Any) -> None:
        self._derivatives(self._functions, self._affine, x, to)


class DrivingJoints(CoordinateFunctions):
    """Springs that drive joints to an aim, see `engine.terms.driving_joint`."""

    def __init__(self, source: driving_joint.DrivingJoints, affine: int) -> None:
        """Take the engine's term, and the number of affine bodies."""
        super().__init__(source, affine, np.zeros((len(source._coordinates), 2)), _SPRING)

    def begin_step(self, state: EngineState, x: Array, dt: float) -> None:
        """Take θ, and what the animator has written."""
        super().begin_step(state, x, dt)
        self.constants[:, 0], self.constants[:, 1] = self._source._kappa, self._source._aim


def joint_limits(source: joint_limit.JointLimits, affine: int) -> CoordinateFunctions:
    """Limits of joints, see `engine.terms.joint_limit`."""
    constants = np.column_stack([source._lower, source._upper, source._strength, source._width])
    return CoordinateFunctions(source, affine, constants, _BOUNDS)


@compiled
def _functions(joints, home, bodies, theta, constants):
    return Functions(Joints(*joints), home, bodies, theta, constants)
