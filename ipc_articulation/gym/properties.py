"""Masses, friction and the robot of an episode: those of the scene file with the values that were drawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path as FilePath

from ipc_articulation.arguments import NOT_NEGATIVE, POSITIVE, refuse_unwanted
from ipc_articulation.coupling.coupling import Coupling
from ipc_articulation.coupling.properties import RobotProperties
from ipc_articulation.coupling.robots import DrivenRobot, Retunes
from ipc_articulation.errors import StateError
from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.document import Document
from ipc_articulation.scenefile.settings import path_parts
from ipc_articulation.scenefile.tree import Place
from ipc_articulation.simulation.bodies import GROUND, surface_and_solid
from ipc_articulation.simulation.materials import density_of, friction_of, own_friction
from ipc_articulation.simulation.robot_model import robot_setup
from ipc_articulation.simulation.variation import Drawn

Path = Sequence[str | int]

PROPERTIES = (  # beginnings of paths; None stands for a name or an index
    ("bodies", None, "mass"),
    ("bodies", None, "density"),
    ("bodies", None, "friction"),
    ("materials", None, "density"),
    ("materials", None, "friction"),
    ("ground", "friction"),
    ("walls", None, "friction"),
    ("robot", "friction"),
    ("contact", "friction"),
)
OF_ROBOT = (  # of a robot that can be retuned
    ("robot", "armature"),
    ("robot", "damping"),
    ("robot", "frictionloss"),
    ("robot", "actuators", None, "kp"),
    ("robot", "actuators", None, "kv"),
)


def begins_like(path: Path, forms: Iterable[Sequence[str | None]]) -> bool:
    """Whether a path begins like one of some forms, in which None stands for anything."""
    return any(
        len(path) >= len(form) and all(want in (None, part) for want, part in zip(form, path, strict=False))
        for form in forms
    )


def draws_robot(scene: schema.RobotScene) -> bool:
    """Whether a scene draws what a robot is retuned to."""
    return any(begins_like(parts_of(variation.path), OF_ROBOT) for variation in scene.randomise)


def parts_of(path: str) -> list[str | int]:
    """The keys and indices of a path.

    Raises:
        SceneFileError: It is none.
    """
    return path_parts(path, Place(FilePath()))


def refuse_draws(drawn: Drawn) -> None:
    """Refuse masses, coefficients and gains that nothing can have.

    Raises:
        StateError: One was drawn; names its path.
    """
    for path, value in drawn.items():
        parts = parts_of(path)
        if begins_like(parts, (*PROPERTIES, *OF_ROBOT)):
            wanted = POSITIVE if parts[-1] in ("mass", "density") else NOT_NEGATIVE
            refuse_unwanted(f"what was drawn for '{path}'", value, wanted, StateError)


class EpisodeRobot:
    """Retunes a robot to scenes that differ in what is drawn.

    Args:
        scene: As it was built.
        document: Of the scene.
        driven: Its robot.
    """

    def __init__(self, scene: schema.RobotScene, document: Document, driven: DrivenRobot) -> None:
        self._document, self._driven, self._is_drawn = document, driven, draws_robot(scene)

    def follow(self, scene: schema.RobotScene) -> None:
        """Take the numbers of a scene with values that were drawn."""
        if self._is_drawn and isinstance(self._driven, Retunes):
            self._driven.retune(robot_setup(scene, self._driven.tunable, self._document))


class EpisodeProperties:
    """Finds masses and friction of scenes that differ in what is drawn.

    All that may be drawn is given in every episode, so that nothing is left of the episode before.

    Args:
        scene: As it was built.
        coupling: Of its robot.
        paths: Of the values that are drawn.
    """

    def __init__(self, scene: schema.RobotScene, coupling: Coupling, paths: Sequence[Path]) -> None:
        self._has_mass = any(path[-1] in ("mass", "density") for path in paths)
        self._has_friction = any(path[-1] == "friction" for path in paths)
        bodies = scene.bodies if self._has_mass else ()
        unknown = [body for body in bodies if body.mass is None and not body.fixed]
        self._volume = {body.name: surface_and_solid(body.shape)[1].volume for body in unknown}
        of_file = {GROUND if scene.ground else "", *(thing.name for thing in (*scene.bodies, *scene.walls))}
        built = coupling.properties.built_frictions
        self._of_robot = {name: friction for name, friction in built.items() if name not in of_file}
        self._default = scene.contact.friction  # of surfaces of the robot without one of their own

    def of(self, scene: schema.RobotScene) -> RobotProperties:
        """Those of a scene."""
        free = [body for body in scene.bodies if not body.fixed] if self._has_mass else []
        mass = {body.name: _mass(scene, body, self._volume) for body in free}
        return RobotProperties(mass, self._frictions(scene) if self._has_friction else {})

    def _frictions(self, scene: schema.RobotScene) -> dict[str, float]:
        things: tuple[schema.BodyEntry | schema.WallEntry, ...] = (*scene.bodies, *scene.walls)
        found = {thing.name: friction_of(scene, thing) for thing in things}
        if scene.ground:
            found[GROUND] = friction_of(scene, scene.ground)
        own = own_friction(scene, scene.robot)
        for name, built in self._of_robot.items():
            default = scene.contact.friction if built == self._default else built
            found[name] = default if own is None else own
        return found


def _mass(scene: schema.RobotScene, body: schema.BodyEntry, volume: Mapping[str, float]) -> float:
    return density_of(scene, body) * volume[body.name] if body.mass is None else body.mass
