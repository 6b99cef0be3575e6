"""What friction of soft vertices on half-planes remembers (see `springs`), for numba.

    s ← s + u,   |s + u| at most δ.

Half-planes do not turn, and a vertex that comes into contact begins unstretched, as the bristles of a brush do.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.planes.friction import PlaneStep, slip, start_duals
from ipc_articulation.contact.planes.pairs import PlanePairs
from ipc_articulation.contact.springs import PLANE, key, keys, place


@compiled
def read(columns, step, plane, is_affine, stencils, stretches, x, anchor):
    """Write what rows of friction remember to anchor (rows, 3) [m]; fills their duals.

    Args:
        columns: The fields of `PlanePairs`.
        step: The fields of `PlaneStep`.
        plane: Of each pair, (k,).
        is_affine: Pairs whose body is, which are left out, (k,).
        stencils: Those with springs, (s, 5).
        stretches: Theirs, (s, 4).
        x: Where the duals are those of the slips, (V, 3).
        anchor: (rows, 3) [m].
    """
    p, step = PlanePairs(*columns), PlaneStep(*step)
    first, second = keys(stencils, len(step.x))
    rows, pair = _rows(p, step, is_affine)
    for c in range(len(rows)):
        v = rows[c] - p.first_row[pair[c]] + p.first[p.body[pair[c]]]
        at = place(first, second, key(PLANE, v, 0, plane[pair[c]], 0, len(step.x)))
        if at >= 0:
            anchor[rows[c]] = stretches[at, :3]
    start_duals(p, step, rows, pair, anchor, x)


@compiled
def springs_of(columns, step, plane, is_affine, x):
    """The fields of `Springs` at the end of a step, with vertices at x (V, 3); see `read`."""
    p, step = PlanePairs(*columns), PlaneStep(*step)
    rows, pair = _rows(p, step, is_affine)
    stencils, stretches = np.zeros((len(rows), 5), dtype=np.int64), np.empty((len(rows), 4))
    for c in range(len(rows)):
        r, i, s = rows[c], pair[c], stretches[c, :3]
        v = r - p.first_row[i] + p.first[p.body[i]]
        stencils[c, 0], stencils[c, 1], stencils[c, 3] = PLANE, v, plane[i]
        stretches[c, 3] = step.normal_force[r]
        if np.any(x[v] != step.x[v]):
            length = slip(p, step, i, v, x[v], s)
            s *= step.eps[i] / max(length, step.eps[i])
        else:
            s[:] = step.anchor[r]
    return stencils, stretches


@compiled
def _rows(p, step, is_affine):
    """The rows of friction of soft vertices, and their pairs, (c,) each."""
    rows, pair, count = np.empty(len(step.normal_force), dtype=np.int64), np.empty(len(step.normal_force), np.int64), 0
    for i in range(len(p.body)):
        if is_affine[i] or not step.rubs[i]:
            continue
        for r in range(p.first_row[i], p.first_row[i + 1]):
            if step.normal_force[r] > 0.0:
                rows[count], pair[count] = r, i
                count += 1
    return rows[:count], pair[:count]
