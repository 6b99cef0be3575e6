"""The two kinds of scenes, by the key `adapter`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ipc_articulation.scenefile.keys import Block
from ipc_articulation.scenefile.schema.articulated import Articulation, Joint
from ipc_articulation.scenefile.schema.bodies import Body, Ground, Wall
from ipc_articulation.scenefile.schema.checkpoint import Checkpoint
from ipc_articulation.scenefile.schema.contact import Contact, Material
from ipc_articulation.scenefile.schema.controllers import Controller, Hold
from ipc_articulation.scenefile.schema.robot import Robot
from ipc_articulation.scenefile.schema.values import Positive, Vector3
from ipc_articulation.scenefile.schema.variation import Variation
from ipc_articulation.scenefile.schema.view import View


class Scene(Block):
    """What every scene has."""

    adapter: str = Field(
        description="`mujoco`, `native` (our own dynamics), `none` (no robot), or the name of an installed adapter"
    )
    include: str | tuple[str, ...] = Field((), description="files to build on, see [above](#includes)")
    variables: dict[str, object] = Field({}, description="values by name, for `${name}`, see [above](#variables)")
    title: str = Field("", description="one line about the scene, shown when it runs")
    dt: Positive = Field(description="time step [s]")
    steps: Annotated[int, Field(gt=0, le=1_000_000_000)] = Field(description="number of steps")
    gravity: Vector3 = Field((0.0, 0.0, -9.81), description="[m/s²]")
    seed: Annotated[int, Field(ge=0)] = Field(0, description="of everything random: `randomise`, Python controllers")
    randomise: tuple[Variation, ...] = Field((), description="values drawn by `seed`, see [randomise](#randomise)")
    contact: Contact = Field(Contact(), description="see [contact](#contact)")
    config: dict[str, object] = Field({}, description="any other key of libuipc's scene configuration, nested as there")
    materials: dict[str, Material] = Field({}, description="by name, see [materials](#materials)")
    bodies: tuple[Body, ...] = Field((), description="see [bodies](#bodies)")
    ground: Ground | None = Field(None, description="see [ground](#ground); none where it is left out")
    walls: tuple[Wall, ...] = Field((), description="see [walls](#walls)")
    checkpoint: Checkpoint = Field(Checkpoint(), description="see [checkpoint](#checkpoint)")
    view: View = Field(View(), description="see [view](#view)")


class RobotScene(Scene):
    """A robot moved by a multibody engine, and bodies that IPC moves."""

    robot: Robot = Field(description="see [robot](#robot)")
    integrator: Literal["Euler", "implicitfast", "implicit"] = Field(
        "implicitfast", description="of the multibody engine; `implicit` with `adapter: native` only"
    )
    controller: Controller | None = Field(None, description="see [controller](#controller); else hold")
    controllers: tuple[Controller, ...] = Field(
        (), description="several [controllers](#controller), each of other joints, instead of `controller`"
    )

    @property
    def all_controllers(self) -> tuple[Controller, ...]:
        """One or several, or the one that holds where the file names none."""
        if self.controllers:
            return self.controllers
        return (Hold(type="hold") if self.controller is None else self.controller,)


class ArticulationScene(Scene):
    """Affine bodies on joints, moved by articulations with a prescribed motion."""

    adapter: Literal["none"]
    stiffness: Positive = Field(1.0e8, description="of the bodies, against any deformation [Pa]")
    joints: tuple[Joint, ...] = Field((), description="see [joints](#joints)")
    articulations: tuple[Articulation, ...] = Field((), description="see [articulations](#articulations)")
