"""Names in rules of contact: of a material, a body, a link, a wall, the ground, or an expression for several."""

from __future__ import annotations

from ipc_articulation.coupling.adapter import ContactRule, CoupledRobot
from ipc_articulation.errors import AdapterError
from ipc_articulation.naming import matching
from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.document import Document
from ipc_articulation.simulation.bodies import GROUND


def contact_rules(mechanism: CoupledRobot, scene: schema.Scene, document: Document) -> tuple[ContactRule, ...]:
    """The rules of `contact.pairs`.

    Raises:
        SceneFileError: A rule names nothing that there is.
    """
    pairs = []
    for index, pair in enumerate(scene.contact.pairs):
        groups = []
        for side, pattern in enumerate(pair.between):
            with document.blame("contact", "pairs", index, "between", side):
                groups.append(names_of(pattern, mechanism, scene))
        pairs.append(ContactRule(groups[0], groups[1], pair.friction, pair.resistance, pair.enabled))
    return tuple(pairs)


def names_of(pattern: str, mechanism: CoupledRobot, scene: schema.Scene) -> frozenset[str]:
    """Names of bodies and half-planes of a mechanism that a material's name or an expression stands for.

    Raises:
        AdapterError: There are none; or it is no regular expression.
    """
    by_name = {_file_name(part.name): part.name for part in mechanism.parts}
    if pattern in scene.materials:
        return frozenset(name for known, name in by_name.items() if _material(known, scene) == pattern)
    found = matching(pattern, list(by_name), "material, body, link or wall", AdapterError)
    names = list(by_name.values())
    return frozenset(names[index] for index in found)


def _file_name(name: str) -> str:
    """The name in a scene file: a robot's file may bring the ground, as a geom of the world."""
    return GROUND if name == f"world/{GROUND}" else name


def _material(name: str, scene: schema.Scene) -> str | None:
    things: dict[str, schema.BodyEntry | schema.WallEntry | schema.GroundEntry] = {
        thing.name: thing for thing in scene.bodies
    }
    things |= {wall.name: wall for wall in scene.walls}
    if scene.ground:
        things[GROUND] = scene.ground
    if name in things:
        return things[name].material
    return scene.robot.material if isinstance(scene, schema.RobotScene) else None
