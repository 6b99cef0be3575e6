"""Friction of soft bodies that holds: every stencil remembers by how far its two points are displaced.

    E = Σ_k μ λ_k f₀(|s_k + u_k|, δ),   δ = 10⁻² d̂

as between affine bodies (see `anchors`), whose pairs remember a rigid field. Pairs that deform have none, so every
stencil has a spring of its own, for as long as it is in contact. At the end of a step

    s_k ← R_k (s_k + u_k),   |s_k + u_k| at most δ:

at the cone the anchor follows. R_k turns the spring with its stencil: the normal at the beginning of the step to that
at the end, and about it by the mean angle by which the stencil's edges have turned,

    φ = atan2(Σ n·(e × e')/|e|², Σ e·e'/|e|²),   e and e' at right angles to n.

So what is held and swung finds its springs turned with it. A stencil that does not move keeps s_k to the last bit; one
that is out of contact for a step has none. At an affine body the spring holds at the point of its material that is
where the other side's point is: so both forces are on one line, and turns of the pair do not stretch the spring. Two
soft sides have no such point; `leans` has what does the same for them.

Where a body rolls or slides on to other primitives, new stencils find what is displaced near them. To a vertex v that
touches another mesh belongs the mean of its springs, with w_kv the vertex's weight in the closest points:

    m_v = Σ_k λ_k w_kv s_k/Σ_k λ_k |w_kv|,   and a new stencil begins with   s_k = P_k Σ_v w_kv m_v/Σ_v |w_kv|.

w has opposite signs on the two sides, as the displacement of one side relative to the other has.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import cross, dot
from ipc_articulation.contact.closest_points import EDGES, closest_points
from ipc_articulation.contact.held import place as place_of_key
from ipc_articulation.contact.springs import PLANE

_OPPOSITE = 0.1  # 1 + n·n' of normals between which no turn is known


@compiled
def moves(v, before, x):
    """Whether any of four vertices is not where it was."""
    for a in range(4):
        for k in range(3):
            if x[v[a], k] != before[v[a], k]:
                return True
    return False


@compiled
def turn(kind, v, n, m, before, x, s):
    """Turn s (3,) as a stencil of four vertices has turned, whose normal was n and is m, (3,) each."""
    near = 1.0 + dot(n, m)
    if near < _OPPOSITE:
        s[:] = 0.0
        return
    sine, cosine, side, size = 0.0, 0.0, np.empty(3), 2 if kind == EDGES else 3
    for e in range(size):
        i, j = (v[2 * e], v[2 * e + 1]) if kind == EDGES else (v[1 + e], v[1 + (e + 1) % 3])
        was, now = before[j] - before[i], x[j] - x[i]
        square = dot(was, was)
        if square > 0.0:
            _lean(n, m, near, was)
            cross(was, now, side)
            sine += dot(m, side) / square
            cosine += (dot(was, now) - dot(m, was) * dot(m, now)) / square
    _lean(n, m, near, s)
    length = np.sqrt(sine * sine + cosine * cosine)
    if length > 0.0:
        cross(m, s, side)
        s[:] = (cosine * s + sine * side) / length


@compiled
def _lean(n, m, near, a):
    """Turn a (3,) by the smallest rotation that takes n to m, (3,) each; near is 1 + n·m."""
    along, both = dot(n, a), (dot(n, a) + dot(m, a)) / near
    for k in range(3):
        a[k] += 2.0 * along * m[k] - both * (n[k] + m[k])


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
