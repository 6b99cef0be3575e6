"""Which joints of the mechanism are functions of shared coordinates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ipc_articulation.dynamics.loops.coordinate_functions import CoordinateFunctions
from ipc_articulation.dynamics.reading.osim.chain import Screw
from ipc_articulation.dynamics.reading.osim.functions import IDENTITY


@dataclass(frozen=True)
class Cluster:
    """Joints whose positions are functions of fewer, or other, coordinates."""

    joints: tuple[str, ...]  # of the mechanism, (n,)
    coordinates: tuple[str, ...]  # independent ones, (m,)
    constraint: CoordinateFunctions  # from these to those


def clusters_of(groups: Iterable[list[Screw]], order: Sequence[str]) -> tuple[Cluster, ...]:
    """The clusters of a mechanism.

    All that makes up one joint of OpenSim, and all joints of OpenSim that share a coordinate, belong together. It is a
    cluster unless each joint moves as a coordinate of its own.

    Args:
        groups: Of each joint of OpenSim, the joints that make it up.
        order: All independent coordinates.
    """
    return tuple(_cluster(screws, order) for screws in _connected(groups) if not _independent(screws))


def _connected(groups: Iterable[list[Screw]]) -> list[list[Screw]]:
    """Groups that share a coordinate are put together."""
    merged: list[list[Screw]] = []
    for screws in groups:
        mine = {screw.coordinate for screw in screws}
        sharing = [other for other in merged if mine & {screw.coordinate for screw in other}]
        merged = [other for other in merged if other not in sharing]
        merged.append([screw for other in sharing for screw in other] + screws)
    return merged


def _independent(screws: list[Screw]) -> bool:
    count = Counter(screw.coordinate for screw in screws)
    return all(screw.function == IDENTITY and count[screw.coordinate] == 1 for screw in screws)


def _cluster(screws: list[Screw], order: Sequence[str]) -> Cluster:
    coordinates = sorted({screw.coordinate for screw in screws}, key=list(order).index)
    functions = [screw.function for screw in screws]
    of = [coordinates.index(screw.coordinate) for screw in screws]
    return Cluster(
        tuple(screw.joint for screw in screws), tuple(coordinates), CoordinateFunctions(functions, of, coordinates)
    )
