"""The interface of adapters for scene files: they read a robot's file, and build the robot for the scene.

An adapter for scene files has a module `scene_model` next to its own, with a class `SceneModel`, which is a
`RobotFile`. `simulation` adds bodies, ground, walls, environments and contact rules.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import Adapter
from ipc_articulation.coupling.solids import PLAIN, Facets

if TYPE_CHECKING:
    from ipc_articulation.dynamics.loops import LoopConstraint

__all__ = [
    "Actuator",
    "DrivenRobot",
    "MakesMore",
    "Pin",
    "Retunes",
    "RobotFile",
    "RobotSetup",
]

FRICTION = 1.0  # Coulomb coefficient of surfaces without their own, as in MuJoCo


@dataclass(frozen=True)
class Actuator:
    """Force kp·(target - θ) - kv·θ̇ on one joint; without kp it is kv·(target - θ̇)."""

    joint: str
    kp: float  # [N·m/rad or N/m]
    kv: float  # [N·m·s/rad or N·s/m]
    max_force: float = np.inf  # [N·m or N]


@dataclass(frozen=True)
class Pin:
    """A hinge between two links that closes a loop; first may be «world», whose frame is the world's."""

    name: str
    first: str
    second: str
    on_first: ArrayLike  # (3,) [m] in the first link's frame
    on_second: ArrayLike  # (3,) [m] in the second link's frame
    axis: ArrayLike = (0.0, 0.0, 1.0)  # (3,) in the first link's frame


@dataclass(frozen=True)
class RobotSetup:
    """A scene's settings for its robot; joints have the names in `RobotFile.joint_names`."""

    dt: float  # [s]
    gravity: Array  # (3,) [m/s²]
    integrator: str  # «Euler», «implicitfast», «implicit» or «momentum»
    pose: Array = field(default_factory=lambda: np.eye(4))  # (4, 4) by which the whole content of the file is moved
    friction: float | None = None  # Coulomb coefficient of all surfaces of the robot; None: see `friction_of`
    default_friction: float = FRICTION
    facets: Facets = PLAIN  # how surfaces become triangles
    armature: Mapping[str, float] = field(default_factory=dict)  # rotor inertia [kg·m² or kg]; else the file's
    damping: Mapping[str, float] = field(default_factory=dict)  # viscous [N·m·s/rad or N·s/m]; else the file's
    frictionloss: Mapping[str, float] = field(default_factory=dict)  # dry friction [N·m or N]; else the file's
    actuators: tuple[Actuator, ...] = ()  # at most one for each joint
    start: Mapping[str, float] = field(default_factory=dict)  # initial positions [rad or m]; else the file's
    start_velocity: Mapping[str, float] = field(default_factory=dict)  # [rad/s or m/s]; else at rest
    loops: tuple[tuple[tuple[str, ...], LoopConstraint], ...] = ()  # joints, and the constraint on them
    pins: tuple[Pin, ...] = ()
    segment_radius: float | None = None  # of capsules along an OpenSim model's segments [m]; None: none
    substeps: int = 1  # of the multibody engine in each step of the scene
    has_own_model: bool = False  # whether the robot shares its model with no other one, so that it may be retuned

    def friction_of(self, own: float) -> float:
        """Coulomb coefficient of a surface of the robot, whose file gives `own`, or `FRICTION` without one."""
        if self.friction is not None:
            return self.friction
        return self.default_friction if own == FRICTION else own


class DrivenRobot(Protocol):
    """A finished robot whose actuators take targets by joint: positions, or velocities."""

    adapter: Adapter  # for `couple`
    actuated: list[str]  # names of the k joints with an actuator that takes a target, in the order of `command`
    speeds: frozenset[str]  # those among them whose target is a velocity
    start: Array  # targets with which those joints stay as they start, (k,) [rad or m]; of velocities mostly 0
    joints: list[str]  # names of all m joints, in the order of `push`
    efforts: Array  # (m,) largest forces of their actuators [N·m or N]; inf: unlimited

    def command(self, targets: Array) -> None:
        """Set the targets of the actuated joints, (k,) [rad or m; of `speeds` rad/s or m/s]."""
        ...

    def push(self, forces: Array) -> None:
        """Set forces on all joints besides those of their actuators, (m,) [N·m or N]; comes after `command`."""
        ...


@runtime_checkable
class Retunes(Protocol):
    """Further members of a `DrivenRobot` whose joints and actuators may change between steps."""

    @property
    def tunable(self) -> list[str]:
        """Names of the joints that may change, as `RobotFile.joint_names` has them."""
        ...

    def retune(self, setup: RobotSetup) -> None:
        """Take armature, damping, frictionloss and gains of a setup.

        Args:
            setup: That of the robot, from which only these numbers differ.
        """
        ...


class RobotFile(Protocol):
    """A robot's file, read by an adapter."""

    takes: Collection[
        str
    ]  # of `base`, `base_pose`, `ignore`, `loops`, `pins`, `segment_radius`, `substeps`, `surfaces`: what it supports

    def __init__(
        self,
        file: Path,
        package_dirs: Collection[Path],
        *,
        base: str | None = None,
        base_pose: Array | None = None,
        ignore: Sequence[str] = (),
        surfaces: Literal["collision", "visual"] = "collision",
    ) -> None:
        """Read the file.

        Args:
            file: The file.
            package_dirs: Folders in which `package://NAME/...` is looked up.
            base: «fixed» fixes a floating base to the world, «free» lets the file's base float; None: as in the file.
                Given only to those that support it, like the others.
            base_pose: Of a floating base, (4, 4) in the file's world; None: where the file places it.
            ignore: Regular expressions for names of bodies that are left out.
            surfaces: «visual» makes drawings the surfaces of links of a URDF file that have no `<collision>`.

        Raises:
            IpcArticulationError: The file is wrong.
        """
        ...

    @property
    def joint_names(self) -> list[str]:
        """Names of the joints; a joint with several degrees of freedom has a name for each of them."""
        ...

    def build(self, setup: RobotSetup) -> DrivenRobot:
        """Build the robot for a scene; called once.

        Raises:
            IpcArticulationError: The robot is wrong.
        """
        ...


@runtime_checkable
class MakesMore(Protocol):
    """A `RobotFile` whose robots can share a model, so that many of them are built and stepped faster."""

    def again(self, setup: RobotSetup) -> DrivenRobot | None:
        """Another robot of the model that `build` made, with a state of its own; None if that depends on the start.

        Args:
            setup: As for `build`, from which only `start` and `start_velocity` differ.

        Raises:
            IpcArticulationError: The start is wrong.
        """
        ...
