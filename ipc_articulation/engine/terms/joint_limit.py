"""The limits of revolute and prismatic joints (libuipc's constitutions 670 and 669).

    E = s r³,   r = max(θ - u, l - θ, 0) / (u - l),   without dt²

s is `limit/strength` [J·s²]; l and u are `limit/lower` and `limit/upper`, bounds on `angle` [rad] or `distance` [m],
less `init_angle` or `init_distance`, since θ counts from the initial pose. They may be many turns away. If u = l, there
is no division. The penalty is soft: under a force a joint comes to rest slightly beyond its limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.joint_coordinates import JointCoordinates
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.terms.coordinate_term import CoordinateFunctions, over_joints
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.joints import JointMesh
from ipc_articulation.frontend.written_attributes import JointAttribute


@compiled
def _bounds(theta, c):
    """s |r|³ with r = (θ - its nearest value in [l, u]) / width, c = (l, u, s, width)."""
    r, s, width = (theta - min(max(theta, c[0]), c[1])) / c[3], c[2], c[3]
    return s * abs(r) ** 3, 3.0 * s * r * abs(r) / width, 6.0 * s * abs(r) / width**2


_BOUNDS = over_joints(_bounds)


class JointLimits(CoordinateFunctions):
    """The limits of m joints; constant after they were read, as in libuipc."""

    name = "joint limit"


def read(slots: Sequence[Any], context: SceneContext) -> JointLimits:
    """The limits of the joint geometries among the slots.

    Raises:
        SceneError: A lower limit above the upper one, a number that is not finite; names geometry and joint.
    """
    meshes, places = context.joints_of(slots)
    coordinates = JointCoordinates.of(meshes)
    lower, upper, strength = np.concatenate([_read_limits(mesh) for mesh in meshes], axis=1)
    width = np.where(upper > lower, upper - lower, 1.0)
    constants = np.column_stack([lower - coordinates.offset, upper - coordinates.offset, strength, width])
    return JointLimits(coordinates, places, context.numbering.affine, constants, _BOUNDS)


def _read_limits(mesh: JointMesh) -> Array:
    """Lower and upper bounds on `angle` or `distance`, and s, of a geometry's m joints: (3, m)."""
    lower, upper = (JointAttribute([mesh], name).read() for name in ("limit/lower", "limit/upper"))
    strength = JointAttribute([mesh], "limit/strength", nonnegative=True).read()
    if (lower > upper).any():
        k = int(np.argmax(lower > upper))
        raise SceneError(
            f"joint geometry {mesh.geo_id}, joint {k}: limit/lower {lower[k]:g} is above limit/upper {upper[k]:g}; "
            "it must not be"
        )
    return np.stack([lower, upper, strength])
