"""The wrenches of bodies that are joined to links but are not part of the robot: those that `attach` holds, and others.

Such a joint has the energy E of `engine.terms.joint_penalty`; it pushes its two bodies with -∂E/∂q, and the wrench on
one of them is (∂q/∂V)ᵀ(-∂E/∂q), for the twists V of `jacobian.rigid_motions`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.readouts.engine_results import StepResults
from ipc_articulation.coupling.readouts.jacobian import rigid_motions


def attachment_wrenches(results: StepResults, link_ids: Sequence[int], own: Iterable[tuple[int, int]]) -> Array:
    """Sums on the links, [moment about the world's origin; force], (n, 6) [N·m; N].

    Args:
        results: The engine's.
        link_ids: Ids of the geometries of the n links.
        own: Ids of the geometries of the bodies of each of the robot's own joints, which the scene has before others.
    """
    W, place, left = np.zeros((len(link_ids), 6)), {number: k for k, number in enumerate(link_ids)}, Counter(own)
    for rows, forces in zip(results.joints, results.joint_forces, strict=True):
        ends = results.ids[rows[0]][0], results.ids[rows[1]][0]
        if left[ends]:
            left[ends] -= 1
            continue
        for row, end, force in zip(rows, ends, forces, strict=True):
            if end in place:
                W[place[end]] += rigid_motions(results.q[row][None])[0] @ force
    return W
