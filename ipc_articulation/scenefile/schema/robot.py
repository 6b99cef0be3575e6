"""A robot from its published description."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ipc_articulation.scenefile.keys import Block
from ipc_articulation.scenefile.schema.loops import LoopEntry, PinEntry
from ipc_articulation.scenefile.schema.shapes import PoseEntry
from ipc_articulation.scenefile.schema.values import ExistingFile, JointPattern, NonNegative, PerJoint, Positive


class ActuatorsEntry(Block):
    """Position actuators of some joints: force = kp·(target - θ) - kv·θ̇."""

    joints: JointPattern = Field(description="a regular expression that matches whole joint names, or a list of names")
    kp: NonNegative = Field(description="position gain [N·m/rad or N/m]")
    kv: NonNegative = Field(0.0, description="velocity gain [N·m·s/rad or N·s/m]")
    max_force: Positive | None = Field(None, description="bound on the force [N·m or N]")


_PER_JOINT = "one number or a mapping of regular expressions to numbers, the last that fits holding"


class RobotEntry(Block):
    """A robot from its published description."""

    model: ExistingFile = Field(
        description="URDF (.urdf), MJCF (.xml), or with `native` OpenSim (.osim); relative to the file, or `package://…`"
    )
    pose: PoseEntry = Field(PoseEntry(), description="of the robot's base, see [pose](#pose)")
    armature: PerJoint | None = Field(None, description=f"rotor inertia of the joints [kg·m² or kg], {_PER_JOINT}")
    damping: PerJoint | None = Field(None, description=f"viscous damping [N·m·s/rad or N·s/m], {_PER_JOINT}")
    material: str | None = Field(None, description="of the links, name of a [material](#materials)")
    friction: NonNegative | None = Field(
        None, description="Coulomb coefficient of the links; else the material's, the model's, `contact.friction`"
    )
    stiffness: Positive | None = Field(None, description="of the links against deformation [Pa]; else chosen")
    collision: Literal["mesh", "hull"] = Field(
        "mesh", description="meshes of the links as they are, which must be closed, or their convex hulls"
    )
    segment_radius: Positive | None = Field(
        None,
        description="of capsules from joint to joint of an OpenSim model [m]; else its bodies touch nothing, see "
        "[above](#opensim-models)",
    )
    untouchable: tuple[tuple[str, str], ...] = Field(
        (), description="pairs of names, or regular expressions, of what never touches"
    )
    environment: str = Field("", description="as of a [body](#bodies)")
    actuators: tuple[ActuatorsEntry, ...] = Field((), description="see [robot.actuators](#robotactuators)")
    initial: dict[str, float] = Field({}, description="initial joint positions by name [rad or m]; else the model's")
    initial_velocity: dict[str, float] = Field({}, description="by joint name [rad/s or m/s]; else at rest")
    loops: tuple[LoopEntry, ...] = Field(
        (), description="with `adapter: native`; loops are closed from `initial`, see [robot.loops](#robotloops)"
    )
    pins: tuple[PinEntry, ...] = Field((), description="with `adapter: native`, see [robot.pins](#robotpins)")
