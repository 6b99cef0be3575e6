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

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.engine.joint_coordinates import JointCoordinates
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms.coordinate_term import CoordinateTerm
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.joints import JointMesh
from ipc_articulation.frontend.written_attributes import JointAttribute


class JointLimits(CoordinateTerm):
    """The limits of m joints; constant after they were read, as in libuipc."""

    name = "joint limit"

    def __init__(
        self, coordinates: JointCoordinates, places: Ints, lower: Array, upper: Array, strength: Array
    ) -> None:
        """Take the limits.

        Args:
            coordinates: The joints.
            places: Their indices in the state's θ, (m,).
            lower: Bounds on θ, not above `upper`, (m,) [rad or m].
            upper: Upper bounds, (m,).
            strength: s, (m,) [J·s²].
        """
        super().__init__(coordinates, places)
        self._lower, self._upper, self._strength = lower, upper, strength
        self._width = np.where(upper > lower, upper - lower, 1.0)

    def begin_step(self, state: EngineState, dt: float) -> None:
        self._theta = state.theta[self._places]

    def pair_energies(self, q: Array) -> Array:
        return self._strength * np.abs(self._excess(q)) ** 3

    def derivatives(self, q: Array) -> tuple[Array, Array]:
        r = self._excess(q)
        slope = 3.0 * self._strength * r * np.abs(r) / self._width
        return slope, 6.0 * self._strength * np.abs(r) / self._width**2

    def _excess(self, q: Array) -> Array:
        """Distance of θ from its bounds, in widths, (m,): r above the upper one, -r below the lower one."""
        theta = self.coordinates_at(q)
        return (theta - np.clip(theta, self._lower, self._upper)) / self._width


def read(slots: Sequence[Any], context: SceneContext) -> JointLimits:
    """The limits of the joint geometries among the slots.

    Raises:
        SceneError: A lower limit above the upper one, a number that is not finite; names geometry and joint.
    """
    meshes, places = context.joints_of(slots)
    coordinates = JointCoordinates.of(meshes)
    lower, upper, strength = np.concatenate([_read_limits(mesh) for mesh in meshes], axis=1)
    return JointLimits(coordinates, places, lower - coordinates.offset, upper - coordinates.offset, strength)


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
