"""Which joints of the mechanism are functions of shared coordinates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ipc_articulation.dynamics.loops.coordinate_functions import CoordinateFunctions
from ipc_articulation.dynamics.reading.osim.chain import MovingJoint
from ipc_articulation.dynamics.reading.osim.functions import IDENTITY


@dataclass(frozen=True)
class Cluster:
    """Joints whose positions are functions of fewer, or other, coordinates."""

    joints: tuple[str, ...]  # of the mechanism, (n,)
    coordinates: tuple[str, ...]  # independent ones, (m,)
    constraint: CoordinateFunctions  # from these to those


def clusters_of(groups: Iterable[list[MovingJoint]], order: Sequence[str]) -> tuple[Cluster, ...]:
    """The clusters of a mechanism.

    All that makes up one joint of OpenSim, and all joints of OpenSim that share a coordinate, belong together. It is a
    cluster unless each joint moves as a coordinate of its own.

    Args:
        groups: Of each joint of OpenSim, the joints that make it up.
        order: All independent coordinates.
    """
    return tuple(_cluster(joints, order) for joints in _connected(groups) if not _independent(joints))


def _connected(groups: Iterable[list[MovingJoint]]) -> list[list[MovingJoint]]:
    """Groups that share a coordinate are put together."""
    merged: list[list[MovingJoint]] = []
    for joints in groups:
        mine = {one.coordinate for one in joints}
        sharing = [other for other in merged if mine & {one.coordinate for one in other}]
        merged = [other for other in merged if other not in sharing]
        merged.append([one for other in sharing for one in other] + joints)
    return merged


def _independent(joints: list[MovingJoint]) -> bool:
    count = Counter(one.coordinate for one in joints)
    return all(one.function == IDENTITY and count[one.coordinate] == 1 for one in joints)


def _cluster(joints: list[MovingJoint], order: Sequence[str]) -> Cluster:
    coordinates = sorted({one.coordinate for one in joints}, key=list(order).index)
    of = [coordinates.index(one.coordinate) for one in joints]
    constraint = CoordinateFunctions([one.function for one in joints], of, coordinates)
    return Cluster(tuple(one.joint for one in joints), tuple(coordinates), constraint)
