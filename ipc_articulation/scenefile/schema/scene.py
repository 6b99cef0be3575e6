"""The two kinds of scenes, by the key `adapter`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ipc_articulation.scenefile.keys import Block
from ipc_articulation.scenefile.schema.articulated import Articulation, Joint
from ipc_articulation.scenefile.schema.bodies import Body, Ground
from ipc_articulation.scenefile.schema.contact import Contact
from ipc_articulation.scenefile.schema.controllers import Controller, Hold
from ipc_articulation.scenefile.schema.robot import Robot
from ipc_articulation.scenefile.schema.values import Positive, Vector3
from ipc_articulation.scenefile.schema.view import View


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


class ArticulationScene(Scene):
    """Affine bodies on joints, moved by articulations with a prescribed motion."""

    adapter: Literal["none"]
    stiffness: Positive = Field(1.0e8, description="of the bodies, against any deformation [Pa]")
    joints: tuple[Joint, ...] = Field((), description="see [joints](#joints)")
    articulations: tuple[Articulation, ...] = Field((), description="see [articulations](#articulations)")
