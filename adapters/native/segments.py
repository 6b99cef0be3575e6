"""Capsules along the segments of OpenSim's bodies, which have no surfaces that touch.

A capsule extends from the joint that moves a body to each of its child joints. On the last body of a chain its middle
is the centre of mass. A body without children that nonlinear functions move, such as a patella, gets no capsule.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from ipc_articulation import spatial
from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.model import Capsule, Mechanism, Shape, Sphere
from ipc_articulation.dynamics.reading.tree import joints_below


def add_capsules(
    mechanism: Mechanism, segments: Mapping[str, Array], radius: float, curved: Collection[str]
) -> frozenset[frozenset[str]]:
    """Give links capsules.

    Args:
        mechanism: The mechanism.
        segments: By link: points (k, 3) [m] of its own joint and of its child joints, see `OsimModel`.
        radius: [m].
        curved: Names of joints that nonlinear functions of others move.

    Returns:
        Pairs of links with one link between them. If that link is short, they overlap, so they must not touch.
    """
    above = {joint.child: joint for joint in mechanism.joints}
    for link in mechanism.links:
        if link.name in segments:
            start, *ends = segments[link.name]
            if not ends and above[link.name].name not in curved:
                ends = [2.0 * np.asarray(link.centre) - start]
            link.collision = tuple(_capsule(start, end, radius) for end in ends)
    overlapping = set()
    for name in segments:
        below = [joint.child for joint in joints_below(above[name].parent, above) if joint.child in segments]
        overlapping |= {frozenset({name, second}) for second in below[1:2]}
    return frozenset(overlapping)


def _capsule(start: Array, end: Array, radius: float) -> Shape:
    along = end - start
    length = float(np.linalg.norm(along))
    if length == 0.0:
        return Shape(Sphere(radius), spatial.pose(p=start))
    return Shape(Capsule(radius, length), spatial.pose(spatial.rotation_to(along / length), 0.5 * (start + end)))
