"""K, the energy of articulations, over nodes (see `articulation.energy`)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Ints
from ipc_articulation.articulation.evaluation import HeldArticulations, differentiate, forces, freedom_energies
from ipc_articulation.compiled import compiled
from ipc_articulation.contact import islands
from ipc_articulation.contact.nodes import PLACE, coordinates
from ipc_articulation.engine.terms.coordinates import add_pair, block_of, by_nodes
from ipc_articulation.engine.terms.restrained_step import loads, press, restrained
from ipc_articulation.linear_system.system import solve
from ipc_articulation.references import by_reference


class _Linearized(NamedTuple):
    """Articulations, and where they were last differentiated."""

    arrays: HeldArticulations
    owner: Ints  # (F,) the body to which the energy of each freedom is added
    couples: Ints  # (c, 2) bodies that are always of one part
    J: Array  # (F, 24) ∂δθ by the nodes of both bodies, four each
    delta: Array  # (F,) δθ


LinearizedType, Linearized = by_reference(_Linearized, __name__)


@compiled
def linearized(arrays, owner, couples, J, delta):
    return Linearized(arrays, owner, couples, J, delta)


@compiled
def add_energies(at, affine, x, E):
    of_freedoms = freedom_energies(at.arrays, coordinates(x, affine))
    for f in range(len(of_freedoms)):
        E[at.owner[f]] += of_freedoms[f]


@compiled
def add_derivatives(at, affine, x, to):
    q, articulations = coordinates(x, affine), at.arrays
    bodies, m = articulations.bodies, len(articulations.joints.kind)
    force, delta, w = forces(articulations, q)
    J, curvature = np.zeros(at.J.shape), np.zeros((m, 2 * DOF, 2 * DOF))
    differentiate(articulations, q, w, to.moving, to.projected, 0, m, J, curvature)
    at.delta[:] = delta
    slopes, is_free, g = at.J, to.is_free, to.g
    for f in range(len(delta)):
        for side in range(2):
            b = bodies[f, side]
            for i in range(DOF):
                slopes[f, DOF * side + PLACE[i]] = J[f, DOF * side + i]
                if is_free[b]:
                    g[4 * b + PLACE[i] // 3, PLACE[i] % 3] += force[f] * J[f, DOF * side + i]
    for k in range(m):
        add_pair(articulations.joints.bodies[k], by_nodes(curvature[k]), to)
    _add_masses(articulations, slopes, to)


@compiled
def _add_masses(articulations, J, to):
    """Add JᵀMᵗJ of each articulation."""
    bodies, starts, first = articulations.bodies, articulations.starts, 0
    for a in range(len(starts) - 1):
        begin, size = starts[a], starts[a + 1] - starts[a]
        M = articulations.mass[first : first + size * size].reshape(size, size)
        first += size * size
        members = _members(bodies[begin : begin + size], to.is_free)
        MJ = _times(M, J[begin : begin + size], bodies[begin : begin + size], members)
        for k in range(size):
            for side in range(2):
                i = bodies[begin + k, side]
                if to.is_free[i]:
                    for at in range(len(members)):
                        if i <= members[at] and np.any(MJ[k, at]):
                            _add_outer(J[begin + k], DOF * side, MJ[k, at], block_of(to.matrix, i, members[at]))


@compiled
def _members(bodies, is_free):
    """The free bodies among pairs (m, 2), ascending."""
    is_member = np.zeros(len(is_free), dtype=np.bool_)
    for k in range(len(bodies)):
        for side in range(2):
            is_member[bodies[k, side]] = is_free[bodies[k, side]]
    return np.flatnonzero(is_member)


@compiled
def _times(M, J, bodies, members):
    """MJ of M (f, f) and J (f, 24) by the nodes of the members, (f, members, 12)."""
    MJ = np.zeros((len(M), len(members), DOF))
    for m in range(len(M)):
        for side in range(2):
            at = np.searchsorted(members, bodies[m, side])
            if at < len(members) and members[at] == bodies[m, side]:
                for k in range(len(M)):
                    if M[k, m] != 0.0:
                        for c in range(DOF):
                            MJ[k, at, c] += M[k, m] * J[m, DOF * side + c]
    return MJ


@compiled
def _add_outer(left, begin, right, target):
    """target (12, 12) += left rightᵀ, with twelve numbers of left from `begin` on."""
    for a in range(DOF):
        row, factor = target[a], left[begin + a]
        for b in range(DOF):
            row[b] += factor * right[b]


@compiled
def restrain(at, dx, pattern, matrix, is_free, U):
    """Change the step dx (N, 3) by limits, dry friction and motors, see `engine.terms.restrained_step`.

    Its kernels take twelve numbers a row, of which soft vertices use three.

    Args:
        at: `Linearized` by the derivatives that were added last.
        dx: -H⁻¹ g.
        pattern: This and the next three are those H was factorised with.
        matrix: H.
        is_free: (R,).
        U: (u,).
    """
    articulations, first = at.arrays, matrix.first
    labels, place = _parts(matrix, at.couples, is_free), np.where(is_free, 0, -1)
    step = _by_rows(dx, first)
    pressed = press(at, step, place, labels)
    if not len(pressed.part):
        return
    given = loads(articulations.bodies, at.J, pressed.rows, pressed.part, len(is_free))
    V, load, moved = np.empty(given.shape), np.zeros_like(dx), np.empty_like(dx)
    for s in range(len(given)):
        _write_rows(given[s], first, load)
        solve(pattern, matrix, is_free, U, load, moved)
        V[s] = _by_rows(moved, first)
    _write_rows(restrained(at, step, V, labels, pressed), first, dx)


@compiled
def _parts(matrix, couples, is_free):
    """The part of H of each row, (R,); couples (c, 2) are of one part. Blocks of zeros are contacts that have gone."""
    m, count = matrix.used[0], 0
    pairs = np.empty((m, 2), dtype=np.int64)
    for k in range(m):
        begin = matrix.start[k]
        end = matrix.start[k + 1] if k + 1 < m else matrix.used[1]
        if np.any(matrix.numbers[begin:end]):
            pairs[count, 0], pairs[count, 1] = matrix.rows[k], matrix.cols[k]
            count += 1
    labels = islands.join(np.arange(len(is_free)), pairs[:count], is_free)
    return islands.join(labels, couples, is_free)


@compiled
def _by_rows(x, first):
    """Nodes x (N, 3) as rows (R, 12)."""
    result = np.zeros((len(first) - 1, DOF))
    for r in range(len(result)):
        for n in range(first[r], first[r + 1]):
            for k in range(3):
                result[r, 3 * (n - first[r]) + k] = x[n, k]
    return result


@compiled
def _write_rows(rows, first, x):
    """The inverse of `_by_rows`."""
    for r in range(len(rows)):
        for n in range(first[r], first[r + 1]):
            for k in range(3):
                x[n, k] = rows[r, 3 * (n - first[r]) + k]
