"""The stiffness of bodies and joints with which contact moves the joints and does not deform the robot.

Contact pushes a joint away from its prediction by Δθ = δθ - δθ̃: a generalised force τ = M̂ Δθ / dt². The same force
strains affine bodies and pulls joints apart. In units of energy times s², as the engine adds them up:

    shape   dt² v κ ‖A Aᵀ - 1‖² = 4 dt² v κ ε² for a strain ε, hence 8 dt² v κ ε = M̂ Δθ;
    joint   ½ γ (m_i+m_j) Σ ‖gap‖² = ¼ γ (m_i+m_j) L² φ² for an axis turned by φ out of line, its end points at ±L/2,
            hence ½ γ (m_i+m_j) L² φ = M̂ Δθ.

With c the wanted ratio of joint motion to error (Δθ/ε = Δθ/φ = c), and the largest inertia of the robot for M̂:

    κ = c M̂ / (8 v dt²),     γ = 2 c M̂ / (L² (m_i+m_j))

M̂ of a revolute joint is an inertia [kg·m²]; that of a prismatic joint, a mass, counts with the square of the
robot's size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import CoupledJoint, CoupledRobot
from ipc_articulation.coupling.kinds import kind_of
from ipc_articulation.frontend.joint_geometry import AXIS_LENGTH  # L

STIFFNESS_RATIO = 1e3  # c; ten times more costs up to twice as many Newton iterations
_HOLDING = 1e3  # how many times stiffer than ties are limits and equalities, whose springs act on δθ alone
_STIFFEST = 1e9  # of them, as a ratio: above it, M̂ is lost in the rounding


@dataclass(frozen=True)
class Stiffness:
    """The stiffness of the links and joints of a robot."""

    scale: float  # largest inertia M̂ that any joint moves [kg·m²]
    dt: float  # [s]
    ratio: float = STIFFNESS_RATIO

    def link_kappa(self, volume: float) -> float:
        """Stiffness κ [Pa] of a link of some volume [m³]."""
        return self.ratio * self.scale / (8.0 * volume * self.dt**2)

    def joint_strength(self, masses: float) -> float:
        """`strength_ratio` γ of a joint between two bodies of a total mass m_i + m_j [kg]."""
        return 2.0 * self.ratio * self.scale / (AXIS_LENGTH**2 * masses)

    def tie_strengths(self, robot: CoupledRobot) -> Array:
        """Strengths of the tied joints (see `ties`), (t,) [kg·m² or kg]."""
        return self.ratio * self.scale / _levers(robot.tied_joints, robot_size(robot)) ** 2

    def limit_strengths(self, robot: CoupledRobot) -> Array:
        """Strengths of the joints' limits (see `restraints`), (m,) [kg·m² or kg]."""
        return self._holding / _levers(robot.joints, robot_size(robot)) ** 2

    def equality_strengths(self, robot: CoupledRobot) -> Mapping[str, float]:
        """Strength of an equality by its unit [kg·m² for rad, kg for m]."""
        return {"rad": self._holding, "m": self._holding / robot_size(robot) ** 2}

    @property
    def _holding(self) -> float:
        return min(_HOLDING * self.ratio, _STIFFEST) * self.scale


def choose_stiffness(robot: CoupledRobot, mass: Array, dt: float, ratio: float = STIFFNESS_RATIO) -> Stiffness:
    """Stiffness for a robot whose effective mass is M̂ (m, m) in steps of dt [s]."""
    return Stiffness(inertia_scale(mass, robot.joints, robot_size(robot)), dt, ratio)


def inertia_scale(mass: Array, joints: Sequence[CoupledJoint], size: float) -> float:
    """The largest inertia that any joint moves [kg·m²].

    Args:
        mass: M̂, one row and one column per freedom.
        joints: The joints.
        size: Size of the robot [m], by which a prismatic joint's mass becomes an inertia.
    """
    return float(np.max(np.diag(mass) * _levers(joints, size) ** 2, initial=0.0))


def _levers(joints: Sequence[CoupledJoint], size: float) -> Array:
    """Factor on each freedom's motion that makes an inertia of its mass, (m,) [1 or m]."""
    return np.array([size if unit == "m" else 1.0 for joint in joints for unit in kind_of(joint).units])


def robot_size(robot: CoupledRobot) -> float:
    """Largest extent of the links together along a world axis [m], at least that of a joint's axis."""
    points = [link.pose[:3, 3:].T for link in robot.links]
    points += [link.mesh.vertices @ link.pose[:3, :3].T + link.pose[:3, 3] for link in robot.links if link.mesh]
    return max(AXIS_LENGTH, float(np.ptp(np.concatenate(points), axis=0).max())) if points else AXIS_LENGTH
