"""Contact of bodies, its friction and its resistance, in libuipc's contact table.

The table has contact elements, not bodies. Bodies with the same surface and the same rules for the same partners have
one element. Where parts of a body's surface differ in friction, each is a surface here, and the body's vertices have
the elements of their parts. Environments, isolated worlds in one scene, are libuipc's subscenes: bodies of two
environments do not touch each other; bodies in no environment touch those of all environments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement
from operator import attrgetter
from typing import Any, NamedTuple

import uipc

from ipc_articulation.coupling.adapter import ContactRule, CoupledBody, CoupledRobot, HalfPlane

_SIDES = attrgetter("first"), attrgetter("second")  # of a rule


class Surface(NamedTuple):
    """A body, one of its parts that differ in friction, or a half-plane."""

    name: str
    friction: float
    owner: CoupledBody | HalfPlane


def surfaces_of(robot: CoupledRobot) -> Iterator[Surface]:
    """All surfaces of a robot and its surroundings."""
    for entry in robot.parts:
        parts = entry.surface_parts if isinstance(entry, CoupledBody) else ()
        for part in parts or (entry,):
            yield Surface(part.name, part.friction, entry)


class Key(NamedTuple):
    """Surfaces with equal keys have the same element."""

    friction: float
    resistance: float | None
    untouchable: frozenset[str]  # names of bodies
    first: frozenset[int]  # numbers of the contact rules that have the surface or its body on their first side
    second: frozenset[int]


def make_contact_elements(scene: uipc.Scene, robot: CoupledRobot) -> dict[str, Any]:
    """Create the contact elements of one robot, see `contact_elements_of`."""
    return contact_elements_of(scene, [robot])[0]


def make_environments(scene: uipc.Scene, robot: CoupledRobot) -> dict[str, Any]:
    """Create the subscenes of one robot, see `environments_of`."""
    return environments_of(scene, [robot])[0]


def contact_elements_of(scene: uipc.Scene, robots: Sequence[CoupledRobot]) -> list[dict[str, Any]]:
    """Create elements for all bodies and half-planes of robots, and the table entries between them.

    The friction of two surfaces is the larger of the two coefficients, as in MuJoCo. Their resistance is the smaller
    one, or that of the scene's default contact model if neither has its own. `CoupledRobot.contact_rules` has priority
    over both. For contact with all other bodies of the scene the default model is used.

    Args:
        scene: The scene.
        robots: One robot; or several with the same rules for the same names, whose parts of one name are equal but in
            friction and resistance, and which do not touch each other.

    Returns:
        For each robot the contact element by the name of a surface; and of a body, that of its first part.
    """
    tabular, rules = scene.contact_tabular(), robots[0].contact_rules
    keys = [keys_of(robot) for robot in robots]
    owners = [{surface.name: surface.owner.name for surface in surfaces_of(robot)} for robot in robots]
    members: dict[Key, str] = {}
    elements: dict[Key, Any] = {}
    for by_name, owner in zip(keys, owners, strict=True):
        for name, key in by_name.items():
            if key not in members:
                members[key], elements[key] = owner[name], tabular.create(name)
    default = tabular.default_model().resistance()
    for left, right in combinations_with_replacement(elements, 2):
        touch = members[right] not in left.untouchable
        tabular.insert(elements[left], elements[right], *_entry(left, right, default, touch, rules))
    return [
        _by_name(robot, {name: elements[key] for name, key in by_name.items()})
        for robot, by_name in zip(robots, keys, strict=True)
    ]


def _by_name(robot: CoupledRobot, elements: dict[str, Any]) -> dict[str, Any]:
    """The elements of all surfaces, and those of the bodies that have parts."""
    cut = [body for body in robot.placed if body.surface_parts]
    return elements | {body.name: elements[body.surface_parts[0].name] for body in cut}


def environments_of(scene: uipc.Scene, robots: Sequence[CoupledRobot]) -> list[dict[str, Any]]:
    """Create a subscene for each environment of some robots.

    Returns:
        For each robot the subscene element by the name of a body or half-plane.
    """
    tabular = scene.subscene_tabular()
    names = sorted({entry.environment for robot in robots for entry in robot.parts} - {""})
    elements = {"": tabular.default_element()} | {name: tabular.create(name) for name in names}
    for a, b in combinations(elements, 2):
        tabular.insert(elements[a], elements[b], a == "")  # that of bodies in all environments comes first
    return [{entry.name: elements[entry.environment] for entry in robot.parts} for robot in robots]


def _entry(
    left: Key, right: Key, default: float, touch: bool, rules: tuple[ContactRule, ...]
) -> tuple[float, float, bool]:
    """Friction and resistance of two elements, and whether they may touch."""
    resistance = min((r for r in (left.resistance, right.resistance) if r is not None), default=default)
    for rule in _between(left, right, rules):
        resistance = resistance if rule.resistance is None else rule.resistance
        touch = touch if rule.enabled is None else rule.enabled
    return friction_of(left, right, rules), resistance, touch


def friction_of(left: Key, right: Key, rules: tuple[ContactRule, ...]) -> float:
    """Coulomb coefficient of two elements: the larger one, unless a rule has another."""
    given = [rule.friction for rule in _between(left, right, rules) if rule.friction is not None]
    return given[-1] if given else max(left.friction, right.friction)


def _between(left: Key, right: Key, rules: tuple[ContactRule, ...]) -> Iterator[ContactRule]:
    """The rules with one element on each side, in their order."""
    for number in sorted(left.first & right.second | left.second & right.first):
        yield rules[number]


def keys_of(robot: CoupledRobot) -> dict[str, Key]:
    """The key of each surface.

    Any two surfaces with the same key have the same relation to each other, so one entry of the table is enough.
    """
    partners: dict[str, set[str]] = {}
    for pair in map(tuple, robot.untouchable):
        partners.setdefault(pair[0], set()).add(pair[-1])
        partners.setdefault(pair[-1], set()).add(pair[0])
    rules = list(enumerate(robot.contact_rules))
    keys = {}
    for name, friction, owner in surfaces_of(robot):
        names = {name, owner.name}
        first, second = (
            frozenset(number for number, rule in rules if not names.isdisjoint(side(rule))) for side in _SIDES
        )
        keys[name] = Key(friction, owner.resistance, frozenset(partners.get(owner.name, ())), first, second)
    return keys
