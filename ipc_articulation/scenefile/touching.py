"""Who touches whom, with which friction, in a scene without an outside engine."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

from ipc_articulation.scenefile import schema

GROUND = "the ground"


def make_contact_elements(uipc_scene: Any, scene: schema.ArticulationScene) -> dict[str, Any]:
    """A contact element for each body and for the ground, by name, with the rule of every pair.

    Bodies that a joint connects do not touch each other. The friction of a pair is the greater of its two coefficients,
    as in MuJoCo.
    """
    frictions = {body.name: body.friction for body in scene.bodies}
    if scene.ground:
        frictions[GROUND] = scene.ground.friction
    tabular = uipc_scene.contact_tabular()
    elements = {name: tabular.create(name) for name in frictions}
    joined = {frozenset((joint.parent, joint.child)) for joint in scene.joints}
    for one, other in combinations_with_replacement(frictions, 2):
        friction = max(frictions[one], frictions[other])
        touches = one != other and frozenset((one, other)) not in joined
        tabular.insert(elements[one], elements[other], friction, scene.contact.resistance, touches)
    return elements
