"""Joints, articulations and trees of affine bodies in the core.

Their kernels take coordinates q (A, 12), p and then A by rows, where nodes are p and the columns of A: a permutation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Bools, Ints
from ipc_articulation.articulation.evaluation import HeldArticulations, differentiate, forces, freedom_energies
from ipc_articulation.compiled import compiled
from ipc_articulation.engine import islands
from ipc_articulation.engine.terms import joint_penalty
from ipc_articulation.engine.terms.joint_penalty import Penalties
from ipc_articulation.engine.terms.restrained_step import loads, press, restrained
from prototypes.core.system import find, solve

_PLACE = np.array([0, 1, 2, *(3 * (1 + c) + k for k in range(3) for c in range(3))])  # of q's numbers among the nodes'


class Linkage(NamedTuple):
    """What holds A affine bodies together; the articulations' input is that of the present step."""

    penalties: Penalties | None  # None has no code, here and in the next one
    articulations: HeldArticulations | None
    owner: Ints  # (F,) the body to which the energy of each freedom of an articulation is added
    couples: Ints  # (c, 2) bodies that are always of one island
    order: Ints  # of the tree of joints, see `engine.joint_tree`
    parent: Ints  # (A,)
    is_link: Bools  # (A,) of articulations, whose inertia is in Mᵗ
    exact: Bools  # (B,) bodies whose joints another engine gets


