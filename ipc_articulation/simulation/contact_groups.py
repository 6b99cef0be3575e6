"""Names in rules of contact: of a material, a body, a link, a wall, the ground, or an expression for several."""

from __future__ import annotations

from collections.abc import Sequence

from ipc_articulation.coupling.adapter import ContactRule, CoupledRobot
from ipc_articulation.errors import AdapterError
from ipc_articulation.naming import matching
from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.document import Document, Location
from ipc_articulation.simulation.bodies import GROUND


def contact_rules(mechanism: CoupledRobot, scene: schema.Scene, document: Document) -> tuple[ContactRule, ...]:
    """The rules of `contact.pairs`.

    Raises:
        SceneFileError: A rule names nothing that there is.
    """
    rules = []
    for index, pair in enumerate(scene.contact.pairs):
        place = ("contact", "pairs", index, "between")
        first, second = names_of_sides(pair.between, place, mechanism, scene, document)
        rules.append(ContactRule(first, second, pair.friction, pair.resistance, pair.enabled))
    return tuple(rules)


def names_of_sides(
    patterns: Sequence[str], place: Location, mechanism: CoupledRobot, scene: schema.Scene, document: Document
) -> list[frozenset[str]]:
    """`names_of` for each side of a pair at a place of the file.

    Raises:
        SceneFileError: A side names no existing body or half-plane.
    """
    sides = []
    for side, pattern in enumerate(patterns):
        with document.blame(*place, side):
            sides.append(names_of(pattern, mechanism, scene))
    return sides


def names_of(pattern: str, mechanism: CoupledRobot, scene: schema.Scene) -> frozenset[str]:
    """Names of bodies, soft ones too, and half-planes that a material's name or an expression stands for.

    Raises:
        AdapterError: Nothing has such a name, or the text is no regular expression.
    """
    by_name = {_file_name(part.name): part.name for part in mechanism.parts}
    by_name |= {body.name: body.name for body in scene.soft_bodies}
    if pattern in scene.materials:
        return frozenset(name for known, name in by_name.items() if _material(known, scene) == pattern)
    found = matching(pattern, list(by_name), "material, body, link or wall", AdapterError)
    names = list(by_name.values())
    return frozenset(names[index] for index in found)


def _file_name(name: str) -> str:
    """The name in a scene file: a robot's file may bring the ground, as a geom of the world."""
    return GROUND if name == f"world/{GROUND}" else name


def _material(name: str, scene: schema.Scene) -> str | None:
    materials = {thing.name: thing.material for thing in (*scene.bodies, *scene.walls, *scene.soft_bodies)}
    if scene.ground:
        materials[GROUND] = scene.ground.material
    return materials.get(name, scene.robot.material if isinstance(scene, schema.RobotScene) else None)
