"""The stiffness of bodies and joints with which contact moves the joints and does not deform the robot.

Contact pushes a joint away from its prediction by Δθ = δθ - δθ̃: a generalised force τ = M̂ Δθ / dt². The same force
strains affine bodies and pulls joints apart. In units of energy times s², as the engine adds them up:

    shape   dt² v κ ‖A Aᵀ - 1‖² = 4 dt² v κ ε² for a strain ε, hence 8 dt² v κ ε = dt² τ;
    joint   ½ γ (m_i+m_j) Σ ‖gap‖² = ¼ γ (m_i+m_j) L² φ² for an axis turned by φ out of line, its end points at ±L/2,
            hence ½ γ (m_i+m_j) L² φ = dt² τ.

With c the wanted ratio of joint motion to error (Δθ/ε = Δθ/φ = c), and the largest inertia of the robot for M̂:

    c M̂ = 8 v κ dt²,     c M̂ = ½ γ L² (m_i+m_j)

M̂ of a revolute joint is an inertia [kg·m²]; that of a prismatic joint, a mass, counts with the square of the
robot's size.

**Loads.** That is enough where the links' own inertia limits τ. It does not where a limit, dry friction, an equality or
a joint's bearing holds a light link under a heavy body: a body of mass m that comes to rest within the step, from the
closing speed u, presses with the force F = m (g + u/dt) (impulse and momentum), whatever the link's inertia is. At
levers up to the robot's size s it is τ ≤ F s, and

    ε, φ ≤ dt² F s / (c Λ) = (g dt² + u dt) / (c' s)     for a stiffness of Λ = max(M̂, λ m s²) in place of M̂, c' = λ c,

so errors of place, s φ, are 1/c' of the way (g dt² + u dt) that the body would have gone, and the anchors' gap is
dt² F / (γ (m_i+m_j)) ≤ (g dt² + u dt) / (2 c'), as s ≥ L. With λ = 0.1: 10 µm under a weight and 0.2 mm in a hit at
2 m/s, steps of 10 ms. m is the heaviest body that may come to lie on the robot. Rounding limits Λ: c Λ ≤ 10⁹ M̂.
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
_STIFFEST = 1e9  # of all that follow a load or hold, as a ratio: above it, M̂ is lost in the rounding
_LOAD_SHARE = 0.1  # λ


@dataclass(frozen=True)
class Stiffness:
    """The stiffness of the links and joints of a robot."""

    scale: float  # largest inertia M̂ that any joint moves [kg·m²]
    dt: float  # [s]
    ratio: float = STIFFNESS_RATIO
    load: float = 0.0  # m s² of the heaviest load [kg·m²]

    def link_kappa(self, volume: float) -> float:
        """Stiffness κ [Pa] of a link of some volume [m³]."""
        return self._hard / (8.0 * volume * self.dt**2)

    def joint_strength(self, masses: float) -> float:
        """`strength_ratio` γ of a joint between two bodies of a total mass m_i + m_j [kg]."""
        return 2.0 * self._hard / (AXIS_LENGTH**2 * masses)

    def tie_strengths(self, robot: CoupledRobot) -> Array:
        """Strengths of the tied joints (see `ties`), (t,) [kg·m² or kg]."""
        return self._hard / _levers(robot.tied_joints, robot_size(robot)) ** 2

    def limit_strengths(self, robot: CoupledRobot) -> Array:
        """Strengths of the joints' limits (see `restraints`), (m,) [kg·m² or kg]."""
        return self._holding / _levers(robot.joints, robot_size(robot)) ** 2

    def equality_strengths(self, robot: CoupledRobot) -> Mapping[str, float]:
        """Strength of an equality by its unit [kg·m² for rad, kg for m]."""
        return {"rad": self._holding, "m": self._holding / robot_size(robot) ** 2}

    @property
    def _hard(self) -> float:
        """c Λ."""
        return max(self.ratio * self.scale, min(self.ratio * _LOAD_SHARE * self.load, self._stiffest))

    @property
    def _holding(self) -> float:
        return min(_HOLDING * self._hard, self._stiffest)

    @property
    def _stiffest(self) -> float:
        return _STIFFEST * self.scale


def choose_stiffness(
    robot: CoupledRobot, mass: Array, dt: float, ratio: float = STIFFNESS_RATIO, heaviest: float = 0.0
) -> Stiffness:
    """Stiffness for a robot whose effective mass is M̂ (m, m) in steps of dt [s], under loads up to `heaviest` [kg]."""
    size = robot_size(robot)
    return Stiffness(inertia_scale(mass, robot.joints, size), dt, ratio, heaviest * size**2)


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
