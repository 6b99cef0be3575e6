"""Capsules along the segments of OpenSim's bodies, which have no surfaces that touch.

A capsule runs from the joint that moves a body to each joint that it carries; on the last body of a chain to as far
beyond its centre of mass as the joint is before it. A body that carries nothing and only follows other joints, such as
a patella, gets none.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from ipc_articulation import spatial
from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.model import Capsule, Mechanism, Shape, Sphere
from ipc_articulation.dynamics.reading.tree import joints_below


def add_capsules(
    mechanism: Mechanism, segments: Mapping[str, Array], radius: float, followers: Collection[str]
) -> frozenset[frozenset[str]]:
    """Give links capsules.

    Args:
        mechanism: To add to.
        segments: By link: points (k, 3) [m] of its own joint and of those that hang on it, see `OsimModel`.
        radius: [m].
        followers: Names of joints that follow others.

    Returns:
        Pairs of links with one link between them: where that one is short, they overlap, and must not touch.
    """
    above = {joint.child: joint for joint in mechanism.joints}
    for link in mechanism.links:
        if link.name in segments:
            start, *ends = segments[link.name]
            if not ends and above[link.name].name not in followers:
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
