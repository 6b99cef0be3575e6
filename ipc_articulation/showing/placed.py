"""The start of a scene file: everything that has a place in it, also of a scene that cannot run.

No engine is started and no controller is made, so that what these would refuse is drawn all the same. A key that does
not say where something is, and is refused, is left out; the reason goes with the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ipc_articulation.checking.start import things_of
from ipc_articulation.coupling.adapter import CoupledRobot, HalfPlane
from ipc_articulation.errors import SceneFileError, ViewingError
from ipc_articulation.recording import Scenery, SoftShape, Surface
from ipc_articulation.recording.scenery import Camera
from ipc_articulation.repairs import summed
from ipc_articulation.running.loop import scenery_of
from ipc_articulation.scenefile.document import Document
from ipc_articulation.scenefile.reading import AnyScene
from ipc_articulation.scenefile.schema import ArticulationScene, RobotScene
from ipc_articulation.showing.joints import PlacedJoint, joints_of_file, joints_of_robot
from ipc_articulation.showing.overlaps import DeepOverlap, deep_overlaps
from ipc_articulation.simulation.variation import with_drawn_values

_OF_ROBOT = ("actuators", "armature", "damping", "frictionloss", "initial_velocity", "loops", "pins", "untouchable")
_OF_SCENE = ("soft", "cloth", "rods", "articulations")


@dataclass(frozen=True)
class Placed:
    """A scene at time 0.

    Attributes:
        scenery: What pictures show.
        robot: All bodies and half-planes.
        joints: All joints that have a place.
        overlaps: Of surfaces that may touch each other, the deepest first.
        refused: Why keys were left out, if any were.
    """

    scene: AnyScene
    scenery: Scenery
    robot: CoupledRobot
    joints: tuple[PlacedJoint, ...]
    overlaps: tuple[DeepOverlap, ...]
    refused: str = ""


@dataclass
class _Built:
    """As `Shown`, with what moves."""

    robot: CoupledRobot
    surfaces: tuple[Surface, ...]
    soft_shapes: tuple[SoftShape, ...]
    planes: tuple[HalfPlane, ...]
    cameras: tuple[Camera, ...]
    joints: tuple[PlacedJoint, ...]


def place(scene: AnyScene, document: Document, environment: int | None = None) -> Placed:
    """Place everything of a scene.

    Args:
        scene: From `read_scene`.
        document: From `read_scene`.
        environment: Whose random values are drawn, where there are many environments; None: the first one's.

    Raises:
        SceneFileError: Robot and bodies cannot be placed; with the place in the file.
        ViewingError: There is no such environment.
    """
    number = _number(scene, environment)
    scene, document = with_drawn_values(scene, document, number)[:2]
    refused = ""
    try:
        built = _built(scene, document)
    except SceneFileError as error:
        scene, built = _without_refused(scene, document, error)
        refused = str(error)
    things = things_of(built.robot, scene, built.soft_shapes)
    overlaps = deep_overlaps(built.robot, things, scene)
    return Placed(scene, scenery_of(scene, built), built.robot, built.joints, overlaps, refused)


def _number(scene: AnyScene, environment: int | None) -> int | None:
    """The number that random values of an environment are drawn with; None in a scene without environments."""
    many = scene.environments if isinstance(scene, RobotScene) else None
    if many is None:
        if environment is None:
            return None
        raise ViewingError("the scene has no environments: it is of a single robot")
    if environment is not None and environment >= many.count:
        raise ViewingError(f"the scene has no environment {environment}; valid: 0 to {many.count - 1}")
    return many.first + (environment or 0)


def _without_refused(scene: AnyScene, document: Document, error: SceneFileError) -> tuple[AnyScene, _Built]:
    """The scene without the one key that is refused, or else without all that it can do without."""
    for part in _parts(scene, document):
        try:
            return part, _built(part, document)
        except SceneFileError:
            continue
    raise error


def _parts(scene: AnyScene, document: Document) -> Iterator[AnyScene]:
    """Scenes without a key that does not place a body, then without all of them."""
    whole: AnyScene = scene
    keys = [key for key in _OF_SCENE if getattr(scene, key, ())]
    ways: list[dict[str, Any]] = [{key: ()} for key in keys]
    if scene.contact.pairs:
        ways.append({"contact": scene.contact.model_copy(update={"pairs": ()})})
    if isinstance(scene, RobotScene):
        ways += [{"robot": robot} for robot in _robots(scene, document)]
    for way in ways:
        yield scene.model_copy(update=way)
        whole = whole.model_copy(update=way)
    yield whole


def _robots(scene: RobotScene, document: Document) -> Iterator[Any]:
    """Robots without one key each, with only those initial positions whose joints there are, and without any key."""
    robot, fields = scene.robot, type(scene.robot).model_fields
    bare: dict[str, Any] = {key: fields[key].get_default() for key in _OF_ROBOT}
    yield from (robot.model_copy(update={key: default}) for key, default in bare.items() if getattr(robot, key))
    bare["initial"] = _known_start(scene, document)
    yield robot.model_copy(update={"initial": bare["initial"]})
    yield robot.model_copy(update=bare)


def _known_start(scene: RobotScene, document: Document) -> dict[str, float]:
    from ipc_articulation.simulation.robot_model import scene_model

    known = scene_model(scene, document).joint_names
    return {name: value for name, value in scene.robot.initial.items() if name in known}


def _built(scene: AnyScene, document: Document) -> _Built:
    from ipc_articulation.simulation.world import make_uipc_scene

    uipc_scene = make_uipc_scene(scene, document)
    if isinstance(scene, ArticulationScene):
        from ipc_articulation.simulation.articulation_scene import fill

        parts = fill(uipc_scene, scene, document)
        robot, joints = parts.mechanism, joints_of_file(scene)
        return _Built(robot, parts.surfaces, parts.soft.shapes, robot.planes, robot.cameras, joints)
    return _of_robot(uipc_scene, scene, document)


def _of_robot(uipc_scene: Any, scene: RobotScene, document: Document) -> _Built:
    from ipc_articulation.coupling import couple
    from ipc_articulation.simulation.robot_model import make_model
    from ipc_articulation.simulation.robot_surfaces import surfaces_of
    from ipc_articulation.simulation.soft.bodies import SoftBodies
    from ipc_articulation.simulation.surroundings import complete

    with summed(scene.robot.model), document.blame("robot"):
        adapter = make_model(scene, document).adapter
        coupling = couple(uipc_scene, adapter, complete=lambda m: complete(m, scene, document), settings="scene")
    robot = coupling.robot
    soft = SoftBodies(uipc_scene, scene, document, robot).shapes
    surfaces = surfaces_of(robot, coupling.visuals)
    return _Built(robot, surfaces, soft, robot.planes, robot.cameras, joints_of_robot(robot, adapter))
