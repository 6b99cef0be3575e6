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
soft sides have no such point; `vertex_leans` has what does the same for them.

A new stencil begins with what is remembered near it, see `spring_memory`.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import cross, dot
from ipc_articulation.contact.closest_points import EDGES

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
