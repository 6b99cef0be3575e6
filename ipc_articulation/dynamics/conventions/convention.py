"""The conventions of other engines for floating and spherical joints. Other joints are the same in all engines, but
nimble has the coordinates of an OpenSim model in the order of its file, `Model.defaults`.

|  | position of a floating joint | its velocity | spherical: position, velocity |
|---|---|---|---|
| ours, RaiSim | p, quaternion wxyz | ṗ, ω, both in the parent's axes | quaternion wxyz, ω in the parent's axes |
| MuJoCo | p, quaternion wxyz | ṗ in the parent's, ω in the child's axes | quaternion wxyz, ω in the child's axes |
| Pinocchio | p, quaternion xyzw | v, ω, both in the child's axes | quaternion xyzw, ω in the child's axes |
| generalized_rbda | p, quaternion wxyz | ω, v, both in the child's axes | none |
| arboris | H, 16 numbers row by row | ω, v, both in the child's axes | angles of Rz Ry Rx, their rates |
| DART | rotation vector, p | ω, ṗ, both in the parent's axes | rotation vector, ω in the child's axes |
| nimble (URDF) | rotation vector, p | ω, v, both in the child's axes | rotation vector, ω in the child's axes |
| nimble (OpenSim) | angles of Rz Rx Ry, p | rates of all six | angles of Rz Rx Ry, their rates |

Sources: the engines' documentation and code, and measurements with the engines; see docs/conventions.md. DART is
6.20 or newer; older ones had nimble's velocities.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class Attitude(Enum):
    """A representation of a rotation."""

    WXYZ = auto()
    XYZW = auto()
    MATRIX = auto()  # with the position, as a pose H
    VECTOR = auto()
    ZYX = auto()  # angles of Rz Ry Rx
    ZXY = auto()  # angles of Rz Rx Ry


class Axes(Enum):
    """The axes of a velocity."""

    PARENT = auto()
    CHILD = auto()
    RATES = auto()  # no axes: the rates of the angles


@dataclass(frozen=True)
class Convention:
    """An engine's convention for floating and spherical joints."""

    name: str
    attitude: Attitude  # of a spherical joint
    linear: Axes
    angular: Axes  # of a spherical joint, and of a floating one unless `floating_angular` says otherwise
    angular_first: bool = False  # in the velocity of a floating joint
    rotation_first: bool = False  # in its position
    floating_attitude: Attitude | None = None  # None: as a spherical joint
    floating_angular: Axes | None = None


RAISIM = Convention("RaiSim", Attitude.WXYZ, Axes.PARENT, Axes.PARENT)
MUJOCO = Convention("MuJoCo", Attitude.WXYZ, Axes.PARENT, Axes.CHILD)
PINOCCHIO = Convention("Pinocchio", Attitude.XYZW, Axes.CHILD, Axes.CHILD)
RBDA = Convention("generalized_rbda", Attitude.WXYZ, Axes.CHILD, Axes.CHILD, angular_first=True)
ARBORIS = Convention(
    "arboris",
    Attitude.ZYX,
    Axes.CHILD,
    Axes.RATES,
    angular_first=True,
    floating_attitude=Attitude.MATRIX,
    floating_angular=Axes.CHILD,
)
DART = Convention(
    "DART",
    Attitude.VECTOR,
    Axes.PARENT,
    Axes.CHILD,
    angular_first=True,
    rotation_first=True,
    floating_angular=Axes.PARENT,
)
NIMBLE_URDF = Convention("nimble", Attitude.VECTOR, Axes.CHILD, Axes.CHILD, angular_first=True, rotation_first=True)
NIMBLE = Convention("nimble", Attitude.ZXY, Axes.PARENT, Axes.RATES, angular_first=True, rotation_first=True)
