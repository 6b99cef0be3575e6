"""Masses and friction of a robot's parts that change between steps: checked completely before anything changes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import uipc

from ipc_articulation.arguments import POSITIVE, Wanted, instance, refuse_unwanted
from ipc_articulation.contact.materials import FRICTION
from ipc_articulation.coupling.adapter import HalfPlane
from ipc_articulation.coupling.contact_elements import Key, Surface, friction_of, keys_of, surfaces_of
from ipc_articulation.coupling.failures import require_valid
from ipc_articulation.coupling.placed_robot import PlacedRobot
from ipc_articulation.errors import EngineError, StateError
from ipc_articulation.frontend.attributes import require
from ipc_articulation.frontend.worlds import ENGINES, is_on_cpu
from ipc_articulation.naming import suggest
from ipc_articulation.signals import interrupts_deferred

_Id = tuple[int, ...]  # (geometry id, instance), and the contact element of a part of a body's surface


@dataclass(frozen=True)
class RobotProperties:
    """New properties of a robot's parts and its surroundings, for `set_properties`; what is left out stays as it is.

    Attributes:
        mass: Of free bodies by name [kg]; their inertia changes with it.
        friction: Coulomb coefficients of surfaces by name: links, free and static bodies, half-planes; of a body with
            parts that differ in it (`CoupledBody.surface_parts`) it is that of all of them, and they have names, too.
            Between two surfaces the larger one acts, or that of the one which leads (see `CoupledRobot`), unless a
            contact rule has another.
    """

    mass: Mapping[str, float] = field(default_factory=dict)
    friction: Mapping[str, float] = field(default_factory=dict)


class _Plan(NamedTuple):
    """Properties, worked out."""

    masses: dict[int, float]  # by geometry id [kg]
    frictions: dict[tuple[_Id, _Id], float]
    surfaces: dict[str, float]  # coefficients by name of all surfaces that have been given one


class PartProperties:
    """Plans properties of one robot's parts.

    Args:
        placed: The robot.
    """

    def __init__(self, placed: PlacedRobot) -> None:
        robot, slots = placed.robot, placed.bodies
        self._free = {body.name: slot.id() for body, slot in zip(robot.free, slots.free, strict=True)}
        parts: list[tuple[Any, Any]] = [*zip(robot.placed, slots.of_robot, strict=True), *placed.planes]
        slot_of = {part.name: slot for part, slot in parts}
        self._robot = replace(robot, planes=tuple(plane for plane, _ in placed.planes))
        surfaces = [surface for surface in surfaces_of(self._robot) if surface.owner.name in slot_of]
        self._surfaces = {surface.name: surface for surface in surfaces}
        self._ids = {surface.name: _id_of(surface, slot_of[surface.owner.name]) for surface in surfaces}
        self._of: dict[str, list[str]] = {}  # the surfaces that a name stands for: a body for its parts
        for surface in surfaces:
            for name in {surface.name, surface.owner.name}:
                self._of.setdefault(name, []).append(surface.name)
        self._moving = frozenset(body.name for body in (*robot.links, *robot.free))
        self._keys: dict[str, Key] = {}  # of the parts, found when they are first asked for
        self._given: WeakKeyDictionary[uipc.World, dict[str, float]] = WeakKeyDictionary()

    @property
    def built_frictions(self) -> dict[str, float]:
        """The coefficients of all surfaces at the moment of coupling, by name."""
        return {name: surface.friction for name, surface in self._surfaces.items()}

    def plan(self, world: uipc.World, properties: RobotProperties, asker: str) -> _Plan:
        """Work out properties; nothing changes.

        Raises:
            StateError: A name is not known, or a number is not valid; names the body.
        """
        masses = _checked(properties.mass, f"{asker}: the mass", "free body", self._free, POSITIVE)
        named = _checked(properties.friction, f"{asker}: the friction", "surface", self._of, FRICTION)
        given = {surface: mu for name, mu in named.items() for surface in self._of[name]}
        surfaces = self._given.get(world, {}) | given
        frictions = dict(self._pairs(given, surfaces)) if given else {}
        return _Plan({self._free[name]: mass for name, mass in masses.items()}, frictions, surfaces)

    def note(self, world: uipc.World, plan: _Plan) -> None:
        """Note a plan that was carried out."""
        self._given[world] = plan.surfaces

    def _pairs(
        self, given: Mapping[str, float], surfaces: Mapping[str, float]
    ) -> Iterator[tuple[tuple[_Id, _Id], float]]:
        """The coefficients of all pairs that have one of the given surfaces, and may move against each other."""
        self._keys = self._keys or {name: key for name, key in keys_of(self._robot).items() if name in self._ids}
        keys = {name: key._replace(friction=surfaces.get(name, key.friction)) for name, key in self._keys.items()}
        rules, names = self._robot.contact_rules, list(keys)
        leaders = {frozenset(both): both[0] for both in self._robot.leaders if self._is_led(*both)}
        number = {name: k for k, name in enumerate(names)}
        for one in given:
            for other in names:
                is_first = other not in given or number[one] < number[other]
                if is_first and self._may_rub(one, other):
                    leader = leaders.get(frozenset((one, other)))
                    mu = keys[leader].friction if leader else friction_of(keys[one], keys[other], rules)
                    yield (self._ids[one], self._ids[other]), mu

    def _may_rub(self, one: str, other: str) -> bool:
        """Whether two surfaces may move against each other."""
        a, b = self._surfaces[one].owner.name, self._surfaces[other].owner.name
        return a != b and (a in self._moving or b in self._moving)

    def _is_led(self, leader: str, other: str) -> bool:
        """Whether the friction of a surface that leads is that of both, and not another one by a rule of the scene."""
        if leader not in self._keys or other not in self._keys:
            return False
        key, rules = self._keys[leader], self._robot.contact_rules
        return friction_of(key, self._keys[other], rules) == key.friction


def _id_of(surface: Surface, slot: Any) -> _Id:
    """By which the engine knows a surface."""
    if surface.name == surface.owner.name or isinstance(surface.owner, HalfPlane):
        return slot.id(), 0
    part = next(part for part in surface.owner.surface_parts if part.name == surface.name)
    elements = require(slot.geometry().vertices(), "contact_element_id", f"body '{surface.owner.name}'")
    return slot.id(), 0, int(elements[part.vertices[0]])


def _checked(values: Any, what: str, kind: str, known: Collection[str], wanted: Wanted) -> dict[str, float]:
    """Values by names that are known.

    Raises:
        StateError: They are not, or a value is not wanted; names it.
    """
    refuse_unwanted(what, values, instance(Mapping), StateError)
    for name, value in values.items():
        if name not in known:
            raise StateError(f"{what} of '{name}': there is no such {kind}{suggest(str(name), known)}")
        refuse_unwanted(f"{what} of '{name}'", value, wanted, StateError)
    return {name: float(value) for name, value in values.items()}


@interrupts_deferred
def set_properties(world: uipc.World, wanted: Mapping[Any, RobotProperties], asker: str = "set_properties") -> None:
    """Give parts of robots of one scene, and of their surroundings, other masses and friction, all at once.

    Args:
        world: The world, initialised with the scene.
        wanted: New properties by coupling.
        asker: Beginning of messages.

    Raises:
        StateError, EngineError, SceneError: As for `Coupling.set_properties`. Nothing has changed then.
    """
    require_valid(world, asker)
    if not is_on_cpu(world):
        raise EngineError(f"{asker}: the engine reads masses and friction once, at world.init; use Engine('cpu')")
    turn = ENGINES[world].cpu.turn
    turn.refuse_in_callback(asker)
    for coupling, properties in wanted.items():
        refuse_unwanted(f"{asker}: what is set", properties, instance(RobotProperties), StateError)
        coupling.require_world(world)
        coupling.require_committed()
    with turn:
        _set(world, wanted, asker)


def _set(world: uipc.World, wanted: Mapping[Any, RobotProperties], asker: str) -> None:
    plans = {coupling: coupling.properties.plan(world, properties, asker) for coupling, properties in wanted.items()}
    masses = {geo_id: mass for plan in plans.values() for geo_id, mass in plan.masses.items()}
    ENGINES[world].properties.set(masses, {pair: mu for plan in plans.values() for pair, mu in plan.frictions.items()})
    for coupling, plan in plans.items():
        coupling.properties.note(world, plan)
