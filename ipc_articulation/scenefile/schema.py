"""What a scene file may say: pydantic models, one a block of the file. docs/scene_files.md is the same for readers.

Two kinds of scenes so far, chosen by the key `adapter`: `RobotScene`, whose joints a multibody engine moves, and
`ArticulationScene` (`adapter: none`), whose joints follow a prescribed motion. SI units, angles in radians, quaternions
(w, x, y, z).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, ValidationInfo
from pydantic_core import PydanticCustomError

from ipc_articulation.scenefile.keys import Block
from ipc_articulation.scenefile.paths import find_file

DENSITY = 1000.0  # of a body that says neither mass nor density [kg/m³]

Positive = Annotated[float, Field(gt=0)]
NonNegative = Annotated[float, Field(ge=0)]
Vector3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Names = Annotated[tuple[str, ...], Field(min_length=1)]


def _existing_file(value: object, info: ValidationInfo) -> object:
    """A path relative to the scene file's folder, or `package://name/...`, becomes a Path that exists."""
    if not isinstance(value, str):
        return value  # left to pydantic, which says that it is no path
    try:
        return find_file(value, (info.context or {})["folder"])
    except FileNotFoundError as error:
        raise _refusal(str(error)) from error


def _joint_pattern(value: object) -> object:
    """A regular expression or names; said in one message, where a union would say one for each of its types."""
    if isinstance(value, str):
        try:
            re.compile(value)
        except re.error as error:
            raise _refusal(f"no regular expression: {error}") from error
    elif not (isinstance(value, tuple) and value and all(isinstance(name, str) for name in value)):
        raise _refusal("joints are given by a regular expression or by a list of names")
    return value


def _refusal(reason: str) -> PydanticCustomError:
    return PydanticCustomError("refused", "{reason}", {"reason": reason})


ExistingFile = Annotated[Path, BeforeValidator(_existing_file)]
JointPattern = Annotated[str | Names, BeforeValidator(_joint_pattern)]


class Box(Block):
    """A cuboid about the origin of the body's frame."""

    type: Literal["box"]
    size: tuple[Positive, Positive, Positive] = Field(description="lengths of the edges [m]")


class Sphere(Block):
    """A ball about the origin."""

    type: Literal["sphere"]
    radius: Positive = Field(description="[m]")


class Cylinder(Block):
    """A cylinder about the origin, its axis along z."""

    type: Literal["cylinder"]
    radius: Positive = Field(description="[m]")
    length: Positive = Field(description="[m]")


class Capsule(Block):
    """A cylinder with half-spheres on its ends, about the origin, its axis along z."""

    type: Literal["capsule"]
    radius: Positive = Field(description="[m]")
    length: Positive = Field(description="between the centres of the half-spheres [m]")


class Mesh(Block):
    """A closed triangle surface from a file, in the file's own frame."""

    type: Literal["mesh"]
    file: ExistingFile = Field(description="closed surface (STL, OBJ)")
    scale: Positive = Field(1.0, description="factor on the file's lengths")


Shape = Annotated[Box | Sphere | Cylinder | Capsule | Mesh, Field(discriminator="type")]


class Pose(Block):
    """Where something stands: from its own frame to the world."""

    position: Vector3 = Field((0.0, 0.0, 0.0), description="[m]")
    quaternion: Quaternion = Field((1.0, 0.0, 0.0, 0.0), description="(w, x, y, z), made unit on reading")


class Body(Block):
    """A body that IPC moves, or a fixed one."""

    name: str = Field(description="unique in the file")
    shape: Shape = Field(description="its surface, see [shape](#shape)")
    pose: Pose = Field(Pose(), description="of its frame, which is the shape's centre, see [pose](#pose)")
    fixed: bool = Field(False, description="never moves")
    mass: Positive | None = Field(None, description="[kg]; instead of density")
    density: Positive | None = Field(None, description="[kg/m³]; 1000 where neither mass nor density is given")
    friction: NonNegative = Field(0.5, description="Coulomb coefficient of its surface")


