"""Affine bodies whose vertices have different contact elements: parts of their surfaces that differ in friction."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Ints
from ipc_articulation.contact.materials import Rules
from ipc_articulation.contact.part_friction import PartFriction
from ipc_articulation.contact.surfaces import Surfaces
from ipc_articulation.errors import UnsupportedError
from ipc_articulation.frontend.bodies import BodyTable


def elements_of_bodies(bodies: BodyTable) -> list[tuple[str, Ints]]:
    """Names of the affine bodies whose vertices have contact elements, and these elements."""
    own = [(name, bodies.surfaces[g].elements) for name, g in zip(bodies.names, bodies.geometry, strict=True) if g >= 0]
    return [(name, np.unique(elements)) for name, elements in own if elements is not None]


def has_parts(bodies: BodyTable) -> bool:
    """Whether the vertices of an affine body have different contact elements."""
    return any(mesh.elements is not None and len(np.unique(mesh.elements)) > 1 for mesh in bodies.surfaces)


def elements_of_affine(surfaces: Surfaces, bodies: BodyTable, of_rows: Ints) -> Ints:
    """The contact element of every vertex of `surfaces`, (V,).

    Args:
        surfaces: Surfaces of the n rows.
        bodies: The affine bodies, and the rows of soft ones.
        of_rows: The element of each row, (n,), where its vertices have none of their own or the row is not affine.
    """
    element = of_rows[surfaces.body]
    for row in range(bodies.affine_count):
        own = bodies.surfaces[bodies.geometry[row]].elements
        if own is not None:
            element[surfaces.first[row] : surfaces.first[row + 1]] = own
    return element


def part_friction(
    surfaces: Surfaces, bodies: BodyTable, group: Ints, element: Ints, planes: Ints, rules: Rules
) -> PartFriction | None:
    """Friction by parts of surfaces; None if each affine body has one contact element.

    Args:
        surfaces: Surfaces of the n rows.
        bodies: The affine bodies, and the rows of soft ones.
        group: The body of each row, (n,).
        element: Contact element of each body, (m,).
        planes: That of every half-plane, (P,).
        rules: The table.

    Raises:
        UnsupportedError: The elements of an affine body differ in more than friction; names it.
    """
    if not has_parts(bodies):
        return None
    of_vertices = elements_of_affine(surfaces, bodies, element[group])
    used = np.unique(np.concatenate([of_vertices, planes]))
    for row in range(bodies.affine_count):
        own = np.unique(of_vertices[surfaces.first[row] : surfaces.first[row + 1]])
        _refuse(bodies.names[row], own, used, rules)
    return PartFriction(group[surfaces.body], of_vertices, planes, rules.friction)


def _refuse(name: str, own: Ints, used: Ints, rules: Rules) -> None:
    for what, table in (("resistances", rules.resistance), ("masks", rules.enabled)):
        if len(own) and np.ptp(table[np.ix_(own, used)].astype(float), axis=0).any():
            raise UnsupportedError(
                f"'{name}' has vertices with the contact elements {', '.join(map(str, own))}, of different {what} in "
                "the contact table; on the CPU engine those of an affine body may differ in friction only: make the "
                f"{what} equal, or use Engine('cuda')"
            )
