"""Who may touch whom, with which friction and resistance, in libuipc's contact table.

The table knows contact elements, not bodies. Bodies with the same surface and the same rules towards the same partners
share one.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import uipc

from ipc_articulation.coupling.adapter import ContactRule, CoupledRobot


class _Key(NamedTuple):
    """What sets the bodies of one element apart from others."""

    friction: float
    resistance: float | None
    untouchable: frozenset[str]  # names of bodies
    first: frozenset[int]  # numbers of the contact pairs that have the body on their first side
    second: frozenset[int]


def make_contact_elements(scene: uipc.Scene, robot: CoupledRobot) -> dict[str, Any]:
    """Create elements for all bodies and half-planes of a robot, and what holds between each two of them.

    The friction of two surfaces is the larger of the two coefficients, MuJoCo's rule; their resistance the smaller one,
    that of the scene's default contact model where neither has its own. `CoupledRobot.contact_rules` goes before both.
    Towards everything else in the scene the default model holds.

    Returns:
        Contact element by the name of a body or half-plane.
    """
    tabular = scene.contact_tabular()
    keys = _keys(robot)
    members: dict[_Key, str] = {}
    for name, key in keys.items():
        members.setdefault(key, name)
    elements = {key: tabular.create(name) for key, name in members.items()}
    default = tabular.default_model().resistance()
    for left, right in combinations_with_replacement(elements, 2):
        touch = members[right] not in left.untouchable
        entry = _entry(left, right, default, touch, robot.contact_rules)
        tabular.insert(elements[left], elements[right], *entry)
    return {name: elements[key] for name, key in keys.items()}


def _entry(
    left: _Key, right: _Key, default: float, touch: bool, pairs: tuple[ContactRule, ...]
) -> tuple[float, float, bool]:
    """Friction, resistance and whether they touch, of two elements."""
    friction = max(left.friction, right.friction)
    resistance = min((r for r in (left.resistance, right.resistance) if r is not None), default=default)
    for pair in _between(left, right, pairs):
        friction = friction if pair.friction is None else pair.friction
        resistance = resistance if pair.resistance is None else pair.resistance
        touch = touch if pair.enabled is None else pair.enabled
    return friction, resistance, touch


def _between(left: _Key, right: _Key, pairs: tuple[ContactRule, ...]) -> Iterator[ContactRule]:
    """The pairs that have one element on either side, in their order."""
    for number in sorted(left.first & right.second | left.second & right.first):
        yield pairs[number]


def _keys(robot: CoupledRobot) -> dict[str, _Key]:
    """The key of each body and half-plane.

    Two that have the same key either are each other's partners or are not; so one entry of the table serves both cases.
    """
    partners: dict[str, set[str]] = {}
    for names in map(tuple, robot.untouchable):
        partners.setdefault(names[0], set()).add(names[-1])
        partners.setdefault(names[-1], set()).add(names[0])
    pairs = list(enumerate(robot.contact_rules))
    return {
        entry.name: _Key(
            entry.friction,
            entry.resistance,
            frozenset(partners.get(entry.name, ())),
            frozenset(number for number, pair in pairs if entry.name in pair.first),
            frozenset(number for number, pair in pairs if entry.name in pair.second),
        )
        for entry in robot.parts
    }
