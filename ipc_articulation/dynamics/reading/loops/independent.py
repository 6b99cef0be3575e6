"""Which joints of a loop are independent: those that the file says, or else those that leave K_d well conditioned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.linalg import qr

from ipc_articulation.dynamics.joints.elements import Array
from ipc_articulation.dynamics.reading.loops.closed import Regular
from ipc_articulation.dynamics.reading.loops.group import Group

SINGULAR = 1e8  # condition number of K_d


def independent_joints(group: Group, flags: Mapping[str, bool], positions: Sequence[Regular]) -> list[int]:
    """The n - r joints that determine the others, by their places in the group.

    Args:
        group: Relations of n joints.
        flags: Of joints by name, whether they are independent. Where a group has a flag, its other joints are
            independent unless they follow one; where it has none, followers depend, and as many others as are needed.
        positions: Regular ones, with r rows.

    Raises:
        ModelError: A wrong number of joints is independent, none is, or they do not determine the others.
    """
    rank = len(positions[0].rows)
    if rank == group.size:
        raise group.error(f"leaves no motion: {rank} conditions on {group.listed}")
    given = [flags[joint] for joint in group.joints if joint in flags]
    if not given:
        dependent = _chosen(group, positions[0].K)
    else:
        followers = {relation.follower for relation in group.relations}
        dependent = [i for i, joint in enumerate(group.joints) if not flags.get(joint, joint not in followers)]
        _check(group, dependent, positions)
    return [i for i in range(group.size) if i not in dependent]


def _chosen(group: Group, K: Array) -> list[int]:
    """Followers, and then the joints that move most across what is held so far; of two alike the later one."""
    followers = {relation.follower for relation in group.relations}
    first = [i for i, joint in enumerate(group.joints) if joint in followers]
    if len(first) > len(K) or (first and np.linalg.svd(K[:, first], compute_uv=False)[-1] < 1.0 / SINGULAR):
        first = []
    others = [i for i in reversed(range(group.size)) if i not in first]
    held = np.linalg.qr(K[:, first])[0]
    order = qr(K[:, others] - held @ (held.T @ K[:, others]), mode="r", pivoting=True)[1]
    return first + [others[i] for i in order[: len(K) - len(first)]]


def _check(group: Group, dependent: list[int], positions: Sequence[Regular]) -> None:
    rank = len(positions[0].rows)
    names = [joint for i, joint in enumerate(group.joints) if i not in dependent]
    listed = ", ".join(f"'{name}'" for name in names) or "none"
    if len(dependent) != rank:
        raise group.error(
            f"{len(names)} of {group.listed} are independent ({listed}), but {rank} conditions leave "
            f'{group.size - rank}; give the others independent="false"'
        )
    if min(np.linalg.cond(position.K[:, dependent]) for position in positions) > SINGULAR:
        raise group.error(f"the independent joints {listed} do not determine the others of {group.listed}")
