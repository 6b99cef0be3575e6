"""The tree as the compiled algorithms see it: one record a node, parents before children.

A node is one element of a joint (`joints/elements.py`) with the frame that it moves. A screw's node frame has its z
axis along the screw's axis, so that the motion is a turn about z and a slide along z. The last node of a joint carries
the body; the nodes before it have no mass. Velocity coordinates of a node are `v … v + nv`, and its columns S are fixed
in the parent's frame.
"""

from __future__ import annotations

import numpy as np

SCREW, TRANSLATION, ROTATION = 0, 1, 2

NODE = np.dtype(
    [
        ("parent", "i8"),  # node, or -1: the world
        ("kind", "i8"),
        ("q", "i8"),  # first position coordinate
        ("v", "i8"),  # first velocity coordinate
        ("nq", "i8"),  # number of position coordinates, at most 4
        ("nv", "i8"),  # number of velocity coordinates, at most 3
        ("body", "i8"),  # body that the node carries, or -1
        ("turn", "f8"),  # of a screw [rad a unit of q]
        ("slide", "f8"),  # of a screw [m a unit of q]
        ("R", "f8", (3, 3)),  # node frame at q = 0 in the parent node's frame
        ("p", "f8", (3,)),  # [m]
        ("mass", "f8"),  # [kg]
        ("centre", "f8", (3,)),  # centre of mass in the node frame [m]
        ("inertia", "f8", (3, 3)),  # about the centre, in the node frame [kg·m²]
        ("gravity", "f8", (3,)),  # in the world, the same in all nodes [m/s²]
        ("rotor", "f8", (3,)),  # reflected rotor inertia of each velocity coordinate [kg·m² or kg]
    ],
    align=True,
)
