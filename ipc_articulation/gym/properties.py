"""Masses and friction of an episode: those of the scene file with the values that were drawn."""

from __future__ import annotations

from collections.abc import Sequence

from ipc_articulation.coupling.coupling import Coupling
from ipc_articulation.coupling.properties import RobotProperties
from ipc_articulation.scenefile import schema
from ipc_articulation.simulation.bodies import GROUND, surface_and_solid
from ipc_articulation.simulation.materials import density_of, friction_of, own_friction

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
        mass = {body.name: body.mass or density_of(scene, body) * self._volume[body.name] for body in free}
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
