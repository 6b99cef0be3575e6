"""Positions at which relations are satisfied, and the rows of the relations that are independent there.

The joints of a planar loop already keep its points together normal to its plane, a second point on a hinge's axis adds
only two directions, and one bar of a parallelogram may be redundant. So a row of φ is used only if it raises the rank
of K = ∂φ/∂q at a regular position, one relation after the other. A direction in which the joints' lever is less than a
thousandth of the relation's largest one counts as already constrained, because axes in files are parallel to few digits
only (RaiSim does the same).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy.linalg import qr
from scipy.optimize import least_squares

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.dynamics.reading.loops.group import Group
from ipc_articulation.errors import ModelError

TRIES, SAMPLES = 30, 5  # largest numbers of starts, and of closed positions
GAP = 1e-4  # |φ| that rounded numbers in a file may leave [m or rad]
RANK = 1e-3  # smallest lever that counts, relative to the relation's largest


class Regular(NamedTuple):
    """A closed position, and the independent rows there."""

    q: Array  # (n,)
    rows: Ints  # (r,) indices of rows of φ
    K: Array  # (r, n) of these rows, each relation's largest entry 1


def regular_positions(group: Group, nominal: Mapping[str, float]) -> list[Regular]:
    """The positions with the greatest rank found, the one nearest to the nominal position first.

    Args:
        group: The relations.
        nominal: The position at which the search starts, by joint; joints left out are at zero.

    Raises:
        ModelError: The relations contradict each other, or one is redundant.
    """
    found = [_regular(group, q) for q in _closed(group, nominal)]
    rank = max(len(position.rows) for position in found)
    found = [position for position in found if len(position.rows) == rank]
    for number, relation in enumerate(group.relations):
        if all(number not in group.owner[position.rows] for position in found):
            raise ModelError(
                f"{relation.where}: holds nothing that {group.listed} and what else is between them do not hold "
                "already; leave it out"
            )
    return found


def _closed(group: Group, nominal: Mapping[str, float]) -> list[Array]:
    """Up to SAMPLES closed positions, from the nominal one and around it."""
    rng, centre = np.random.default_rng(0), np.array([nominal.get(joint, 0.0) for joint in group.joints])
    found, gaps = [], []
    for start in range(TRIES):
        spread = min(start, 3)
        end = least_squares(
            group.phi, centre + spread * rng.uniform(-1.0, 1.0, group.size), group.K, xtol=1e-15, ftol=1e-15, gtol=1e-15
        )
        gaps.append(group.gap(end.fun))
        if gaps[-1] <= GAP:
            found.append(end.x)
        if len(found) == (1 if group.linear else SAMPLES):
            break
    if not found:
        unit = " or ".join(sorted({relation.unit for relation in group.relations}))
        raise group.error(f"cannot be closed: a gap of {min(gaps):.3g} {unit} remains at best ({group.listed})")
    return found


def _regular(group: Group, q: Array) -> Regular:
    K = group.K(q)
    rows: list[int] = []
    basis = np.zeros((group.size, 0))  # orthonormal basis of the kept rows
    for number in range(len(group.relations)):
        own = np.flatnonzero(group.owner == number)
        largest = np.abs(K[own]).max()
        K[own] /= largest if largest > 0.0 else 1.0
        rest = K[own] - (K[own] @ basis) @ basis.T
        Q, R, order = qr(rest.T, mode="economic", pivoting=True)
        new = np.abs(np.diag(R)) > RANK
        rows += sorted(own[order[: len(new)][new]].tolist())
        basis = np.hstack([basis, Q[:, new]])
    return Regular(q, np.array(rows, dtype=np.int64), K[rows])
