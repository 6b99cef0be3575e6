"""The libuipc scene of a scene file with its configuration, and the world on an engine."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ipc_articulation.contact.materials import BY_LOAD
from ipc_articulation.errors import DumpError, OverlapError, SceneError
from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.checks import SOFT
from ipc_articulation.scenefile.document import Document, Location, SceneProblem
from ipc_articulation.simulation.configuration import configure, make_scene

if TYPE_CHECKING:
    import uipc


def make_uipc_scene(scene: schema.Scene, document: Document) -> uipc.Scene:
    """An empty libuipc scene configured as the file says.

    Raises:
        SceneFileError: A key under `config` is none of libuipc's.
    """
    import uipc

    from ipc_articulation.coupling.settings import converge
    from ipc_articulation.frontend.friction_law import choose_friction, choose_friction_iterations
    from ipc_articulation.frontend.robot_tolerances import ask_for_robots

    uipc.Logger.set_level(uipc.Logger.Level.Error)
    config = uipc.Scene.default_config()
    converge(config)
    configure(config, scene.config, document)
    config["dt"] = scene.dt
    config["gravity"] = [[component] for component in scene.gravity]
    config["contact"]["enable"] = scene.contact.enabled
    config["contact"]["d_hat"] = scene.contact.d_hat
    made = make_scene(config, document)
    resistance = BY_LOAD if scene.contact.resistance is None else scene.contact.resistance
    made.contact_tabular().default_model(scene.contact.friction, resistance)
    choose_friction(made, scene.contact.friction_law == "anchored")
    choose_friction_iterations(made, scene.contact.friction_iterations)
    ask_for_robots(made)
    return made


def start_world(
    uipc_scene: uipc.Scene, scene: schema.Scene, document: Document, engine_name: str, workspace: Path
) -> tuple[Any, uipc.World]:
    """The engine and an initialised world; the engine must be kept for as long as the world is used.

    Raises:
        EngineError: There is no such engine here.
        SceneFileError: Bodies intersect at the start; the place is that of a body.
        UnsupportedError: The scene holds something that the engine does not do.
    """
    import uipc

    from ipc_articulation.engine import Engine

    engine = Engine(engine_name, workspace)
    world = uipc.World(engine)
    uipc.Logger.set_level(uipc.Logger.Level.Critical)  # or every pair of triangles that intersects is listed
    try:
        world.init(uipc_scene)
    except SceneError as error:
        look = f"; see them: {show_command(document)}" if isinstance(error, OverlapError) else ""
        raise document.error([SceneProblem(_first_named(scene, str(error)), f"{error}{look}")]) from error
    finally:
        uipc.Logger.set_level(uipc.Logger.Level.Error)
    return engine, world


def show_command(document: Document) -> str:
    """The command that draws the start of a scene file."""
    settings = [text for key, value in document.settings.items() for text in ("--set", f"{key}={json.dumps(value)}")]
    return shlex.join(["ipc-articulation", "show", str(document.file), *settings])


def dump_world(world: uipc.World) -> None:
    """Bring the engine's state to disk.

    Raises:
        DumpError: The engine keeps none.
    """
    if not world.dump():
        raise DumpError("this engine writes no dumps")


def recover_world(world: uipc.World, frame: int) -> None:
    """Resume from a dump of the engine, geometries included.

    Raises:
        DumpError: There is none of this frame, or it is damaged or of another scene.
    """
    if not world.recover(frame):
        raise DumpError(f"the engine has no dump of step {frame}")
    world.retrieve()


def _first_named(scene: schema.Scene, message: str) -> Location:
    """The first body of the file that a message names, soft ones last; the top of the file where it names none."""
    places = [(("bodies", index), body.name) for index, body in enumerate(scene.bodies)]
    places += [((key, index), body.name) for key in SOFT for index, body in enumerate(getattr(scene, key))]
    return next((place for place, name in places if f"'{name}'" in message), ())
