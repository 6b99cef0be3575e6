"""Reading and writing the state of vertices between steps, as libuipc's FiniteElementStateAccessorFeature does it.

It is `engine.vertex_accessor`, and `world.features()` finds it (see `features`); names and arguments are the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from uipc.geometry import pointcloud

from ipc_articulation.arrays import Array
from ipc_articulation.engine.accessors.state_accessor import StateAccessor, entries_of, first_of, whole
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.attributes import writable
from ipc_articulation.frontend.soft.body_checks import LARGEST
from ipc_articulation.frontend.soft.soft_rows import SoftRows
from ipc_articulation.frontend.turns import changing_in_turn, in_turn

_OFFSET = "backend_fem_vertex_offset"  # libuipc's name for the first vertex that a state geometry stands for


class VerticesOfState:
    """A point cloud whose `position` may be created again: the one of libuipc's feature has none at first."""

    def __init__(self, geometry: Any) -> None:
        """Take the point cloud, or the collection of its vertices."""
        self._of = geometry

    def vertices(self) -> VerticesOfState:
        """The attributes of the vertices."""
        return VerticesOfState(self._of.vertices())

    def create(self, name: str, *value: Any, **more: Any) -> Any:
        """Create an attribute of the vertices."""
        return self._of.find(name) if name == "position" else self._of.create(name, *value, **more)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._of, name)


class VertexAccessor:
    """Copies positions and velocities between the engine's soft bodies and the vertices of a geometry.

    Vertices are numbered from 0, body after body, in the order of the geometries. Any thread may use it; it waits for a
    step that another one takes.
    """

    def __init__(self, accessor: StateAccessor) -> None:
        """Take the access to the engine's rows."""
        self._accessor, self.turn = accessor, accessor.turn

    def vertex_count(self) -> int:
        """Number of vertices of all soft bodies."""
        return sum(len(body.x) for body in self._soft.bodies)

    def create_geometry(self, vertex_offset: int = 0, vertex_count: int | None = None) -> Any:
        """A point cloud with a vertex for each of some vertices; create the attributes `position` or `velocity` on it.

        Args:
            vertex_offset: The first vertex.
            vertex_count: How many; all that follow where None.

        Raises:
            SceneError: There are no such vertices.
        """
        first = whole(vertex_offset, "vertex_offset")
        count = self.vertex_count() - first if vertex_count is None else whole(vertex_count, "vertex_count")
        self._vertices(first, count)
        geometry = pointcloud(np.zeros((count, 3)))
        geometry.meta().create(_OFFSET, first)
        return VerticesOfState(geometry)

    copy_position_to = copy_velocity_to = StateAccessor.copy_transform_to

    @in_turn
    def copy_to(self, state_geo: Any) -> None:
        """Write the engine's state to `position` [m] and `velocity` [m/s] of the vertices, if the geometry has them.

        Raises:
            SceneError: The geometry is not of `create_geometry`, or such an attribute is of another type.
        """
        some, entries, values = self._vertices_of(state_geo), entries_of(state_geo, "vertex"), self._present()
        for name, of_all in zip(("position", "velocity"), values, strict=True):
            if entries.has(name):
                entries.numbers(name, shape=(3,))  # refuses other types
                writable(entries.collection.find(name))[..., 0] = of_all[some]

    @changing_in_turn
    def copy_from(self, state_geo: Any) -> None:
        """Read `position` and `velocity`, if the geometry has them; the past of the bodies is discarded.

        Fixed vertices may be put elsewhere; their velocities are always zero.

        Raises:
            SceneError: As `copy_to`; or a number is not finite or too large, or surfaces would intersect; names the
                body. The state does not change.
        """
        some, entries, old = self._vertices_of(state_geo), entries_of(state_geo, "vertex"), self._present()
        new = tuple(values.copy() for values in old)
        for name, of_all in zip(("position", "velocity"), new, strict=True):
            if entries.has(name):
                given = entries.numbers(name, shape=(3,))
                self._refuse_wrong(given, name, some.start)
                of_all[some] = given
        bounds = np.cumsum([len(body.x) for body in self._soft.bodies])[:-1]
        changed = [np.split(np.any(after != before, axis=1), bounds) for before, after in zip(old, new, strict=True)]
        rows = np.flatnonzero(np.any([self._soft.column(flags).any(axis=1) for flags in changed], axis=0))
        q = self._soft.positions(np.split(new[0], bounds))[rows]  # others keep their bits
        qdot = self._soft.rates(np.split(new[1], bounds))[rows]
        self._accessor.write(self._accessor.body_count() + rows, q, qdot)

    @property
    def _soft(self) -> SoftRows:
        return self._accessor.soft

    def _present(self) -> tuple[Array, Array]:
        """Positions and velocities of all vertices, (n, 3) each."""
        q, qdot = self._accessor.soft_state
        x, v = self._soft.vertices_of(q), self._soft.vertices_of(qdot)
        return np.concatenate([np.zeros((0, 3)), *x]), np.concatenate([np.zeros((0, 3)), *v])

    def _vertices_of(self, geometry: Any) -> slice:
        return self._vertices(first_of(geometry, _OFFSET), geometry.vertices().size())

    def _vertices(self, first: int, count: int) -> slice:
        if not 0 <= first <= first + count <= self.vertex_count():
            raise SceneError(
                f"vertices {first} to {first + count - 1} were asked for; the soft bodies of the scene have "
                f"{self.vertex_count()}, counted from 0"
            )
        return slice(first, first + count)

    def _refuse_wrong(self, values: Array, name: str, first: int) -> None:
        bad = np.flatnonzero(~(np.abs(values) <= LARGEST).all(axis=1))
        if len(bad):
            vertex, ends = first + int(bad[0]), np.cumsum([len(body.x) for body in self._soft.bodies])
            which = int(np.searchsorted(ends, vertex, side="right"))
            body, own = self._soft.bodies[which], vertex - int([0, *ends][which])
            why = f"above {LARGEST:g}" if np.isfinite(values[bad[0]]).all() else "not finite"
            raise SceneError(f"the {name} written for vertex {own} of {body.owner} is {why}")
