"""What friction remembers from step to step: fields of pairs of affine bodies, springs of stencils with a soft side.

`contact.anchors` and `contact.spring_law` have the laws, `engine.state` keeps what is remembered. Both forces
of a stencil are to be on one line, so with the gap c = Σ_a l_a x_a the lever of each affine side is

    l' = l - (0, h),   A h = c/k,   k the number of affine sides,

which moves the side's point by -c/k: two affine sides meet half-way, and one meets the point of the soft side. Then
Σ_a l'_a x_a = 0. Two soft sides have leans instead. Points before half-planes stay where they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.anchors import carried, normal_equations, read, weighted
from ipc_articulation.contact.barrier import dot
from ipc_articulation.contact.barriers import is_any_soft
from ipc_articulation.contact.closest_points import closest_points, row
from ipc_articulation.contact.friction import slip, write_first
from ipc_articulation.contact.leans import leans
from ipc_articulation.contact.nodes import coordinates
from ipc_articulation.contact.primitive_stencils import VERTEX_OF_SECOND
from ipc_articulation.contact.smooth_norm import start_anchored_duals
from ipc_articulation.contact.spring_law import interpolate, means_of, moves, turn
from ipc_articulation.contact.springs import PLANE as OF_PLANE
from ipc_articulation.contact.springs import key, keys, kind_of, place
from ipc_articulation.contact.stencils import PLANE, place_point
from ipc_articulation.references import by_reference


class _Memory(NamedTuple):
    """What friction remembers; the fields are replaced at the end of each step."""

    anchored: Ints  # (h,) this and the next one are as in `EngineState`, with N = `Limits.pairs_of`
    anchors: Array  # (h, 9)
    springs: Ints  # (k, 5)
    stretches: Array  # (k, 4)


MemoryType, Memory = by_reference(_Memory, __name__)


@compiled
def nothing():
    """Nothing is remembered so far."""
    none = np.zeros(0, dtype=np.int64)
    return Memory(none, np.zeros((0, 9)), none.reshape(0, 5), np.zeros((0, 4)))


@compiled
def recall(memory, anchored, anchors, springs, stretches):
    """Remember something else."""
    memory.anchored, memory.anchors, memory.springs, memory.stretches = anchored, anchors, springs, stretches


@compiled
def known(memory):
    """What is remembered, as `EngineState` has it."""
    return memory.anchored, memory.anchors, memory.springs, memory.stretches


@compiled
def anchor(scene, limits, memory, friction, x, since):
    """Let friction that was lagged at x begin with what is remembered, in a step that began at `since`, (N, 3) each."""
    if limits.pairs_of >= 0:
        _bring_together(scene, friction, x)
        _read_fields(scene, limits, memory, friction, since)
        _read_springs(scene, memory, friction, since)
        slips = np.empty_like(friction.anchor)
        for f in range(len(slips)):
            slip(friction, f, since, x, slips[f])
        start_anchored_duals(np.arange(len(slips)), friction.force, slips, friction.eps, friction.dual)


@compiled
def remember(scene, limits, memory, friction, since, x):
    """Remember what friction has at the end x of a step that began at `since`, (N, 3) each."""
    if limits.pairs_of >= 0:
        _remember_fields(scene, limits, memory, friction, since, x)
        _remember_springs(scene, memory, friction, since, x)


@compiled
def _bring_together(scene, friction, x):
    """Move the points of affine bodies, with nodes at x (N, 3), and find the leans of soft stencils."""
    is_soft, c, A = scene.points.is_soft, np.zeros(friction.normal.shape), np.empty((3, 3))
    at = np.zeros(friction.vertices.shape, dtype=np.int64)
    for f in range(len(c)):
        if friction.kind[f] == PLANE:
            continue
        lever, nodes = friction.lever[f], friction.nodes[f]
        for a in range(friction.count[f]):
            for k in range(3):
                c[f, k] += lever[a] * x[nodes[a], k]
        if is_soft[friction.pair[f, 0]]:  # affine bodies come first
            friction.is_leaning[f] = True
            for v in range(4):
                at[f, v] = scene.rows.first[scene.points.row[friction.vertices[f, v]]]
            continue
        friction.apart[f] = np.sqrt(dot(c[f], c[f]))
        sides = 1 if is_soft[friction.pair[f, 1]] or friction.pair[f, 0] == friction.pair[f, 1] else 2
        for side in range(sides):
            first = 4 * side + 1
            for m in range(3):
                for k in range(3):
                    A[k, m] = x[nodes[first + m], k]
            h = np.linalg.solve(A, c[f] / sides)
            for m in range(3):
                lever[first + m] -= h[m]
    if np.any(friction.is_leaning):
        _lean(friction, at, leans(friction.kind, at, friction.normal, c, friction.is_leaning, x))


@compiled
def _lean(friction, at, lean):
    """Take leans (F, 4, 3) of soft vertices, whose nodes are given, (F, 4)."""
    for f in np.flatnonzero(friction.is_leaning):
        friction.lean[f] = 0.0
        for a in range(friction.count[f]):
            for v in range(4):
                if friction.nodes[f, a] == at[f, v]:
                    friction.lean[f, a] += lean[f, v]


@compiled
def _of_affine(scene, limits, friction, since):
    """The k stencils of affine bodies: the bodies as fields name them, and the points on the first ones at `since`.

    Returns:
        The stencils (k,), bodies (k, 2), points (k, 3), and the signs (k,) of slips: those of the first body.
    """
    is_soft, size = scene.points.is_soft, len(friction.force)
    on, bodies = np.empty(size, dtype=np.int64), friction.pair.copy()
    points, sign, count = np.zeros((size, 3)), np.empty(size), 0
    more = limits.pairs_of - len(scene.table.planes) - len(is_soft)
    for f in range(size):
        i, j = friction.pair[f, 0], friction.pair[f, 1]
        if is_any_soft(is_soft, i, j):
            continue
        on[count], bodies[count, 0], bodies[count, 1] = f, i, j + (more if j >= len(is_soft) else 0)
        sign[count] = -1.0 if friction.kind[f] == VERTEX_OF_SECOND else 1.0
        if i == j:
            write_first(scene, friction, f, since, points[count])
        for a in range(4 if i != j else 0):
            for k in range(3):
                points[count, k] += sign[count] * friction.lever[f, a] * since[friction.nodes[f, a], k]
        count += 1
    return on[:count], bodies[:count], points[:count], sign[:count]


@compiled
def _read_fields(scene, limits, memory, friction, since):
    """Write the anchors of affine bodies."""
    on, bodies, points, sign = _of_affine(scene, limits, friction, since)
    held = memory.anchored, memory.anchors, limits.pairs_of
    s = read(*held, bodies, np.arange(len(on)), points, friction.normal[on])
    for c in range(len(on)):
        for k in range(3):
            friction.anchor[on[c], k] = sign[c] * s[c, k]


@compiled
def _remember_fields(scene, limits, memory, friction, since, x):
    """See `contact.anchors`."""
    on, bodies, points, sign = _of_affine(scene, limits, friction, since)
    begins, pair = _pairs(bodies)
    stretch = np.empty((len(on), 3))
    for c in range(len(on)):
        slip(friction, on[c], since, x, stretch[c])
        stretch[c] *= sign[c]
    contacts = pair, friction.force[on], points, friction.normal[on], stretch
    A, b, c, rho = normal_equations(bodies[begins], *contacts, friction.eps[on[begins]])
    affine = np.count_nonzero(~scene.points.is_soft)
    ends = coordinates(since, affine), coordinates(x, affine)
    held = memory.anchored, memory.anchors, limits.pairs_of
    memory.anchored, memory.anchors = carried(bodies[begins], _solved(A, b), c, rho, held, *ends)


@compiled
def _pairs(bodies):
    """Where pairs begin among sorted ones (k, 2), (P,), and of each the number of its pair, (k,)."""
    begins, pair, count = np.empty(len(bodies), dtype=np.int64), np.empty(len(bodies), dtype=np.int64), 0
    for c in range(len(bodies)):
        if c == 0 or bodies[c, 0] != bodies[c - 1, 0] or bodies[c, 1] != bodies[c - 1, 1]:
            begins[count] = c
            count += 1
        pair[c] = count - 1
    return begins[:count], pair


@compiled
def _solved(A, b):
    """Σ f(σ)/σ v vᵀ b, (P, 6), of symmetric matrices (P, 6, 6) and b (P, 6); see `contact.anchors`."""
    sigma, v, z = np.empty(b.shape), np.empty(A.shape), np.empty(b.shape)
    for p in range(len(A)):
        sigma[p], v[p] = np.linalg.eigh(A[p])
    inverse = weighted(sigma, v)
    for p in range(len(A)):
        z[p] = inverse[p] @ (v[p].T @ b[p])
    return z


@compiled
def _named(friction, f):
    """A stencil as `contact.springs` names it."""
    v = row(friction.vertices, f)
    if friction.kind[f] == PLANE:
        return OF_PLANE, v[0], 0, v[1], 0
    return kind_of(friction.kind[f]), v[0], v[1], v[2], v[3]


@compiled
def _read_springs(scene, memory, friction, since):
    """Write the anchors of stencils with a soft side."""
    size, count = len(friction.force), scene.points.first[-1]
    first, second = keys(memory.springs, count)
    is_new = np.zeros(size, dtype=np.bool_)
    for f in range(size):
        if is_any_soft(scene.points.is_soft, friction.pair[f, 0], friction.pair[f, 1]):
            at = place(first, second, key(*_named(friction, f), count))
            is_new[f] = at < 0 and friction.kind[f] != PLANE
            if at >= 0:
                friction.anchor[f] = memory.stretches[at, :3]
    if np.any(is_new):
        _begin_anew(scene, memory, friction, np.flatnonzero(is_new), since)


@compiled
def _begin_anew(scene, memory, friction, new, since):
    """Write the anchors of some stencils without springs, (k,); see `contact.spring_law`."""
    points, count = scene.points, scene.points.first[-1]
    y, wanted, body = np.empty((count, 3)), np.zeros(count, dtype=np.bool_), scene.rows.body[points.row[:count]]
    for f in new:
        for v in friction.vertices[f]:
            wanted[v] = True
    for s in range(len(memory.springs)):
        for v in memory.springs[s, 1 : 5 if memory.springs[s, 0] != OF_PLANE else 1]:
            place_point(points, scene.rows, since, v, y[v])
    owners, means = means_of(memory.springs, memory.stretches, body, y, wanted)
    for f in new:
        of = row(friction.vertices, f), friction.w[f], friction.normal[f]
        interpolate(*of, body, owners, means, friction.anchor[f])


@compiled
def _remember_springs(scene, memory, friction, since, x):
    """See `contact.spring_law`."""
    size, count = len(friction.force), 0
    stencils, stretches = np.empty((size, 5), dtype=np.int64), np.empty((size, 4))
    for f in range(size):
        if is_any_soft(scene.points.is_soft, friction.pair[f, 0], friction.pair[f, 1]):
            name = _named(friction, f)
            for k in range(5):
                stencils[count, k] = name[k]
            stretches[count, 3] = friction.force[f]
            _stretch(scene, friction, f, since, x, stretches[count, :3])
            count += 1
    first, second = keys(stencils[:count], scene.points.first[-1])
    order = np.argsort(second, kind="mergesort")
    order = order[np.argsort(first[order], kind="mergesort")]
    memory.springs, memory.stretches = stencils[order], stretches[order]


@compiled
def _stretch(scene, friction, f, since, x, s):
    """Write the spring of a stencil at the end of a step to s (3,); one that has not moved is as it was."""
    kind, before, after, w, corners = friction.kind[f], np.empty((4, 3)), np.empty((4, 3)), np.empty(4), (0, 1, 2, 3)
    was, n = np.empty(3), np.empty(3)
    s[:] = friction.anchor[f]
    if kind == PLANE:
        corners = (0, 0, 0, 0)
    for v in corners:
        place_point(scene.points, scene.rows, since, friction.vertices[f, v], before[v])
        place_point(scene.points, scene.rows, x, friction.vertices[f, v], after[v])
    if not moves(corners, before, after):
        return
    s *= friction.eps[f] / max(slip(friction, f, since, x, s), friction.eps[f])
    if kind != PLANE:
        distances = closest_points(kind, before, corners, w, was), closest_points(kind, after, corners, w, n)
        was /= np.sqrt(distances[0])
        n /= np.sqrt(distances[1])
        turn(kind, corners, was, n, before, after, s)
