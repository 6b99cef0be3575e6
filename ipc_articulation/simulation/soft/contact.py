"""Contact of soft bodies with everything else, in libuipc's contact table.

Each soft body has a contact element of its own. As of rigid bodies, the friction of two surfaces is the larger one,
their resistance the smaller one; the rules of the scene have priority, the last of them over the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from typing import Any

from uipc.core import ContactElement, SubsceneElement

from ipc_articulation.coupling.adapter import ContactRule, CoupledBody, CoupledRobot
from ipc_articulation.frontend.attributes import read_meta, require


@dataclass(frozen=True)
class Touching:
    """What contact needs to know of a surface."""

    name: str
    friction: float
    resistance: float | None  # [Pa]; None: that of the scene
    environment: str
    touches_itself: bool = True


class SoftContact:
    """Contact elements and subscenes of the soft bodies of a scene."""

    def __init__(self, uipc_scene: Any, mechanism: CoupledRobot, soft: Iterable[Touching]) -> None:
        """Make them, with their entries in the tables.

        Args:
            uipc_scene: The scene, with all rigid bodies and half-planes.
            mechanism: Its description, with rules and pairs that name soft bodies too.
            soft: The soft bodies.
        """
        self._mechanism, soft = mechanism, list(soft)
        tabular = uipc_scene.contact_tabular()
        self._default = tabular.default_model().resistance()
        placed = _placed(uipc_scene, mechanism)
        self._elements = {body.name: tabular.create(body.name) for body in soft}
        for first, second in combinations_with_replacement(soft, 2):
            tabular.insert(self._elements[first.name], self._elements[second.name], *self._entry(first, second))
        for number, part in placed.elements.items():
            other = Touching(part.name, part.friction, part.resistance, part.environment)
            for body in soft:
                element = ContactElement(number, part.name)
                tabular.insert(self._elements[body.name], element, *self._entry(body, other))
        self._subscenes = _subscenes(uipc_scene.subscene_tabular(), placed.subscenes, soft)

    def apply_to(self, name: str, environment: str, geometry: Any) -> None:
        """Give a soft body's geometry its element and subscene."""
        self._elements[name].apply_to(geometry)
        self._subscenes[environment].apply_to(geometry)

    def _entry(self, first: Touching, second: Touching) -> tuple[float, float, bool]:
        """Friction and resistance of two surfaces, and whether they may touch."""
        friction = max(first.friction, second.friction)
        given = [r for r in (first.resistance, second.resistance) if r is not None]
        resistance = min(given, default=self._default)
        is_same = first.name == second.name
        touch = first.touches_itself if is_same else {first.name, second.name} not in self._mechanism.untouchable
        for rule in self._rules(first.name, second.name):
            friction = friction if rule.friction is None else rule.friction
            resistance = resistance if rule.resistance is None else rule.resistance
            touch = touch if rule.enabled is None else rule.enabled
        return friction, resistance, touch

    def _rules(self, a: str, b: str) -> list[ContactRule]:
        rules = self._mechanism.contact_rules
        return [r for r in rules if (a in r.first and b in r.second) or (b in r.first and a in r.second)]


@dataclass(frozen=True)
class _Placed:
    elements: dict[int, Any]  # one of the bodies or half-planes of each contact element
    subscenes: dict[str, int]  # number of each environment's subscene


def _placed(uipc_scene: Any, mechanism: CoupledRobot) -> _Placed:
    """Elements and subscenes of rigid bodies and half-planes that are in the scene.

    Those that share an element have the same friction, resistance and rules.
    """
    parts = {part.name: part for part in mechanism.parts}
    elements: dict[int, Any] = {}
    subscenes: dict[str, int] = {}
    for geometry in _geometries(uipc_scene, parts):
        part = parts[read_meta(geometry, "name", "")]
        if isinstance(part, CoupledBody) and part.surface_parts:
            of_vertices = require(geometry.vertices(), "contact_element_id", f"body '{part.name}'")
            for own in part.surface_parts:
                elements.setdefault(int(of_vertices[own.vertices[0]]), replace(part, friction=own.friction))
        else:
            elements.setdefault(int(read_meta(geometry, "contact_element_id", 0)), part)
        subscenes.setdefault(part.environment, int(read_meta(geometry, "subscene_element_id", 0)))
    return _Placed(elements, subscenes)


def _geometries(uipc_scene: Any, names: Iterable[str]) -> Iterable[Any]:
    for name in names:
        for owner in uipc_scene.objects().find(name):
            for number in owner.geometries().ids():
                geometry = uipc_scene.geometries().find(number)[0].geometry()
                if read_meta(geometry, "name", "") == name and geometry.meta().find("contact_element_id") is not None:
                    yield geometry


def _subscenes(tabular: Any, known: Mapping[str, int], soft: Iterable[Touching]) -> dict[str, Any]:
    """Subscene of each environment; a new one touches what is in no environment, and itself."""
    elements = {"": tabular.default_element()}
    elements |= {name: SubsceneElement(number, name) for name, number in known.items() if name}
    for name in dict.fromkeys(body.environment for body in soft):
        if name not in elements:
            made = tabular.create(name)
            for other, element in elements.items():
                tabular.insert(element, made, other == "")
            elements[name] = made
    return elements
