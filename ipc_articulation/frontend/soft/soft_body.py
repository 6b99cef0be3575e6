"""What a soft body is to the engine: plain arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ipc_articulation.arrays import Array, Bools, Ints


@dataclass(frozen=True)
class SoftBody:
    """One geometry of finite elements with V vertices."""

    name: str
    slot: Any  # its geometry slot, for writing back and for constants of the elements
    rest: Array  # (V, 3) rest positions [m]
    x: Array  # (V, 3) present positions [m], in the world
    v: Array  # (V, 3) [m/s]
    mass: Array  # (V,) lumped [kg]
    is_fixed: Bools  # (V,)
    is_dynamic: Bools  # (V,) without it a vertex has no velocity in its prediction
    own_gravity: Array  # (V, 3) [m/s²]; the scene's gravity is used if it is NaN
    thickness: Array  # (V,) radius about each vertex [m]
    contact_elements: Ints  # (V,)
    subscene: int
    d_hat: float  # [m]; the scene's value is used if it is not positive
    self_collision: bool
    dimension: int  # 0 particles, 1 rods, 2 shells, 3 solids
    edges: Ints  # (E, 2) of rods, and all edges of shells and solids
    triangles: Ints  # (T, 3)
    tetrahedra: Ints  # (K, 4)
    surface_vertices: Bools  # (V,) whether a vertex may touch something
    surface_edges: Ints  # (., 2)
    surface_faces: Ints  # (., 3)

    @property
    def owner(self) -> str:
        """What error messages call it."""
        return f"soft body '{self.name}' (geometry {self.slot.id()})"
