"""Drives revolute and prismatic joints to an aim (libuipc's constitutions 19 and 21).

revolute   E = ½ κ (θ - θ̃)²
prismatic  E = ½ κ (tᵢ·d - θ̃)² + ½ κ (tⱼ·d - θ̃)²,   d = cⱼ - cᵢ

κ = driving/strength_ratio (mᵢ + mⱼ), without dt². θ̃ = aim - init, where aim is `aim_angle` [rad] or `aim_distance` [m]
and may be many turns away. A passive joint aims at its position at the beginning of the step, so it resists motion like
a damper of κ/dt. If `driving/is_constrained` is 0, there is no energy.

The prismatic energy is κ (θ - θ̃)² + κ θ'², with θ = d·(tᵢ + tⱼ)/2 and θ' = d·(tᵢ - tⱼ)/2: θ' is the coordinate of the
same joint with -tⱼ for tⱼ. So every drive is a spring on a joint coordinate, or two (`articulation.kinds` has which).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.articulation.joints import Joints
from ipc_articulation.articulation.kinds import KINDS
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.joint_coordinates import JointCoordinates
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms.coordinate_term import CoordinateFunctions, over_joints
from ipc_articulation.frontend.joints import JointMesh
from ipc_articulation.frontend.written_attributes import JointAttribute


@compiled
def _spring(theta, c):
    """½ κ (θ - θ̃)², c = (κ, θ̃)."""
    away = theta - c[1]
    return 0.5 * c[0] * away**2, c[0] * away, c[0]


_SPRING = over_joints(_spring)


class DrivingJoints(CoordinateFunctions):
    """The drives of m joints."""

    name = "driving joint"

    def __init__(self, meshes: Sequence[JointMesh], places: Ints, mass: Array, affine: int) -> None:
        """Find the joints and their attributes.

        Args:
            meshes: The joint geometries, of kinds with a coordinate.
            places: Indices of their joints in the state's θ, (m,).
            mass: Masses of all bodies, (n,) [kg].
            affine: Number of affine bodies.

        Raises:
            SceneError: An attribute is missing; names the joint geometry.
        """
        driven = JointCoordinates.of(meshes)
        self._offset = driven.offset
        self._mass = mass[driven.joints.bodies].sum(axis=1)
        self._is_constrained = JointAttribute(meshes, "driving/is_constrained")
        self._is_passive = JointAttribute(meshes, "is_passive")
        self._ratio = JointAttribute(meshes, "driving/strength_ratio", nonnegative=True)
        self._aims = [JointAttribute([mesh], f"aim_{mesh.kind.coordinate}") for mesh in meshes]
        self._doubled, second = _second_springs(driven.joints)
        self._springs_a_joint = np.ones(len(driven))
        self._springs_a_joint[self._doubled] = 2.0
        joints = Joints.concatenate([driven.joints, second])
        coordinates = JointCoordinates(joints, np.zeros(len(joints)))
        super().__init__(coordinates, places, affine, np.zeros((len(joints), 2)), _SPRING)
        self.drives = np.unique(self.couples)
        self.stiffest = 0.0  # κ of the present step

    def begin_step(self, state: EngineState, x: Array, dt: float) -> None:
        """Read what the animator has just written.

        Raises:
            SceneError: A number is not finite, a strength is negative or a switch not 0 or 1; names geometry, joint and
                attribute.
        """
        super().begin_step(state, x, dt)
        count = len(self._places)
        aim = np.concatenate([aim.read() for aim in self._aims]) - self._offset
        kappa = self._springs_a_joint * self._ratio.read() * self._mass * self._is_constrained.read_switch()
        self.constants[:count, 0], self.constants[count:, 0] = kappa, kappa[self._doubled]
        self.constants[:count, 1] = np.where(self._is_passive.read_switch(), self._theta[:count], aim)
        self.stiffest = float(kappa.max(initial=0.0))


def read(slots: Sequence[Any], context: SceneContext) -> DrivingJoints:
    """The drives of the joint geometries among the slots."""
    return DrivingJoints(*context.joints_of(slots), context.bodies.mass[:, 0, 0], context.numbering.affine)


def _second_springs(joints: Joints) -> tuple[Ints, Joints]:
    """The joints whose drive is two springs: indices, and as joints with the coordinate of the second spring."""
    places, local = [], joints.local.copy()
    for k, kind in enumerate(joints.kind.tolist()):
        second_drive = KINDS[kind].second_drive
        if second_drive is not None:
            places.append(k)
            local[k] = second_drive(local[k])
    doubled = np.array(places, dtype=np.int64)
    return doubled, replace(joints, local=local)[doubled]
