"""K, the energy of articulations, over nodes (see `articulation.energy`)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Ints
from ipc_articulation.articulation.evaluation import HeldArticulations, differentiate_joint, forces, freedom_energies
from ipc_articulation.articulation.kinds import FREEDOMS, MOST_FREEDOMS
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
    q, arrays, first = coordinates(x, affine), at.arrays, 0
    kind, bodies, slopes, moving, projected = arrays.joints.kind, arrays.joints.bodies, at.J, to.moving, to.projected
    force, at.delta[:], w = forces(arrays, q)
    J, H = np.empty((MOST_FREEDOMS, 2 * DOF)), np.empty((2 * DOF, 2 * DOF))
    for k in range(len(kind)):
        i, j, freedoms = bodies[k, 0], bodies[k, 1], FREEDOMS[kind[k]]
        J[:], H[:] = 0.0, 0.0
        if moving[i] or moving[j]:
            differentiate_joint(arrays, q, w, k, first, projected[i] or projected[j], J, H)
            add_pair(bodies[k], by_nodes(H), to)
        for f in range(freedoms):
            for c in range(DOF):
                slopes[first + f, PLACE[c]], slopes[first + f, DOF + PLACE[c]] = J[f, c], J[f, DOF + c]
            _add_force(force[first + f], slopes[first + f], bodies[k], to)
        first += freedoms
    _add_masses(arrays, slopes, to)


@compiled
def _add_force(force, slopes, bodies, to):
    """Add a force times the slopes (24,) by the nodes of two bodies."""
    for side in range(2):
        if to.is_free[bodies[side]]:
            for c in range(DOF):
                to.g[4 * bodies[side] + c // 3, c % 3] += force * slopes[DOF * side + c]


@compiled
def _add_masses(arrays, J, to):
    """Add JᵀMᵗJ of each articulation."""
    bodies, starts, first = arrays.bodies, arrays.starts, 0
    for a in range(len(starts) - 1):
        begin, size = starts[a], starts[a + 1] - starts[a]
        M = arrays.mass[first : first + size * size].reshape(size, size)
        first += size * size
        _add_mass(M, J[begin : begin + size], bodies[begin : begin + size], to)


@compiled
def _add_mass(M, J, bodies, to):
    """Add JᵀMJ of M (f, f) and J (f, 24), by pairs of bodies: of i the rows J_ki, of j those of MJ."""
    members = _members(bodies, to.is_free)
    MJ = _times(M, J, bodies, members)
    for i in members:
        for at in range(np.searchsorted(members, i), len(members)):
            if _is_coupled(MJ, bodies, i, at):
                block = block_of(to.matrix, i, members[at])
                for k in range(len(M)):
                    for side in range(2):
                        if bodies[k, side] == i:
                            _add_outer(J[k], DOF * side, MJ[k, at], block)


@compiled
def _is_coupled(MJ, bodies, i, at):
    """Whether any number of MJ by a member is not 0 in the rows of the freedoms of body i."""
    for k in range(len(bodies)):
        if bodies[k, 0] == i or bodies[k, 1] == i:
            for c in range(DOF):
                if MJ[k, at, c] != 0.0:
                    return True
    return False


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