class Ground(Block):
    """A horizontal half-space, its free side against gravity."""

    height: float = Field(0.0, description="[m], measured against gravity")
    friction: NonNegative = Field(0.5, description="Coulomb coefficient")


class Contact(Block):
    """Contact of the whole scene."""

    enabled: bool = Field(True, description="false: bodies pass through each other")
    d_hat: Positive = Field(0.001, description="distance at which surfaces begin to repel each other [m]")
    resistance: Positive = Field(1.0e9, description="stiffness of the barrier [Pa]")
    friction: bool = Field(True, description="false: every surface is frictionless")


class View(Block):
    """Camera of the final picture; what is left out is chosen to show every body."""

    eye: Vector3 | None = Field(None, description="where the camera stands [m]")
    target: Vector3 | None = Field(None, description="where it looks [m]")


class Actuators(Block):
    """Position actuators of some joints: force = kp·(target - θ) - kv·θ̇."""

    joints: JointPattern = Field(description="a regular expression that matches whole joint names, or a list of names")
    kp: NonNegative = Field(description="position gain [N·m/rad or N/m]")
    kv: NonNegative = Field(0.0, description="velocity gain [N·m·s/rad or N·s/m]")
    max_force: Positive | None = Field(None, description="bound on the force [N·m or N]")


class FourBar(Block):
    """A planar four-bar linkage; its bars lie along x of their own frames, and all hinges are about z."""

    type: Literal["four_bar"]
    joints: tuple[str, str, str] = Field(
        description="hinges of the first bar, of the bar of the other path, and between the first bar and the second"
    )
    lengths: tuple[Positive, Positive, Positive] = Field(description="of the first, second and other bar [m]")
    offset: tuple[float, float] = Field(description="of the other bar's pivot from the first one's, in its plane [m]")
    driver: str = Field(description="the joint among them whose angle determines the others")


class Gear(Block):
    """A link and its rotor; a rotor without geometry counts in the effective mass and is not in the scene."""

    type: Literal["gear"]
    joints: tuple[str, str] = Field(description="joints of the link and of the rotor")
    ratio: float = Field(description="how many times as far the rotor turns")


class Pin(Block):
    """A hinge that closes a loop, where two links meet that the robot's file does not join."""

    name: str = Field(description="unique in the file")
    first: str = Field(description="name of a link, or `world`")
    second: str = Field(description="name of another link")
    on_first: Vector3 = Field(description="where it is in the first link's frame [m]")
    on_second: Vector3 = Field(description="where it is in the second link's frame [m]")
    axis: Vector3 = Field((0.0, 0.0, 1.0), description="direction, in the first link's frame")


class Robot(Block):
    """A robot from its published description."""

    model: ExistingFile = Field(description="URDF (.urdf) or MJCF (.xml); relative to the file, or `package://…`")
    pose: Pose = Field(Pose(), description="of the robot's base, see [pose](#pose)")
    armature: NonNegative | None = Field(None, description="rotor inertia added to every joint [kg·m² or kg]")
    damping: NonNegative | None = Field(None, description="viscous damping of every joint [N·m·s/rad or N·s/m]")
    friction: NonNegative | None = Field(None, description="Coulomb coefficient of the links' surfaces")
    actuators: tuple[Actuators, ...] = Field((), description="see [robot.actuators](#robotactuators)")
    initial: dict[str, float] = Field({}, description="initial joint positions by name [rad or m]; else the model's")
    loops: tuple[Annotated[FourBar | Gear, Field(discriminator="type")], ...] = Field(
        (), description="with `adapter: native`; loops are closed from `initial`, see [robot.loops](#robotloops)"
    )
    pins: tuple[Pin, ...] = Field((), description="with `adapter: native`, see [robot.pins](#robotpins)")


class Hold(Block):
    """Every actuated joint is told to stay where it starts."""

    type: Literal["hold"]