@compiled
def coordinates(x, affine):
    """q (A, 12) of nodes x (N, 3), or the change of q for that of x."""
    q = np.empty((affine, DOF))
    for b in range(affine):
        for i in range(DOF):
            q[b, i] = x[4 * b + _PLACE[i] // 3, _PLACE[i] % 3]
    return q


@compiled
def write_nodes(q, x):
    """The inverse of `coordinates`."""
    for b in range(len(q)):
        for i in range(DOF):
            x[4 * b + _PLACE[i] // 3, _PLACE[i] % 3] = q[b, i]


@compiled
def add_energies(linkage, q, moving, E):
    """Add the energies of joints and articulations at q (A, 12) to E (B,)."""
    _add_joint_energies(linkage.penalties, q, moving, E)
    _add_freedom_energies(linkage.articulations, linkage.owner, q, E)


@compiled
def _add_joint_energies(penalties, q, moving, E):
    if penalties is not None:
        of_joints = joint_penalty.energies(penalties, q)
        for j in range(len(of_joints)):
            left, right = penalties.bodies[j, 0], penalties.bodies[j, 1]
            E[left if moving[left] else right] += of_joints[j]


@compiled
def _add_freedom_energies(articulations, owner, q, E):
    if articulations is not None:
        of_freedoms = freedom_energies(articulations, q)
        for f in range(len(of_freedoms)):
            E[owner[f]] += of_freedoms[f]


@compiled
def add_derivatives(linkage, q, moving, projected, is_free, matrix, g):
    """Add the gradient at q (A, 12) to g (N, 3), and the Hessian to a `Matrix` with room.

    Returns:
        ∂δθ/∂q (F, 24), and δθ (F,).
    """
    of_q = np.zeros_like(q)
    _add_penalties(linkage.penalties, q, moving, projected, is_free, matrix, of_q)
    found = _add_articulations(linkage.articulations, q, moving, projected, is_free, matrix, of_q)
    for b in range(len(q)):
        if is_free[b]:
            for i in range(DOF):
                g[4 * b + _PLACE[i] // 3, _PLACE[i] % 3] += of_q[b, i]
    return found


@compiled
def _add_penalties(penalties, q, moving, projected, is_free, matrix, of_q):
    if penalties is not None:
        joint_penalty.add_derivatives(penalties, q, moving, of_q)
        joint_penalty.add_residual_curvature(penalties, q, moving, projected)
        for j in range(len(penalties.kind)):
            _add_pair(penalties.bodies[j], penalties.blocks[j], is_free, matrix)


@compiled
def _add_articulations(articulations, q, moving, projected, is_free, matrix, of_q):
    """See `add_derivatives`."""
    if articulations is None:
        return np.zeros((0, 2 * DOF)), np.zeros(0)
    force, delta, w = forces(articulations, q)
    bodies, m = articulations.bodies, len(articulations.joints.kind)
    J, curvature = np.zeros((len(delta), 2 * DOF)), np.zeros((m, 2 * DOF, 2 * DOF))
    differentiate(articulations, q, w, moving, projected, 0, m, J, curvature)
    for k in range(m):
        _add_pair(articulations.joints.bodies[k], curvature[k], is_free, matrix)
    for f in range(len(delta)):
        for side in range(2):
            for i in range(DOF):
                of_q[bodies[f, side], i] += force[f] * J[f, DOF * side + i]
    _add_masses(articulations, J, is_free, matrix)
    return J, delta


@compiled
def _add_pair(bodies, block, is_free, matrix):
    """Add a block (24, 24) of two bodies, by their coordinates."""
    for side in range(2):
        i, j = bodies[side], bodies[1 - side]
        if not is_free[i]:
            continue
        target, at = _block(matrix, i, i), DOF * side
        for a in range(DOF):
            for b in range(DOF):
                target[_PLACE[a], _PLACE[b]] += block[at + a, at + b]
        if i < j and is_free[j]:
            target = _block(matrix, i, j)
            for a in range(DOF):
                for b in range(DOF):
                    target[_PLACE[a], _PLACE[b]] += block[at + a, DOF - at + b]


@compiled
def _block(matrix, i, j):
    at = matrix.own[i] if i == j else matrix.start[find(matrix, i, j)]
    return matrix.numbers[at : at + DOF * DOF].reshape(DOF, DOF)


@compiled
def _add_masses(articulations, J, is_free, matrix):
    """Add JᵀMᵗJ of each articulation."""
    bodies, starts, first = articulations.bodies, articulations.starts, 0
    for a in range(len(starts) - 1):
        begin, size = starts[a], starts[a + 1] - starts[a]
        M = articulations.mass[first : first + size * size].reshape(size, size)
        first += size * size
        members = _members(bodies[begin : begin + size], is_free)
        MJ = np.zeros((size, len(members), DOF))
        for k in range(size):
            for m in range(size):
                for side in range(2):
                    at = np.searchsorted(members, bodies[begin + m, side])
                    if M[k, m] != 0.0 and at < len(members) and members[at] == bodies[begin + m, side]:
                        for c in range(DOF):
                            MJ[k, at, _PLACE[c]] += M[k, m] * J[begin + m, DOF * side + c]
        for k in range(size):
            for side in range(2):
                i = bodies[begin + k, side]
                if is_free[i]:
                    for at in range(len(members)):
                        if i <= members[at] and np.any(MJ[k, at]):
                            target = _block(matrix, i, members[at])
                            for c in range(DOF):
                                row, factor = target[_PLACE[c]], J[begin + k, DOF * side + c]
                                for d in range(DOF):
                                    row[d] += factor * MJ[k, at, d]


@compiled
def _members(bodies, is_free):
    """The free bodies among pairs (m, 2), ascending."""
    is_member = np.zeros(len(is_free), dtype=np.bool_)
    for k in range(len(bodies)):
        for side in range(2):
            is_member[bodies[k, side]] = is_free[bodies[k, side]]
    return np.flatnonzero(is_member)


@compiled
def room(linkage):
    """The largest number of blocks above the diagonal that joints and articulations add."""
    return _room_of_penalties(linkage.penalties) + _room_of_articulations(linkage.articulations)


@compiled
def _room_of_penalties(penalties):
    return 0 if penalties is None else len(penalties.kind)


@compiled
def _room_of_articulations(articulations):
    if articulations is None:
        return 0
    sizes = np.diff(articulations.starts)
    return len(articulations.joints.kind) + np.sum(sizes * (2 * sizes - 1))


@compiled
def restrain(linkage, at, dx, pattern, matrix, is_free, U):
    """Change the step dx (N, 3) by limits, dry friction and motors, see `engine.terms.restrained_step`.

    Args:
        linkage: A `Linkage`.
        at: J and δθ of `add_derivatives`.
        dx: -H⁻¹ g.
        pattern: This and the next three are those H was factorised with.
        matrix: H.
        is_free: (R,).
        U: (u,).
    """
    _restrain(linkage.articulations, linkage.couples, at, dx, pattern, matrix, is_free, U)


@compiled
def _restrain(articulations, couples, at, dx, pattern, matrix, is_free, U):
    if articulations is None:
        return
    affine = len(couples)  # one couple a body
    (J, delta), dq, place = at, coordinates(dx, affine), np.full(affine, -1)
    place[is_free[:affine]] = np.flatnonzero(is_free[:affine])
    pairs, count = np.empty((matrix.used[0], 2), dtype=np.int64), 0
    for k in range(matrix.used[0]):
        if matrix.cols[k] < affine:
            pairs[count, 0], pairs[count, 1] = matrix.rows[k], matrix.cols[k]
            count += 1
    labels = islands.join(np.arange(affine), pairs[:count], place >= 0)
    labels = islands.join(labels, couples, place >= 0)
    of = articulations.bodies, J, articulations.rows, articulations.springs, articulations.row_tilde, delta
    is_pressed, rows, springs, tilde, x, ahead, part = press(dq, place, labels, *of)
    if not is_pressed:
        return
    given = loads(articulations.bodies, J, rows, part, affine)
    V, load, moved = np.empty(given.shape), np.zeros_like(dx), np.empty_like(dx)
    for s in range(len(given)):
        write_nodes(given[s], load)
        solve(pattern, matrix, is_free, U, load, moved)
        V[s] = coordinates(moved, affine)
    write_nodes(restrained(dq, V, labels, articulations.bodies, J, rows, springs, tilde, x, ahead, part), dx)
