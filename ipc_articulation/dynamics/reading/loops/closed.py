"""Positions at which relations hold, and which of their rows say something new there.

A planar loop holds its points together across its plane without any constraint, a second point on a hinge's axis adds
two directions, and one bar of a parallelogram may be one too many. So rows of φ are kept only if they raise the rank of
K = ∂φ/∂q at a regular position, one relation after the other. A direction in which the joints have less than a
thousandth of the relation's largest lever counts as held: axes in files are parallel to few digits only (as RaiSim has
it).
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

TRIES, SAMPLES = 30, 5  # starts, and closed positions that are enough
GAP = 1e-4  # |φ| that rounded numbers in a file may leave [m or rad]
RANK = 1e-3  # lever that counts, relative to the relation's largest


class Regular(NamedTuple):
    """A closed position, and what counts there."""

    q: Array  # (n,)
    rows: Ints  # (r,) of φ
    K: Array  # (r, n) of these rows, each relation's largest entry 1


def regular_positions(group: Group, nominal: Mapping[str, float]) -> list[Regular]:
    """Positions with the greatest rank that is found, the one nearest to the nominal one first.

    Args:
        group: Relations.
        nominal: Where to look for closed positions first; zero for joints that it leaves out.

    Raises:
        ModelError: The relations cannot hold together, or one says nothing new.
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
    basis = np.zeros((group.size, 0))  # of the kept rows' space, orthonormal
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
