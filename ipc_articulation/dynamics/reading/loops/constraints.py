"""Loops, each joints and the constraint on them, from relations."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from scipy.linalg import qr

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.dynamics.loops.constraint import LoopConstraint
from ipc_articulation.dynamics.loops.explicit import Affine, Static
from ipc_articulation.dynamics.loops.implicit import Implicit
from ipc_articulation.dynamics.model.mechanism import Mechanism
from ipc_articulation.dynamics.reading.loops.closed import RANK, Regular, regular_positions
from ipc_articulation.dynamics.reading.loops.group import Group, groups
from ipc_articulation.dynamics.reading.loops.relations import Relation

SINGULAR = 1e8  # condition number of K_d

Loops = list[tuple[Sequence[str], LoopConstraint]]


def loops_of(
    mechanism: Mechanism,
    relations: Iterable[Relation],
    independent: Mapping[str, bool] | None = None,
    nominal: Mapping[str, float] | None = None,
    driven: Collection[str] = (),
) -> Loops:
    """Joints and constraints in the form of `Mechanism.loops`.

    Relations with common joints become one constraint. If all of them are linear, it is `Static`, or `Affine` for
    joints with offsets; else it is `Implicit`, with the independent rows.

    Args:
        mechanism: The spanning tree.
        relations: The relations between its joints.
        independent: By joint name, whether the joint is independent; None: joints are chosen automatically.
        nominal: Positions by joint name [rad or m] near which all loops close; joints left out are at zero.
        driven: Names of joints with an actuator, which are independent if the others can depend on them.

    Raises:
        ModelError: Relations contradict each other, are redundant or leave no motion, or their independent joints are
            too many, too few or the wrong ones.
    """
    order = [joint.name for joint in mechanism.joints]
    found = groups(relations, order)
    return [(group.joints, _constraint(group, independent or {}, nominal or {}, driven)) for group in found]


def _constraint(
    group: Group, flags: Mapping[str, bool], nominal: Mapping[str, float], driven: Collection[str]
) -> LoopConstraint:
    positions = regular_positions(group, nominal)
    free, rows = _independent_joints(group, flags, positions, driven), positions[0].rows
    if group.linear:
        return _linear(group, rows, free)
    return Implicit(lambda q: group.phi(q)[rows], group.size, free)


def _linear(group: Group, rows: Ints, free: list[int]) -> LoopConstraint:
    """K q = b in the form q = G y + o, y the positions of the free joints: G_d = -K_d⁻¹ K_i, o_d = K_d⁻¹ b."""
    none = np.zeros(group.size)
    K, b = group.K(none)[rows], -group.phi(none)[rows]
    bound = np.setdiff1d(np.arange(group.size), free)
    G, offset = np.zeros((group.size, len(free))), np.zeros(group.size)
    G[free, np.arange(len(free))] = 1.0
    solved = np.linalg.solve(K[:, bound], np.column_stack([-K[:, free], b]))
    G[bound], offset[bound] = solved[:, :-1], solved[:, -1]
    return Affine(G, offset, K) if offset.any() else Static(G, K)


def _independent_joints(
    group: Group, flags: Mapping[str, bool], positions: Sequence[Regular], driven: Collection[str]
) -> list[int]:
    """Indices in the group of the n - r joints that determine the others.

    Args:
        group: Relations between n joints.
        flags: By joint name, whether the joint is independent. If a group has a flag, its other joints are independent
            unless they follow a joint. If it has none, they are chosen.
        positions: Regular positions with r rows.
        driven: Names of joints with an actuator.

    Raises:
        ModelError: The number of independent joints is wrong or zero, or they do not determine the others.
    """
    rank = len(positions[0].rows)
    if rank == group.size:
        raise group.error(f"leaves no motion: {rank} conditions on {group.listed}")
    given = [flags[joint] for joint in group.joints if joint in flags]
    if not given:
        dependent = _chosen(group, positions[0].K, driven)
    else:
        followers = {relation.follower for relation in group.relations}
        dependent = [i for i, joint in enumerate(group.joints) if not flags.get(joint, joint not in followers)]
        _check(group, dependent, positions)
    return [i for i in range(group.size) if i not in dependent]


def _chosen(group: Group, K: Array, driven: Collection[str]) -> list[int]:
    """Dependent joints: first followers, then joints without an actuator, as far as they can be, then the others.

    Of each kind those with the largest motion normal to the rows so far; the later if equal. A follower with an
    actuator is no such one, unless it is a curved function of its leader.
    """
    linear = {relation.follower: relation.linear for relation in group.relations}
    joints = list(reversed(range(group.size)))
    idle = [i for i in joints if group.joints[i] not in driven]
    followers = [i for i in joints if group.joints[i] in linear]
    first = [i for i in followers if i in idle or not linear[group.joints[i]]]
    found: list[int] = []
    for kind, least in ((first, 1.0 / SINGULAR), (idle, RANK), (followers, 1.0 / SINGULAR), (joints, 0.0)):
        others = [i for i in kind if i not in found]
        if not others:
            continue
        held = np.linalg.qr(K[:, found])[0]
        R, order = qr(K[:, others] - held @ (held.T @ K[:, others]), mode="r", pivoting=True)
        new = order[: np.count_nonzero(np.abs(np.diag(R)) >= least)]
        found += [others[i] for i in new[: len(K) - len(found)]]
    return found


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
