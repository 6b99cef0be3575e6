"""A robot from its published description."""

from __future__ import annotations

from pydantic import Field

from ipc_articulation.scenefile.keys import Block
from ipc_articulation.scenefile.schema.loops import Loop, Pin
from ipc_articulation.scenefile.schema.shapes import Pose
from ipc_articulation.scenefile.schema.values import ExistingFile, JointPattern, NonNegative, Positive


class Actuators(Block):
    """Position actuators of some joints: force = kp·(target - θ) - kv·θ̇."""

    joints: JointPattern = Field(description="a regular expression that matches whole joint names, or a list of names")
    kp: NonNegative = Field(description="position gain [N·m/rad or N/m]")
    kv: NonNegative = Field(0.0, description="velocity gain [N·m·s/rad or N·s/m]")
    max_force: Positive | None = Field(None, description="bound on the force [N·m or N]")


class Robot(Block):
    """A robot from its published description."""

    model: ExistingFile = Field(description="URDF (.urdf) or MJCF (.xml); relative to the file, or `package://…`")
    pose: Pose = Field(Pose(), description="of the robot's base, see [pose](#pose)")
    armature: NonNegative | None = Field(None, description="rotor inertia added to every joint [kg·m² or kg]")
    damping: NonNegative | None = Field(None, description="viscous damping of every joint [N·m·s/rad or N·s/m]")
    friction: NonNegative | None = Field(None, description="Coulomb coefficient of the links' surfaces")
    actuators: tuple[Actuators, ...] = Field((), description="see [robot.actuators](#robotactuators)")
    initial: dict[str, float] = Field({}, description="initial joint positions by name [rad or m]; else the model's")
    loops: tuple[Loop, ...] = Field(
        (), description="with `adapter: native`; loops are closed from `initial`, see [robot.loops](#robotloops)"
    )
    pins: tuple[Pin, ...] = Field((), description="with `adapter: native`, see [robot.pins](#robotpins)")
