"""Mass and inertia of solid bodies, for links of which the file gives none."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.reading.node import XmlNode, numbers_of

DENSITY = 1000.0  # [kg/m³]
RADIUS = 0.01  # [m] of the ball in place of a link without a shape


def ball(mass: float) -> tuple[float, Array]:
    """Mass, and inertia 2/5 m r² of a ball of this mass with the density of water, (3, 3)."""
    radius = (mass / (4.0 / 3.0 * np.pi * DENSITY)) ** (1.0 / 3.0)
    return mass, 0.4 * mass * radius**2 * np.eye(3)


def solid_of(shape: XmlNode | None) -> tuple[float, Array]:
    """Mass and inertia (3, 3) of a solid with a shape's size; of a ball with `RADIUS` for meshes and no shape.

    Capsules count as cylinders between the centres of their spheres.
    """
    geometry = None if shape is None else shape.child("geometry")
    given = [] if geometry is None else geometry.children()
    size = _box_like(given[0]) if given else None
    if size is None or not np.all(size > 0.0):
        return ball(4.0 / 3.0 * np.pi * RADIUS**3 * DENSITY)
    second = size[:3] ** 2 * size[3]
    mass = DENSITY * size[4]
    return mass, mass * np.diag(second.sum() - second)


def _box_like(shape: XmlNode) -> Array | None:
    """Sizes a of a shape along its axes, the factor k of its mean squares ⟨xᵢ²⟩ = k aᵢ², and its volume: (5,).

    k is 1/12 for the edges of a box; radii count as edges that have the same mean squares: r²/4 = a²/12 across a
    cylinder, r²/5 = a²/12 in a ball.
    """

    def numbers(name: str, count: int = 1) -> Array:
        found = numbers_of(shape.element.get(name, ""), count)
        return np.zeros(count) if found is None else found

    twelfth = 1.0 / 12.0
    if shape.tag == "box":
        size = numbers("size", 3)
        return np.array([*size, twelfth, size.prod()])
    radius = numbers("radius")[0]
    if shape.tag == "sphere":
        return np.array([*3 * [np.sqrt(2.4) * radius], twelfth, 4.0 / 3.0 * np.pi * radius**3])
    if shape.tag in ("cylinder", "capsule"):
        length = numbers("height" if shape.element.get("height") else "length")[0]
        return np.array([*2 * [np.sqrt(3.0) * radius], length, twelfth, np.pi * radius**2 * length])
    return None
