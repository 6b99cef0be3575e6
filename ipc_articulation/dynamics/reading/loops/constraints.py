"""From relations to loops: joints, and the constraint on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ipc_articulation.dynamics.loops.constraint import LoopConstraint
from ipc_articulation.dynamics.loops.explicit import Affine, Static
from ipc_articulation.dynamics.loops.implicit import Implicit
from ipc_articulation.dynamics.model.mechanism import Mechanism
from ipc_articulation.dynamics.reading.loops.closed import Indices, regular_positions
from ipc_articulation.dynamics.reading.loops.group import Group, groups
from ipc_articulation.dynamics.reading.loops.independent import independent_joints
from ipc_articulation.dynamics.reading.loops.relations import Relation

Loops = list[tuple[Sequence[str], LoopConstraint]]


def loops_of(
    mechanism: Mechanism,
    relations: Iterable[Relation],
    independent: Mapping[str, bool] | None = None,
    nominal: Mapping[str, float] | None = None,
) -> Loops:
    """Joints and constraints, as `Mechanism.loops` has them.

    Relations that share joints become one constraint: `Static`, or `Affine` where joints are offset, if all of them are
    linear, else `Implicit`, of the rows that say something new.

    Args:
        mechanism: The spanning tree.
        relations: Between its joints.
        independent: Of joints by name, whether they are independent; None: as it suits.
        nominal: A position of joints by name [rad or m] near which all loops close; zero for joints that it leaves out.

    Raises:
        ModelError: Relations that cannot hold together, that say nothing new, that leave no motion, or whose
            independent joints are too many, too few or the wrong ones.
    """
    order = [joint.name for joint in mechanism.joints]
    return [(group.joints, _constraint(group, independent or {}, nominal or {})) for group in groups(relations, order)]


def _constraint(group: Group, flags: Mapping[str, bool], nominal: Mapping[str, float]) -> LoopConstraint:
    positions = regular_positions(group, nominal)
    free, rows = independent_joints(group, flags, positions), positions[0].rows
    if group.linear:
        return _linear(group, rows, free)
    return Implicit(lambda q: group.phi(q)[rows], group.size, free)


def _linear(group: Group, rows: Indices, free: list[int]) -> LoopConstraint:
    """K q = b as q = G y + o, y the positions of the free joints: G_d = -K_d⁻¹ K_i, o_d = K_d⁻¹ b."""
    none = np.zeros(group.size)
    K, b = group.K(none)[rows], -group.phi(none)[rows]
    bound = np.setdiff1d(np.arange(group.size), free)
    G, offset = np.zeros((group.size, len(free))), np.zeros(group.size)
    G[free, np.arange(len(free))] = 1.0
    solved = np.linalg.solve(K[:, bound], np.column_stack([-K[:, free], b]))
    G[bound], offset[bound] = solved[:, :-1], solved[:, -1]
    return Affine(G, offset, K) if offset.any() else Static(G, K)
