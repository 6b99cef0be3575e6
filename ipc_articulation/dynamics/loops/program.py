"""A robot with loops in the form for compiled code: a record for each loop, cluster, and node in the clusters' order.

A joint in no loop has a record too, with q = x and q̇ = ẏ. The parameters of all loops are in one array of numbers:

    AFFINE    o (n), G (n, m)                                    q = G y + o
    GIVEN     q (n), G (n, m), g (n), written for each state     results of Python functions
    others    see `closed_form.py`

G has constant entries (joints in no loop, gears and belts), which are written once, and variable ones. It has two
forms: one with a column for each independent velocity of the robot, and `local`, with as many columns as the largest
cluster has independent velocities.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.dynamics.loops.closed_form import ClosedForm
from ipc_articulation.dynamics.loops.clusters import Clusters, Loop
from ipc_articulation.dynamics.loops.constraint import LoopConstraint
from ipc_articulation.dynamics.loops.explicit import Affine
from ipc_articulation.dynamics.loops.kinds import AFFINE, FREE, GIVEN
from ipc_articulation.dynamics.loops.layout import FreeJoint

LOOP = np.dtype(
    [
        ("kind", "i8"),
        ("size", "i8"),  # n, coordinates; for a joint in no loop, position coordinates
        ("ndof", "i8"),  # m, independent velocities
        ("x", "i8"),  # index of its first position among the robot's
        ("nx", "i8"),  # number of its positions
        ("y", "i8"),  # index of its first independent velocity
        ("member", "i8"),  # its first row in `members`; a joint in no loop has one row, with its first coordinates
        ("parameter", "i8"),  # index of its first parameter
    ],
    align=True,
)

CLUSTER = np.dtype(
    [
        ("first", "i8"),  # index of its first step
        ("end", "i8"),
        ("parent", "i8"),  # parent node, -1: the world
        ("y", "i8"),  # its first index in `ys`
        ("size", "i8"),  # number of independent velocities
    ],
    align=True,
)

STEP = np.dtype(
    [
        ("node", "i8"),
        ("inside", "i8"),  # whether its parent is in the same cluster
        ("carries", "i8"),  # whether it is the parent of a cluster
    ],
    align=True,
)


@dataclass(frozen=True)
class Program:
    """The loops of a robot."""

    loops: NDArray  # (loops and free joints,) LOOP, in the order of x
    members: Ints  # (k, 2) indices of positions and velocities of the spanning tree
    parameters: Array  # (p,)
    given: tuple[tuple[Loop, slice], ...]  # loops that Python evaluates, and the slices of their parameters
    moving: bool  # whether some entries of G are variable
    G: Array  # (spanning nv, nv) constant entries, read-only
    columns: Ints  # (nv,) column of G for each independent velocity: its index


class Records(NamedTuple):
    """Tree, loops and clusters, in the order in which compiled code takes them."""

    tree: NDArray  # (nodes,) NODE
    loops: NDArray  # as in `Program`, also members and parameters
    members: Ints
    parameters: Array
    clusters: NDArray  # (clusters,) CLUSTER
    steps: NDArray  # (nodes,) STEP, clusters one after the other, parents first
    ys: Ints  # (nv,) independent velocities, cluster by cluster
    column: Ints  # (nv,) index of each in its cluster
    G: Array  # (spanning nv, largest) constant entries of the local G


def parameters_of(constraint: LoopConstraint) -> tuple[int, Array]:
    """Kind and parameters of a loop; those that are written for each state are zero."""
    if isinstance(constraint, Affine):
        return AFFINE, np.concatenate([constraint.offset, constraint.matrix.ravel()])
    if isinstance(constraint, ClosedForm):
        return constraint.kind, constraint.parameters
    return GIVEN, np.zeros(constraint.size * (constraint.ndof + 2))


def program_of(loops: Sequence[Loop], free: Sequence[FreeJoint], count: int) -> Program:
    """The program of a robot's loops.

    Args:
        loops: The loops.
        free: Joints in no loop.
        count: Number of velocities of the spanning tree.
    """
    records, members, numbers, given = [], list[tuple[int, int]](), [np.zeros(0)], []
    for joint in free:
        if joint.q:
            at = joint.x.start, len(joint.x), joint.y.start, len(members)
            records.append((FREE, len(joint.q), len(joint.dofs), *at, 0))
            members.append((joint.q.start, joint.dofs.start))
    for loop in loops:
        c, start = loop.constraint, sum(map(len, numbers))
        kind, own = parameters_of(c)
        records.append((kind, c.size, c.ndof, loop.x.start, c.position_size, loop.y.start, len(members), start))
        members += zip(loop.q.tolist(), loop.dofs.tolist(), strict=True)
        numbers.append(own)
        if kind == GIVEN:
            given.append((loop, slice(start, start + len(own))))
    G = constant_entries(loops, free, count)
    return Program(
        loops=np.array(sorted(records, key=lambda record: record[3]), dtype=LOOP),
        members=np.array(members, dtype=np.int64).reshape(-1, 2),
        parameters=np.concatenate(numbers),
        given=tuple(given),
        moving=any(record[0] > AFFINE for record in records),
        G=G,
        columns=np.arange(G.shape[1]),
    )


def constant_entries(loops: Sequence[Loop], free: Sequence[FreeJoint], count: int) -> Array:
    """The entries of G that are the same at all positions; all others are zero."""
    y_stops = [0, *(loop.y.stop for loop in loops), *(joint.y.stop for joint in free)]
    G = np.zeros((count, max(y_stops)))
    for joint in free:
        G[joint.dofs, joint.y] = 1.0
    for loop in loops:
        if isinstance(loop.constraint, Affine):
            G[loop.dofs, loop.y] = loop.constraint.matrix
    G.setflags(write=False)
    return G


def records_of(tree: NDArray, program: Program, clusters: Clusters) -> Records:
    """The records of a whole robot.

    Args:
        tree: Records of the spanning tree.
        program: Its loops.
        clusters: Its clusters.
    """
    first, first_y, G = clusters.first, clusters.first_y, program.G
    records = np.empty(len(clusters.parent), dtype=CLUSTER)
    records["first"], records["end"], records["parent"] = first[:-1], first[1:], clusters.parent
    records["y"], records["size"] = first_y[:-1], np.diff(first_y)
    steps = np.empty(len(clusters.nodes), dtype=STEP)
    steps["node"] = clusters.nodes
    steps["inside"] = tree["parent"][clusters.nodes] != np.repeat(clusters.parent, np.diff(first))
    steps["carries"] = np.isin(clusters.nodes, clusters.parent)
    column = np.empty(len(clusters.y), dtype=np.int64)
    column[clusters.y] = np.arange(len(column)) - np.repeat(first_y[:-1], np.diff(first_y))
    local = np.zeros((len(G), clusters.largest))
    dofs, ys = np.nonzero(G)
    local[dofs, column[ys]] = G[dofs, ys]
    loops = program.loops, program.members, program.parameters
    return Records(tree, *loops, records, steps, clusters.y, column, local)
