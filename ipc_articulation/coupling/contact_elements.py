"""Who may touch whom, and with which friction, in libuipc's contact table.

The table knows contact elements, not bodies. Bodies that may touch the same partners with the same friction share one.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import uipc

from ipc_articulation.coupling.adapter import Body, HalfPlane, Mechanism

_Key = tuple[float, frozenset[str]]


def make_contact_elements(scene: uipc.Scene, mechanism: Mechanism) -> dict[str, Any]:
    """Create elements for all bodies and half-planes of a mechanism, and what holds between each two of them.

    The friction of a pair is the larger of the two coefficients, MuJoCo's rule; the resistance is that of the scene's
    default contact model. Towards everything else in the scene that default model holds.

    Returns:
        Contact element by the name of a body or half-plane.
    """
    tabular = scene.contact_tabular()
    keys = _keys(mechanism)
    members: dict[_Key, str] = {}
    for name, key in keys.items():
        members.setdefault(key, name)
    elements = {key: tabular.create(name) for key, name in members.items()}
    resistance = tabular.default_model().resistance()
    for left, right in combinations_with_replacement(elements, 2):
        touch = members[right] not in left[1]
        tabular.insert(elements[left], elements[right], max(left[0], right[0]), resistance, touch)
    return {name: elements[key] for name, key in keys.items()}


def _keys(mechanism: Mechanism) -> dict[str, _Key]:
    """Friction and untouchable partners of each body and half-plane.

    Two that have the same key either are each other's partners or are not; so one entry of the table serves both cases.
    """
    partners: dict[str, set[str]] = {}
    for pair in mechanism.untouchable:
        names = tuple(pair)
        partners.setdefault(names[0], set()).add(names[-1])
        partners.setdefault(names[-1], set()).add(names[0])
    bodies = (*mechanism.links, *mechanism.free, *mechanism.static)
    everything: tuple[Body | HalfPlane, ...] = (*bodies, *mechanism.planes)
    return {entry.name: (entry.friction, frozenset(partners.get(entry.name, ()))) for entry in everything}
