"""Contact elements that differ from vertex to vertex of a soft body: each pair of primitives has a model of its own.

As in libuipc (`codim_ipc_simplex_contact`), κ and μ of a pair are the means of the table's entries for each vertex of
one primitive with each of the other: 3 of a vertex and a triangle, 4 of two edges, 2 of a vertex and an edge, 1 of two
vertices. It is enabled if all these entries are.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Ints
from ipc_articulation.contact.materials import Rules


class VertexElements:
    """The contact elements of the vertices of a scene, numbered anew."""

    def __init__(self, element: Ints, rules: Rules, choose_resistance: bool = True) -> None:
        """Take the elements (V,) of the vertices, and the contact table; they may choose μ alone, and not κ."""
        self.choose_resistance = choose_resistance
        used, of_vertex = np.unique(element, return_inverse=True)
        table = np.ix_(used, used)
        self.of_vertex, self.enabled = of_vertex.reshape(-1), rules.enabled[table]  # (V,), (e, e)
        self.resistance, self.friction = rules.resistance[table], rules.friction[table]  # (e, e) κ_c [Pa], μ
