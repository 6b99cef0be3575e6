"""Forces along prismatic joints and torques about revolute ones (libuipc's constitutions 667 and 668).

    E = -dt² Fᵀ (q - qᵗ),   F constant in the step

prismatic  Fⱼ = (f t, 0) on the translation,       t = (tᵢ + tⱼ)/2,  Fᵢ = (-f t, 0);
revolute   Fⱼ = (0, ½ τ [e] Aⱼ⁻ᵀ) on A,            e = (eᵢ + eⱼ)/2,  Fᵢ = (0, -½ τ [e] Aᵢ⁻ᵀ),

with the axes of both bodies at qᵗ, from an edge's first end to its second. A positive `external_force` f [N] or
`external_torque` τ [N·m] pushes or turns the right (child) body along or about the axis, its reaction acts on the left
(parent) body. The work of Fⱼ in a turn ω is τ e·ω. The force acts at the origin of a body's frame. Where
`external_force/is_constrained` or `external_torque/is_constrained` is 0 there is none.

libuipc changes q̃ by dt² M⁻¹ F instead, which is equivalent, and omits bodies without kinetic term: fixed ones, and
those whose inertia an articulation owns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools
from ipc_articulation.articulation.frames import local_directions, unit
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms.load import Load
from ipc_articulation.frontend.joint_kinds import JOINT_KINDS, JointKind
from ipc_articulation.frontend.joints import JointMesh
from ipc_articulation.frontend.nodes.numbering import Numbering
from ipc_articulation.frontend.written_attributes import JointAttribute

_FLATTEST = 1e-6  # |det A| over the product of its rows' lengths; below, libuipc drops the torque


class JointForces(Load):
    """Forces and torques on joints of several geometries."""

    name = "joint force"

    def __init__(self, meshes: Sequence[JointMesh], has_kinetic: Bools, numbering: Numbering) -> None:
        """Find the attributes of the joints.

        Args:
            meshes: The joint geometries.
            has_kinetic: Which bodies forces act on, (n,).
            numbering: Of nodes.

        Raises:
            SceneError: An attribute is missing; names the joint geometry.
        """
        self._loads = [
            _Load([mesh for mesh in meshes if mesh.kind == kind], kind) for kind in JOINT_KINDS.values() if kind.load
        ]
        self._bodies = np.concatenate([load.bodies.ravel() for load in self._loads])
        self._acts = has_kinetic[self._bodies][:, None]
        super().__init__(self.name, numbering, np.unique(self._bodies))

    def begin_step(self, state: EngineState, x: Array, dt: float) -> None:
        """Read what the animator has just written.

        Raises:
            SceneError: A number is not finite; names geometry, joint and attribute.
        """
        F = np.concatenate([load.forces(state.q).reshape(-1, DOF) for load in self._loads])
        self._press_bodies(self._bodies, dt * dt * F * self._acts, x)


def read(slots: Sequence[Any], context: SceneContext) -> JointForces:
    """The forces on the joint geometries among the slots."""
    bodies = context.bodies
    has_kinetic = ~(bodies.is_fixed | bodies.external_kinetic)
    return JointForces(context.joints_of(slots)[0], has_kinetic, context.numbering)


class _Load:
    """The joints of one kind, with their axis in both bodies."""

    def __init__(self, meshes: Sequence[JointMesh], kind: JointKind) -> None:
        self._load = JointAttribute(meshes, kind.load)
        self._is_constrained = JointAttribute(meshes, f"{kind.load}/is_constrained")
        self._is_torque = kind.is_angle
        self.bodies = np.concatenate([np.zeros((0, 2), dtype=np.int64), *(mesh.joints.bodies for mesh in meshes)])
        self._axes = np.concatenate([np.zeros((0, 2, 3)), *(_axes(mesh) for mesh in meshes)])

    def forces(self, q: Array) -> Array:
        """Generalised forces on both bodies of each joint at q (n, 12): (m, 2, 12)."""
        load = self._load.read() * self._is_constrained.read_switch()
        F = np.zeros((len(load), 2, DOF))
        _add_forces(load, self._is_torque, self._axes, self.bodies, q, F)
        return F


def _axes(mesh: JointMesh) -> Array:
    """The axis in the left and in the right body, (m, 2, 3): the edge of a hinge or the direction of a slider."""
    if mesh.kind.is_angle:
        return mesh.placement.points[:, :, 1] - mesh.placement.points[:, :, 0]
    return local_directions(unit(mesh.placement.axes[:, :1])[:, :, None], mesh.placement.transforms)[:, :, 0, :3]


@compiled
def _add_forces(load, is_torque, axes, bodies, q, F):
    """Add the generalised forces on both bodies of each joint to F (m, 2, 12)."""
    for k in range(len(load)):
        axis = np.zeros(3)  # of the joint: the mean of its two bodies'
        for side in range(2):
            e = _linear_part(q[bodies[k, side]]) @ axes[k, side]
            axis += 0.5 * e / (np.sqrt(np.dot(e, e)) if is_torque else 1.0)
        for side, sign in ((0, -1.0), (1, 1.0)):
            on_body = sign * load[k] * axis  # [N or N·m]
            if is_torque:
                _add_torque(on_body, _linear_part(q[bodies[k, side]]), F[k, side, 3:])
            else:
                F[k, side, :3] += on_body


@compiled
def _add_torque(torque, A, F_A):
    """Add ½ [τ] A⁻ᵀ, row by row, to F_A (9,); nothing if A is flat."""
    lengths = np.sqrt(np.sum(A * A, axis=1))
    if not abs(np.linalg.det(A)) >= _FLATTEST * lengths.prod():
        return
    A_inv = np.linalg.inv(A)
    for column in range(3):
        turned = np.cross(torque, A_inv[column])  # τ × (row of A⁻¹) = column of [τ] A⁻ᵀ
        for row in range(3):
            F_A[3 * row + column] += 0.5 * turned[row]


@compiled
def _linear_part(q):
    return q[3:].copy().reshape(3, 3)
