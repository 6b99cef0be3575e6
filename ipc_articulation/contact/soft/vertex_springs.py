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

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import cross, dot
from ipc_articulation.contact.closest_points import EDGES, closest_points, row
from ipc_articulation.contact.positions import Positions
from ipc_articulation.contact.smooth_norm import start_anchored_duals
from ipc_articulation.contact.soft.meshes import Meshes
from ipc_articulation.contact.soft.spring_memory import read
from ipc_articulation.contact.soft.vertex_friction import VertexFriction, slip, slips
from ipc_articulation.contact.soft.vertex_leans import leans
from ipc_articulation.contact.springs import Springs, kind_of
from ipc_articulation.contact.surfaces import on_axis

_OPPOSITE = 0.1  # 1 + n·n' of normals between which no turn is known


class Stretched(NamedTuple):
    """The k springs at the beginning of a step."""

    vertices: Ints  # (k, 4) of the stencils
    s: Array  # (k, 3) [m]
    apart: Array  # (k,) how far apart the points were that friction has brought to one place [m]
    x: Array  # (V, 3) where the vertices were [m]


def anchored_to(
    friction: VertexFriction, springs: Springs, meshes: Meshes, at: Positions, since: Positions
) -> tuple[VertexFriction, Stretched]:
    """Friction with what its stencils remember where they are, in a step that began at `since`.

    It has points of its own, four to a stencil.
    """
    _, kind, vertices, weights, _, normal, force, _, dual, eps, body, points = friction
    s = read(kind, vertices, weights, normal, *springs, meshes.of_vertex, since.x)
    own = np.arange(4 * len(s)).reshape(-1, 4)
    of_own, moved = body[vertices.ravel()], points[vertices.ravel()]
    is_soft = (body[vertices] >= meshes.affine).all(axis=1)
    c = np.einsum("ka,kai->ki", weights, at.x[vertices])
    lean = leans(kind, vertices, normal, c, is_soft, at.x)
    apart = _bring_together(kind, own, weights, of_own, moved, meshes.affine, c, at.q)
    start = _places(own, weights, of_own, moved, since.q)
    start = start + np.einsum("kai,kj,kaj->ki", lean, normal, since.x[vertices]) - s
    there = friction._replace(vertices=own, lean=lean, start=start, body=of_own, points=moved)
    start_anchored_duals(np.arange(len(s)), force, slips(there, at.q), np.full(len(s), eps), dual)
    return there, Stretched(vertices, s, apart, since.x)


def springs_of(friction: VertexFriction, stretched: Stretched, x: Array, q: Array) -> Springs:
    """The springs at the end q (n, 12) of a step, with vertices at x (V, 3)."""
    return Springs(*_at_end(*stretched, *friction[1:8], *friction[9:], x, q))


@compiled
def _bring_together(kind, vertices, weights, body, points, affine, c, q):
    """Move the points (4k, 3) of affine bodies, the first ones, so that both sides' points are in one place at q.

    Args:
        kind: (k,) see `Stencils`.
        vertices: (k, 4) rows of `points`.
        weights: (k, 4).
        body: (4k,) of each point.
        points: (4k, 3) [m].
        affine: Number of affine bodies.
        c: From the second side's point to the first one's at q, (k, 3) [m].
        q: (n, 12).

    Returns:
        By how much they have been moved, (k,) [m].
    """
    apart = np.zeros(len(kind))
    for r in range(len(kind)):
        split = 2 if kind[r] == EDGES else 1
        for side in range(2):
            first, end = (0, split) if side == 0 else (split, 4)
            b = body[vertices[r, first]]
            if b < affine:
                A = q[b, 3:].copy().reshape(3, 3)
                shift = np.linalg.solve(A, c[r]) if side == 1 else -np.linalg.solve(A, c[r])
                for a in range(first, end):
                    points[vertices[r, a]] += shift
                apart[r] = np.sqrt(dot(c[r], c[r]))
    return apart


@compiled
def _places(vertices, weights, body, points, q):
    """Σ w x (k, 3) of points (4k, 3) at q (n, 12); see `_bring_together`."""
    sums = np.zeros((len(vertices), 3))
    for r in range(len(vertices)):
        for k in range(3):
            for a in range(4):
                sums[r, k] += weights[r, a] * on_axis(q, body[vertices[r, a]], k, points[vertices[r, a]])
    return sums


@compiled
def _at_end(vertices, s_before, apart, before, kind, own, weights, lean, normal, force, start, eps, body, points, x, q):
    """Stencils (k, 5), and the stretches (k, 3) with forces (k,), at the end of a step from `before` to x, (V, 3)."""
    stencils, stretches = np.empty((len(kind), 5), dtype=np.int64), np.empty((len(kind), 4))
    w, was, n = np.empty(4), np.empty(3), np.empty(3)
    for r in range(len(kind)):
        v, s = row(vertices, r), stretches[r, :3]
        stencils[r, 0], stencils[r, 1:] = kind_of(kind[r]), vertices[r]
        stretches[r, :3], stretches[r, 3] = s_before[r], force[r]
        if not _moves(v, before, x):
            continue
        length = slip(own[r], weights[r], lean[r], normal[r], start[r], body, points, q, s)
        s *= eps / max(length, eps)
        distances = closest_points(kind[r], before, v, w, was), closest_points(kind[r], x, v, w, n)
        was /= np.sqrt(distances[0])
        n /= np.sqrt(distances[1])
        _turn(kind[r], v, was, n, before, x, s)
    return stencils, stretches


@compiled
def _moves(v, before, x):
    """Whether any of four vertices is not where it was."""
    for a in range(4):
        for k in range(3):
            if x[v[a], k] != before[v[a], k]:
                return True
    return False


@compiled
def _turn(kind, v, n, m, before, x, s):
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
