"""Contact models of stencils: the resistance κ_c and the friction μ of each, and which there are at all.

As in libuipc both are means over the pairs of points of two primitives, of what the contact table has for their contact
elements (see `contact.vertex_elements` and `contact.part_friction`); a half-plane is one point. Stencils with
elements that pass through each other are left out, and so are those without a point that moves.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.choosing import choose
from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.stencils import PLANE


@compiled
def mean(numbers, of, kind, vertices, s):
    """The mean of numbers (L, L) over the pairs of points of both sides of stencil s; `of` (V,) are their rows."""
    total, count, split = 0.0, 0, 2 if kind[s] == EDGES else 1
    for b in range(split, 4):
        v = vertices[s, b]
        is_again = split == 1 and ((b > 1 and v == vertices[s, b - 1]) or (b == 3 and v == vertices[s, 1]))
        for a in range(0 if is_again else split):
            total += numbers[of[vertices[s, a]], of[v]]
            count += 1
    return total / count


@compiled
def that_touch(scene, kind, vertices, some):
    """Those of some stencils between bodies, (k,), whose elements do not pass through each other and that may move."""
    points, table, is_fixed, count = scene.points, scene.table, scene.rows.is_fixed, 0
    stays = np.empty(len(some), dtype=np.int64)
    for s in some:
        moves = False
        for v in vertices[s]:
            moves |= not is_fixed[points.row[v]]
        if moves and mean(table.passing, table.element, kind, vertices, s) == 0.0:
            stays[count] = s
            count += 1
    return stays[:count]


@compiled
def fill(scene, stencils, begin, end):
    """Fill the resistance and the friction of the stencils from `begin` to `end`."""
    table, kind, vertices, pair = scene.table, stencils.kind, stencils.vertices, stencils.pair
    for s in range(begin, end):
        kappa = table.kappa[table.model[pair[s, 0], pair[s, 1]]]
        if kind[s] == PLANE:
            stencils.mu[s] = table.mu[table.part[vertices[s, 0]], len(table.mu) + vertices[s, 1]]
        else:
            stencils.mu[s] = mean(table.mu, table.part, kind, vertices, s)
            own = mean(table.resistance, table.element, kind, vertices, s)
            kappa = kappa if np.isnan(own) else own
        stencils.kappa[s] = kappa
    choose(table.law, scene, stencils, begin, end)
