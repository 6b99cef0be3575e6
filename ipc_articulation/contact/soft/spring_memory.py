"""What stencils of soft bodies remember at the beginning of a step (see `vertex_springs`), for numba.

Where a body rolls or slides on to other primitives, new stencils find what is displaced near them. To a vertex v that
touches another mesh belongs the mean of its springs, with w_kv the vertex's weight in the closest points:

    m_v = Σ_k λ_k w_kv s_k/Σ_k λ_k |w_kv|,   and a new stencil begins with   s_k = P_k Σ_v w_kv m_v/Σ_v |w_kv|.

w has opposite signs on the two sides, as the displacement of one side relative to the other has.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.closest_points import closest_points
from ipc_articulation.contact.held import place as place_of_key
from ipc_articulation.contact.springs import PLANE


@compiled
def means_of(stencils, stretches, mesh, x, wanted):
    """The means m of wanted vertices (V,) that have any, (o, 3), and the keys of these (see `_owner`), sorted, (o,)."""
    owner, count, w, c = np.empty(4 * len(stencils), dtype=np.int64), 0, np.empty(4), np.empty(3)
    share, push = np.empty(len(owner)), np.empty((len(owner), 3))
    for k in range(len(stencils)):
        v = stencils[k, 1], stencils[k, 2], stencils[k, 3], stencils[k, 4]
        if stencils[k, 0] == PLANE or not (wanted[v[0]] or wanted[v[1]] or wanted[v[2]] or wanted[v[3]]):
            continue
        closest_points(stencils[k, 0], x, v, w, c)
        for a in range(4):
            if w[a] != 0.0 and wanted[v[a]]:
                owner[count] = _owner(v, w, a, mesh)
                share[count] = stretches[k, 3] * abs(w[a])
                for m in range(3):
                    push[count, m] = stretches[k, 3] * w[a] * stretches[k, m]
                count += 1
    owners, means, total, last = np.empty(count, dtype=np.int64), np.zeros((count, 3)), np.zeros(count), -1
    for e in np.argsort(owner[:count], kind="mergesort"):
        if last < 0 or owners[last] != owner[e]:
            last += 1
            owners[last] = owner[e]
        total[last] += share[e]
        means[last] += push[e]
    for o in range(last + 1):
        means[o] /= total[o]
    return owners[: last + 1], means[: last + 1]


@compiled
def _owner(v, w, a, mesh):
    """A key for vertex a of a stencil's four, v, and the mesh of the other side: its weights have the other sign."""
    other = 0
    for b in range(4):
        if w[a] * w[b] < 0.0:
            other = mesh[v[b]]
    return v[a] * (mesh[-1] + 1) + other


@compiled
def interpolate(v, w, n, mesh, owners, means, s):
    """Fill s (3,) of a new stencil of four vertices with weights and a normal."""
    total, along = 0.0, 0.0
    for a in range(4):
        at = place_of_key(owners, _owner(v, w, a, mesh)) if w[a] != 0.0 else -1
        if at >= 0:
            total += abs(w[a])
            for m in range(3):
                s[m] += w[a] * means[at, m]
    for m in range(3):
        s[m] /= max(total, 1e-12)
        along += s[m] * n[m]
    for m in range(3):
        s[m] -= along * n[m]
