"""Gradient and Hessian of the usual terms, in pieces that cores share.

A piece has whole parts of the scene, which no term couples, as those of many robots: each writes to rows of its own. So
the sums are the same to the last bit, in however many pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.articulation.evaluation import forces
from ipc_articulation.cores import parts, parts_of_sizes, share
from ipc_articulation.engine.linear_system.block_matrix import BlockMatrix
from ipc_articulation.engine.terms.articulation import Articulation
from ipc_articulation.engine.terms.term import Term
from ipc_articulation.engine.usual_terms import HeldTerms, TermArrays, add_derivatives, hold_terms, room_of

_WORTH = 64  # bodies that are worth a core: some tenths of a millisecond
_MOST = 16  # pieces: each looks at all bodies for its own


class UsualAssembly:
    """Sums the derivatives of usual terms, see `usual_terms.usual_of`."""

    def __init__(self, terms: Sequence[Term], labels: Ints, movable: Bools) -> None:
        """Prepare.

        Args:
            terms: The usual terms.
            labels: Of the parts of the scene that terms couple, (n,).
            movable: Which bodies are not fixed, (n,).
        """
        self.terms = hold_terms({term.name: term for term in terms}, len(labels))
        self._articulation = next((term for term in terms if isinstance(term, Articulation)), None)
        self._terms, self._movable, self._room = tuple(terms), movable, room_of(terms)
        self._part = np.unique(labels, return_inverse=True)[1].reshape(len(labels))
        self._count = int(self._part.max(initial=-1)) + 1  # of parts

    def add(self, q: Array, moving: Bools, projected: Bools, g: Array, blocks: BlockMatrix) -> None:
        """Add the gradient at q (n, 12) of moving bodies (n,) to g (n, 12), and the Hessian, exact or projected."""
        force, delta, w = _NO_FORCES if self._articulation is None else forces(self._articulation.arrays, q)
        J, groups = np.zeros((len(w), 24)), self._groups(moving)
        given = self.terms, q, force, w
        if len(groups) > 1:
            self._add_groups(groups, given, moving, projected, g, blocks, J)
        else:
            blocks.has_now(add_derivatives(*given, moving, projected, g, blocks.with_room(self._room), J))
        if self._articulation is not None:
            self._articulation.linearized(J, delta)

    @cached_property
    def _rooms(self) -> Ints:
        """The largest number of blocks above the diagonal that each part adds, (p,)."""
        return np.bincount(self._part[_pairs(self._terms, self._movable)[:, 0]], minlength=self._count)

    def _groups(self, moving: Bools) -> list[Ints]:
        """The parts with moving bodies, in groups that are worth a core; none where all are in one."""
        if self._count < 2 or np.count_nonzero(moving) <= _WORTH:
            return []
        counts = np.bincount(self._part[moving], minlength=self._count)
        chosen = np.flatnonzero(counts)
        return [chosen[some] for some in parts_of_sizes(counts[chosen], max(_WORTH, -(-int(counts.sum()) // _MOST)))]

    def _add_groups(
        self,
        groups: list[Ints],
        given: tuple[HeldTerms | TermArrays, Array, Array, Array],
        moving: Bools,
        projected: Bools,
        g: Array,
        blocks: BlockMatrix,
        J: Array,
    ) -> None:
        """`add_derivatives` group by group; each puts its blocks where it has room, and in the end gaps are closed."""
        ends = np.cumsum([self._rooms[group].sum() for group in groups])
        H = blocks.with_room(int(ends[-1]))
        begins = H.number + np.concatenate([[0], ends[:-1]])

        def add_group(some: slice) -> int:
            own = moving & np.isin(self._part, groups[some.start])
            into = H._replace(place=np.where(own, H.place, -1), number=int(begins[some.start]))
            return add_derivatives(*given, own, projected, g, into, J)

        blocks.close_up(begins, np.array(share(add_group, parts(len(groups), 1))))


_NO_FORCES = tuple(np.zeros((3, 0)))


def _pairs(terms: Sequence[Term], movable: Bools) -> Ints:
    """The pairs of different movable bodies whose blocks usual terms may add, each once, (p, 2)."""
    found = [np.zeros((0, 2), dtype=np.int64)]
    for term in terms:
        found.append(np.sort(term.joints, axis=1))
        for bodies in term.blocks if isinstance(term, Articulation) else ():
            members = np.unique(bodies)
            found.append(members[np.stack(np.triu_indices(len(members), 1), axis=1)])
    pairs = np.unique(np.concatenate(found), axis=0)
    return pairs[(pairs[:, 0] != pairs[:, 1]) & movable[pairs].all(axis=1)]
