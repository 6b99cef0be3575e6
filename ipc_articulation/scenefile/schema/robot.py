"""A robot from its published description, its actuators and its loops."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ipc_articulation.scenefile.keys import Block
from ipc_articulation.scenefile.schema.shapes import PoseEntry, Sections
from ipc_articulation.scenefile.schema.values import (
    ExistingFile,
    Friction,
    JointPattern,
    Name,
    NonNegative,
    PerJoint,
    Positive,
    Vector3,
)


class FourBarEntry(Block):
    """A planar four-bar linkage; each bar is along x of its own frame, and all hinges rotate about z."""

    type: Literal["four_bar"]
    joints: tuple[str, str, str] = Field(
        description="the hinge of the first bar, the hinge of the other bar, and the hinge between first and second bar"
    )
    lengths: tuple[Positive, Positive, Positive] = Field(description="of the first, second and other bar [m]")
    offset: tuple[float, float] = Field(
        description="position of the other bar's pivot relative to the first bar's, in the linkage's plane [m]"
    )
    driver: str = Field(description="the one of these joints whose angle determines the others")


class GearEntry(Block):
    """A link and its rotor. A rotor with geometry is constrained to the link; without, it only adds effective mass."""

    type: Literal["gear"]
    joints: tuple[str, str] = Field(description="joints of the link and of the rotor")
    ratio: float = Field(description="rotation of the rotor divided by that of the link")


class PinEntry(Block):
    """A hinge that closes a loop; it connects two links that the robot's file does not connect."""

    name: Name = Field(description="unique in the file")
    first: str = Field(description="name of a link, or `world`")
    second: str = Field(description="name of another link")
    on_first: Vector3 = Field(description="position of the pin in the first link's frame [m]")
    on_second: Vector3 = Field(description="position of the pin in the second link's frame [m]")
    axis: Vector3 = Field((0.0, 0.0, 1.0), description="direction of the hinge axis, in the first link's frame")


LoopEntry = Annotated[FourBarEntry | GearEntry, Field(discriminator="type")]


class ActuatorsEntry(Block):
    """Actuators of some joints: force = kp·(target - θ) - kv·θ̇.

    Without kp the target is a velocity: force = kv·(target - θ̇), as of wheels.
    A follower (mimic, equality) whose target is its start is aimed where its leader's target puts it.
    """

    joints: JointPattern = Field(description="a regular expression that matches whole joint names, or a list of names")
    kp: NonNegative = Field(description="position gain [N·m/rad or N/m]; 0 for targets that are velocities")
    kv: NonNegative = Field(0.0, description="velocity gain [N·m·s/rad or N·s/m]")
    max_force: Positive | None = Field(None, description="limit of the force [N·m or N]")


_PER_JOINT = "one number, or a mapping from regular expressions to numbers, of which the last match applies"


class RobotEntry(Block):
    """A robot from its published description."""

    model: ExistingFile = Field(
        description="a file of URDF, MJCF, or with `native` OpenSim; relative to the scene file, or `package://…`"
    )
    base: Literal["fixed", "free"] | None = Field(
        None,
        description="`fixed`: a base that floats in the robot's file is fixed to the world where it is; `free`: the "
        "base of the robot's file floats; default: as in an MJCF file, and fixed for a URDF file, with a warning where "
        "nothing carries the base",
    )
    base_pose: PoseEntry | None = Field(
        None,
        description="of the base that floats, or that `base: fixed` fixes, in the world of the robot's file, see "
        "[pose](#pose); default: where the file places it",
    )
    ignore: tuple[str, ...] = Field(
        (),
        description="names or regular expressions of bodies of the robot's file that are left out; a moving body with "
        "its whole tree of joints",
    )
    pose: PoseEntry = Field(PoseEntry(), description="of the robot's base, see [pose](#pose)")
    armature: PerJoint | None = Field(None, description=f"rotor inertia of the joints [kg·m² or kg], {_PER_JOINT}")
    damping: PerJoint | None = Field(None, description=f"viscous damping [N·m·s/rad or N·s/m], {_PER_JOINT}")
    frictionloss: PerJoint | None = Field(
        None, description=f"dry friction of the joints against motion [N·m or N], {_PER_JOINT}"
    )
    material: str | None = Field(None, description="name of the links' [material](#materials)")
    friction: Friction | None = Field(
        None,
        description="Coulomb coefficient of the links; default: the material's, the model's or `contact.friction`",
    )
    stiffness: Positive | None = Field(
        None, description="of the links against deformation [Pa]; default: chosen automatically"
    )
    collision: Literal["mesh", "hull"] = Field(
        "mesh", description="use the meshes of the links, open ones closed, or their convex hulls"
    )
    surfaces: Literal["collision", "visual"] | None = Field(
        None,
        description="`visual`: links of a URDF file that have a `<visual>` but no `<collision>` touch with the former; "
        "`collision`: they touch nothing; default: so, with a warning where a moving one is among them",
    )
    sections: Sections | None = Field(
        None, description="flat sides around the links' round shapes, 8 to 256, so that they [roll](wheels.md)"
    )
    segment_radius: Positive | None = Field(
        None,
        description="of capsules from joint to joint of an OpenSim model [m]; default: no contact, see "
        "[above](#opensim-models)",
    )
    untouchable: tuple[tuple[str, str], ...] = Field(
        (), description="pairs of names or regular expressions of objects that never touch each other"
    )
    restraints: Literal["step", "exact", "engine"] = Field(
        "step",
        description="where limits and dry friction of joints and tendons, and exact equalities (mimic joints of "
        "`native`) act: `step`: contact cannot push a joint past where the adapter's own step has it; `exact`: so, and "
        "MuJoCo's soft limits and dry friction are exact; `engine`: only in the adapter's own step, against contact "
        "only the joints' inertia. MuJoCo's equalities resist contact as in MuJoCo in all of them",
    )
    substeps: Annotated[int, Field(ge=1, le=1000)] = Field(
        1,
        description="steps of MuJoCo in each step of the scene, each of `dt`/substeps; only with `adapter: mujoco`",
    )
    environment: str = Field("", description="like that of a [body](#bodies)")
    actuators: tuple[ActuatorsEntry, ...] = Field((), description="see [robot.actuators](#robotactuators)")
    initial: dict[str, float] = Field(
        {},
        description="initial joint positions by name [rad or m]; default: those of the model; joints that follow "
        "others (mimic, equality) start where these put them, and move with them",
    )
    initial_velocity: dict[str, float] = Field({}, description="by joint name [rad/s or m/s]; default: at rest")
    loops: tuple[LoopEntry, ...] = Field(
        (), description="with `adapter: native`; loops are closed from `initial`, see [robot.loops](#robotloops)"
    )
    pins: tuple[PinEntry, ...] = Field((), description="with `adapter: native`, see [robot.pins](#robotpins)")