class Waypoint(Block):
    """Targets at one time."""

    time: NonNegative = Field(description="[s]; the first waypoint is the initial state at time 0")
    joints: dict[str, float] = Field(description="target by joint name [rad or m]; what is not named stays as before")


class Trajectory(Block):
    """Targets through waypoints: a clamped cubic spline (at rest at both ends), or straight lines."""

    type: Literal["trajectory"]
    interpolation: Literal["spline", "linear"] = Field("spline", description="between waypoints")
    waypoints: tuple[Waypoint, ...] = Field(min_length=1, description="in order of time, see [waypoints](#waypoints)")


class Sine(Block):
    """Targets swing about the initial position: θ₀ + amplitude·sin(2π·frequency·t)."""

    type: Literal["sine"]
    joints: JointPattern = Field(description="a regular expression that matches whole joint names, or a list of names")
    amplitude: float = Field(description="[rad or m]")
    frequency: Positive = Field(description="[Hz]")


Controller = Annotated[Hold | Trajectory | Sine, Field(discriminator="type")]


class Scene(Block):
    """What every scene has."""

    adapter: str = Field(
        description="`mujoco`, `native` (our own dynamics), `none` (no robot), or the name of an installed adapter"
    )
    title: str = Field("", description="one line about the scene, shown when it runs")
    dt: Positive = Field(description="time step [s]")
    steps: Annotated[int, Field(gt=0)] = Field(description="number of steps")
    gravity: Vector3 = Field((0.0, 0.0, -9.81), description="[m/s²]")
    contact: Contact = Field(Contact(), description="see [contact](#contact)")
    config: dict[str, object] = Field({}, description="any other key of libuipc's scene configuration, nested as there")
    bodies: tuple[Body, ...] = Field((), description="see [bodies](#bodies)")
    ground: Ground | None = Field(None, description="see [ground](#ground); none where it is left out")
    view: View = Field(View(), description="see [view](#view)")


class RobotScene(Scene):
    """A robot moved by a multibody engine, and bodies that IPC moves."""

    robot: Robot = Field(description="see [robot](#robot)")
    integrator: Literal["Euler", "implicitfast", "implicit"] = Field(
        "implicitfast", description="of the multibody engine; `implicit` with `adapter: native` only"
    )
    controller: Controller = Field(Hold(type="hold"), description="see [controller](#controller); else hold")


class Joint(Block):
    """A joint between two bodies as they stand at the start, which is θ = 0."""

    name: str = Field(description="unique in the file")
    type: Literal["revolute", "prismatic"] = Field(description="kind of motion")
    parent: str = Field(description="name of the body that the motion is relative to")
    child: str = Field(description="name of the body that turns or slides")
    anchor: Vector3 = Field(description="a point on the axis, world frame [m]")
    axis: Vector3 = Field(
        description="direction, world frame: θ > 0 turns about it by the right-hand rule, or moves along"
    )
    length: Positive = Field(0.2, description="of the axis edge whose ends the joint holds together [m]")
    strength_ratio: Positive = Field(100.0, description="stiffness of the joint per mass of its bodies")


class Articulation(Block):
    """A prescribed motion of m joints: K = ½ (δθ - δθ̃)ᵀ M (δθ - δθ̃) with δθ̃ = velocity·dt."""

    joints: Names = Field(description="names of its joints, in the order of `mass` and `velocity`")
    mass: tuple[tuple[float, ...], ...] = Field(description="M, m x m, symmetric positive definite")
    velocity: tuple[float, ...] = Field(description="predicted joint velocity [rad/s or m/s]")


class ArticulationScene(Scene):
    """Affine bodies on joints, moved by articulations with a prescribed motion."""

    adapter: Literal["none"]
    stiffness: Positive = Field(1.0e8, description="of the bodies, against any deformation [Pa]")
    joints: tuple[Joint, ...] = Field((), description="see [joints](#joints)")
    articulations: tuple[Articulation, ...] = Field((), description="see [articulations](#articulations)")
