"""Data in joint geometries of every kind: the two bodies of each joint, and numbers that must be finite.

A joint is an edge (revolute, prismatic) or a vertex (fixed, spherical).
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.attributes import require


class JoinableBodies(Protocol):
    """Bodies that joints may connect; `frontend.bodies.BodyTable` satisfies this protocol."""

    @property
    def transforms(self) -> Array:
        """Initial transforms, (n, 4, 4)."""
        ...

    def index(self, geo_id: int, inst_id: int, asker: str) -> int:
        """Row of a body; a SceneError that names the asker if there is no such body."""
        ...


def read_body_pairs(joints: Any, bodies: JoinableBodies, owner: str) -> Ints:
    """Rows of the left and of the right body of each joint, (m, 2).

    Args:
        joints: The attribute collection of the joints: edges or vertices.
        bodies: The bodies of the scene.
        owner: The name of the joint geometry in messages.

    Raises:
        SceneError: A missing attribute, a body without geometry slot, a body joined to itself.
    """
    columns = (require(joints, name, owner) for name in ("l_geo_id", "l_inst_id", "r_geo_id", "r_inst_id"))
    pairs = np.empty((joints.size(), 2), dtype=np.int64)
    for k, (l_geo, l_inst, r_geo, r_inst) in enumerate(zip(*columns, strict=True)):
        pairs[k, 0] = bodies.index(int(l_geo), int(l_inst), f"{owner}, joint {k} (left body)")
        pairs[k, 1] = bodies.index(int(r_geo), int(r_inst), f"{owner}, joint {k} (right body)")
        if pairs[k, 0] == pairs[k, 1]:
            raise SceneError(
                f"{owner}, joint {k} joins geometry {l_geo}, instance {l_inst} to itself; give it two different bodies"
            )
    return pairs


def check_joint_values(values: Array, name: str, owner: str, nonnegative: bool = False) -> Array:
    """Values (m, ...) of an attribute, a row for each joint, if they are valid.

    Raises:
        SceneError: A value is not finite or, if `nonnegative`, below zero; the message names joint and attribute.
    """
    bad = ~np.isfinite(values) | (nonnegative & (values < 0.0))
    if bad.any():
        k = int(np.argwhere(bad)[0, 0])
        raise SceneError(
            f"{owner}, joint {k}: {name} is {values[k]}; it must be finite{' and not negative' if nonnegative else ''}"
        )
    return values
