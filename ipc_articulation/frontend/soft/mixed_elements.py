"""Soft bodies whose vertices have different contact elements: what stands for such a body in the contact table.

Pairs of their primitives have models of their own (`contact.vertex_elements`). Whole bodies need an element too,
for what is decided for pairs of bodies; it is a new one, which touches what any of the vertices' elements touches.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ipc_articulation.arrays import Ints
from ipc_articulation.contact.materials import Rules
from ipc_articulation.contact.surfaces import Surfaces
from ipc_articulation.contact.vertex_elements import VertexElements
from ipc_articulation.errors import UnsupportedError
from ipc_articulation.frontend.bodies import BodyTable
from ipc_articulation.frontend.part_elements import elements_of_affine, has_parts
from ipc_articulation.frontend.soft.soft_body import SoftBody


def is_mixed(body: SoftBody) -> bool:
    """Whether the vertices of a body have different contact elements."""
    return bool(np.ptp(body.contact_elements) > 0)


def vertex_elements(surfaces: Surfaces, bodies: BodyTable, rules: Rules) -> VertexElements | None:
    """The elements of all vertices of `surfaces`; None if each body has one, or none is soft."""
    soft = any(is_mixed(body) for body in bodies.soft.bodies)
    if not (soft or (bodies.soft.bodies and has_parts(bodies))):
        return None
    element = elements_of_affine(surfaces, bodies, bodies.contact_element)
    for body, place in zip(bodies.soft.bodies, bodies.soft.places, strict=True):
        element[surfaces.first[bodies.affine_count] + place] = body.contact_elements
    return VertexElements(element, rules, choose_resistance=soft)


def with_elements_of_bodies(bodies: BodyTable, element: Ints, planes: Ints, rules: Rules) -> tuple[Ints, Rules]:
    """Elements (m,) of the m bodies, and a table that has them all.

    Args:
        bodies: All bodies.
        element: Of each body, that of its first vertex, (m,).
        planes: Contact element of every half-plane, (P,).
        rules: The scene's table.

    Raises:
        UnsupportedError: The elements of a body differ in their models with a half-plane, or have no resistance of
            their own.
    """
    element, members = element.copy(), [np.array([k]) for k in range(len(rules.enabled))]
    used = np.unique(np.concatenate([element, *(body.contact_elements for body in bodies.soft.bodies)]))
    for k, body in enumerate(bodies.soft.bodies):
        if is_mixed(body):
            own = np.unique(body.contact_elements)
            _refuse(body, own, used, planes, rules)
            element[bodies.affine_count + k] = len(members)
            members.append(own)
    if len(members) == len(rules.enabled):
        return element, rules
    blocks = [[np.ix_(first, second) for second in members] for first in members]
    return element, replace(
        rules,
        resistance=np.array([[rules.resistance[block].max() for block in row] for row in blocks]),
        friction=np.array([[rules.friction[block].max() for block in row] for row in blocks]),
        enabled=np.array([[rules.enabled[block].any() for block in row] for row in blocks]),
    )


def _refuse(body: SoftBody, own: Ints, used: Ints, planes: Ints, rules: Rules) -> None:
    said = f"{body.owner} has vertices with the contact elements {', '.join(map(str, own))}"
    block = np.ix_(own, used)
    if (rules.enabled[block] & ~(rules.resistance[block] > 0.0)).any():
        raise UnsupportedError(f"{said}; the CPU engine can average given resistances only: set them in the table")
    for plane in np.unique(planes):
        models = np.stack([table[own, plane] for table in (rules.resistance, rules.friction, rules.enabled)])
        if np.ptp(models, axis=1).any():
            raise UnsupportedError(
                f"{said}, which have different models with the half-planes of element {plane}; the CPU engine has one "
                "for each body and half-plane: make them equal, or use Engine('cuda')"
            )
