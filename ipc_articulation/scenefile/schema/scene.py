"""The two kinds of scenes, by the key `adapter`, with their variations, checkpoints and camera."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from ipc_articulation.scenefile.keys import Block, Complaint
from ipc_articulation.scenefile.schema.articulated import ArticulationEntry, JointEntry
from ipc_articulation.scenefile.schema.bodies import BodyEntry, GroundEntry, WallEntry
from ipc_articulation.scenefile.schema.contact import ContactEntry, MaterialEntry
from ipc_articulation.scenefile.schema.controllers import ControllerEntry, HoldEntry
from ipc_articulation.scenefile.schema.robot import RobotEntry
from ipc_articulation.scenefile.schema.signals import ObserveEntry, RewardEntry
from ipc_articulation.scenefile.schema.soft import ClothEntry, RodEntry, SoftEntry
from ipc_articulation.scenefile.schema.task import ActEntry, EpisodeEntry, MarkEntry
from ipc_articulation.scenefile.schema.values import Name, NonNegative, Positive, Vector3, refusal


class VariationEntry(Block):
    """A random number is added to a value, or to each number of a list; `seed` determines the random numbers."""

    path: str = Field(description="path of the value, such as `bodies.crate.pose.position` or `robot.friction`")
    uniform: tuple[float, float] | None = Field(None, description="uniformly distributed between these bounds")
    normal: NonNegative | None = Field(
        None, description="instead: normally distributed, with mean 0 and this standard deviation"
    )
    relative: bool = Field(
        False, description="true: the random number is a fraction of the value, which becomes value·(1 + random)"
    )

    def complaints(self) -> Iterator[Complaint]:
        """Exactly one distribution is given; its bounds are in order."""
        if self.uniform is not None and self.uniform[0] > self.uniform[1]:
            yield ("uniform",), "the first bound must not exceed the second"
        if (self.uniform is None) == (self.normal is None):
            yield (), "give either `uniform`, two bounds, or `normal`, a standard deviation"


class EnvironmentsEntry(Block):
    """Many copies of the robot and of all bodies in one scene, which never touch each other.

    `randomise` is drawn for each of them. `environments: 64` is short for `environments: {count: 64}`.
    """

    count: Annotated[int, Field(gt=0, le=100_000)] = Field(description="how many")
    first: Annotated[int, Field(ge=0)] = Field(
        0, description="number of the first one, to run some of them again: its random numbers depend on it"
    )
    failing: Literal["raise", "reset", "stop"] = Field(
        "raise",
        description="what follows where the step of one fails: `raise` ends the run, `reset` puts this one back to its "
        "start, `stop` also lets its robot rest there; the others go on",
    )

    @model_validator(mode="before")
    @classmethod
    def _of_a_number(cls, data: Any) -> Any:
        if type(data) is int:
            return {"count": data}
        if not isinstance(data, dict | EnvironmentsEntry):
            got = list(data) if isinstance(data, tuple) else data
            raise refusal(f"environments should be a whole number, or a mapping with the key `count`; got {got!r}")
        return data


class CheckpointEntry(Block):
    """How often the complete state is saved; also saved at the end and when rows are written to disk."""

    every: Annotated[int, Field(gt=0)] | None = Field(
        None, description="number of steps between checkpoints; default: every few seconds"
    )


class ViewEntry(Block):
    """Camera of the final picture; missing values are chosen so that all bodies are visible."""

    eye: Vector3 | None = Field(None, description="position of the camera [m]")
    target: Vector3 | None = Field(None, description="point that the camera looks at [m]")

    def complaints(self) -> Iterator[Complaint]:
        """The camera has a direction."""
        if self.eye is not None and self.eye == self.target:
            yield ("eye",), "`eye` and `target` are the same point, so the camera has no direction; change one of them"


class CameraEntry(Block):
    """A camera with a name, for `--camera NAME`; it stands in the world, or on a link or body."""

    name: Name = Field(description="unique in the file; goes before a camera of this name in the robot's file")
    eye: Vector3 = Field(description="position of the camera, in the frame of the body that it is on [m]")
    target: Vector3 = Field((0.0, 0.0, 0.0), description="where it looks, in the frame of `at` [m]")
    on: str = Field("", description="link or body with which it moves and turns; default: the world")
    at: str | None = Field(None, description="link or body that it looks at; default: that which it is on")
    angle: Annotated[float, Field(gt=0, lt=180)] = Field(30.0, description="of the picture's height [degrees]")


class Scene(Block):
    """Keys of every scene."""

    adapter: str = Field(
        description="`mujoco`, `native` (our own dynamics), `pinocchio`, `dart`, `none` (no robot), or the name of an "
        "installed adapter"
    )
    include: str | tuple[str, ...] = Field((), description="files that this one extends, see [above](#includes)")
    variables: dict[str, object] = Field({}, description="values by name, for `${name}`, see [above](#variables)")
    title: str = Field("", description="one line about the scene, shown when it runs")
    dt: Positive = Field(description="time step [s]")
    steps: Annotated[int, Field(gt=0, le=1_000_000_000)] = Field(description="number of steps")
    gravity: Vector3 = Field((0.0, 0.0, -9.81), description="[m/s²]")
    seed: Annotated[int, Field(ge=0)] = Field(
        0, description="seed of all random numbers: `randomise`, Python controllers"
    )
    randomise: tuple[VariationEntry, ...] = Field((), description="values drawn by `seed`, see [randomise](#randomise)")
    contact: ContactEntry = Field(ContactEntry(), description="see [contact](#contact)")
    config: dict[str, object] = Field({}, description="any other key of libuipc's scene configuration, nested as there")
    materials: dict[Name, MaterialEntry] = Field({}, description="by name, see [materials](#materials)")
    bodies: tuple[BodyEntry, ...] = Field((), description="see [bodies](#bodies)")
    soft: tuple[SoftEntry, ...] = Field((), description="soft solids, see [soft](#soft)")
    cloth: tuple[ClothEntry, ...] = Field((), description="see [cloth](#cloth)")
    rods: tuple[RodEntry, ...] = Field((), description="rods and cables, see [rods](#rods)")
    ground: GroundEntry | None = Field(None, description="see [ground](#ground); default: no ground")
    walls: tuple[WallEntry, ...] = Field((), description="see [walls](#walls)")
    checkpoint: CheckpointEntry = Field(CheckpointEntry(), description="see [checkpoint](#checkpoint)")
    cameras: tuple[CameraEntry, ...] = Field((), description="see [cameras](#cameras)")
    view: ViewEntry = Field(ViewEntry(), description="see [view](#view)")

    @property
    def soft_bodies(self) -> tuple[SoftEntry | ClothEntry | RodEntry, ...]:
        """Solids, cloth, rods."""
        return (*self.soft, *self.cloth, *self.rods)


class RobotScene(Scene):
    """A robot moved by a multibody engine, and bodies simulated by IPC."""

    robot: RobotEntry = Field(description="see [robot](#robot)")
    integrator: Literal["Euler", "implicitfast", "implicit", "momentum"] = Field(
        "implicitfast",
        description="of the multibody engine; only with `adapter: native`: `implicit`, and `momentum`, which also "
        "keeps the momentum of a robot that floats",
    )
    environments: EnvironmentsEntry | None = Field(
        None, description="number of copies, or see [environments](#environments); default: one robot, by itself"
    )
    controller: ControllerEntry | None = Field(None, description="see [controller](#controller); default: `hold`")
    controllers: tuple[ControllerEntry, ...] = Field(
        (), description="several [controllers](#controller), each for different joints, instead of `controller`"
    )
    marks: tuple[MarkEntry, ...] = Field(
        (), description="points with names for [learning](#learning), see [marks](#marks)"
    )
    observe: tuple[ObserveEntry, ...] = Field(
        (), description="what is observed, one after the other, see [observe](#observe)"
    )
    reward: tuple[RewardEntry, ...] = Field(
        (), description="terms whose sum is the reward of an action, see [reward](#reward)"
    )
    act: tuple[ActEntry, ...] = Field((), description="what actions do, one after the other, see [act](#act)")
    episode: EpisodeEntry = Field(EpisodeEntry(), description="see [episode](#episode)")

    def complaints(self) -> Iterator[Complaint]:
        """The adapter has the integrator, and controllers are given under one key."""
        adapter = getattr(self, "adapter", "")
        if adapter in ("mujoco", "pinocchio", "dart") and self.integrator in ("implicit", "momentum"):
            which = f"integrator '{self.integrator}'"
            yield ("integrator",), f"{which} needs adapter native; with adapter {adapter} use Euler or implicitfast"
        if self.controller is not None and self.controllers:
            yield ("controllers",), "give `controller` or `controllers`, not both"

    @property
    def engine_dt(self) -> float:
        """Length of the multibody engine's own steps [s]."""
        return self.dt / self.robot.substeps

    @property
    def all_controllers(self) -> tuple[ControllerEntry, ...]:
        """The controllers of the file; one of type `hold` if it has none."""
        if self.controllers:
            return self.controllers
        return (HoldEntry(type="hold") if self.controller is None else self.controller,)


class ArticulationScene(Scene):
    """Affine bodies on joints, moved by articulations with a prescribed motion."""

    adapter: Literal["none"]
    stiffness: Positive = Field(1.0e8, description="of the bodies, against any deformation [Pa]")
    joints: tuple[JointEntry, ...] = Field((), description="see [joints](#joints)")
    articulations: tuple[ArticulationEntry, ...] = Field((), description="see [articulations](#articulations)")
