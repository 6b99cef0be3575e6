"""A robot from its published description, its actuators and its loops."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ipc_articulation.scenefile.keys import Block
from ipc_articulation.scenefile.schema.shapes import PoseEntry
from ipc_articulation.scenefile.schema.values import (
    ExistingFile,
    JointPattern,
    Name,
    NonNegative,
    PerJoint,
    Positive,
    Vector3,
)


class FourBarEntry(Block):
    """A planar four-bar linkage; its bars lie along x of their own frames, and all hinges are about z."""

    type: Literal["four_bar"]
    joints: tuple[str, str, str] = Field(
        description="hinges of the first bar, of the bar of the other path, and between the first bar and the second"
    )
    lengths: tuple[Positive, Positive, Positive] = Field(description="of the first, second and other bar [m]")
    offset: tuple[float, float] = Field(description="of the other bar's pivot from the first one's, in its plane [m]")
    driver: str = Field(description="the joint among them whose angle determines the others")


class GearEntry(Block):
    """A link and its rotor; one with geometry is tied to the link, one without counts in the effective mass only."""

    type: Literal["gear"]
    joints: tuple[str, str] = Field(description="joints of the link and of the rotor")
    ratio: float = Field(description="how many times as far the rotor turns")


class PinEntry(Block):
    """A hinge that closes a loop, where two links meet that the robot's file does not join."""

    name: Name = Field(description="unique in the file")
    first: str = Field(description="name of a link, or `world`")
    second: str = Field(description="name of another link")
    on_first: Vector3 = Field(description="where it is in the first link's frame [m]")
    on_second: Vector3 = Field(description="where it is in the second link's frame [m]")
    axis: Vector3 = Field((0.0, 0.0, 1.0), description="direction, in the first link's frame")


LoopEntry = Annotated[FourBarEntry | GearEntry, Field(discriminator="type")]


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
