"""Values of a libuipc scene that the CPU engine reads once, and a warning where they are written later.

libuipc's attributes do not tell when they were written, so all are compared, from time to time: so rarely that it takes
a five-hundredth of the time at most, in a scene of usual size after each step.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter
from typing import Any

import numpy as np

from ipc_articulation import affine
from ipc_articulation.arrays import Array
from ipc_articulation.frontend.bodies import BodyTable
from ipc_articulation.frontend.config import ONCE
from ipc_articulation.frontend.contact_table import is_half_plane

_RARELY = 500.0  # times the duration of a comparison, between two of them
_AGAIN = "it is read at world.init, or when objects are created or destroyed"
_OF_INSTANCES = {
    "is_fixed": _AGAIN,
    "is_dynamic": _AGAIN,
    "external_kinetic": _AGAIN,
    "kappa": _AGAIN,
    "gravity": _AGAIN,
}
_OF_TABLE = {
    "resistance": _AGAIN,
    "friction_rate": f"{_AGAIN}; engine.properties.set_frictions sets friction between steps",
    "is_enabled": _AGAIN,
}
_OF_PLANES = ("N", "P")
_MESH = f"{_AGAIN}; for another mesh make another geometry"
_ELEMENTS = ("edges", "triangles", "tetrahedra")
_MOVE_VERTICES = "the engine has the state of vertices; engine.vertex_accessor writes it between steps"
_MOVE = "the engine has the state of bodies; engine.state_accessor writes it between steps"

_Values = dict[tuple[str, str], int]  # hashes, by (what has not been followed, what would have been)


class ReadOnce:
    """Compares what was read with what is there."""

    def __init__(self, scene: Any, bodies: BodyTable) -> None:
        """Note the present values of a scene (`uipc.backend.SceneVisitor`)."""
        self._scene, self._bodies = scene, bodies
        self._planes = [slot for slot in scene.geometries() if is_half_plane(slot.geometry())]
        self._known, self._next = self._values(), 0.0

    def warnings(self, published: Any) -> list[str]:
        """A warning for each value that was written since the last time; mostly none at once.

        Args:
            published: The state that was written into the geometries last, None if none was: q and qdot, (n, 12) each.
        """
        began = perf_counter()
        if began < self._next:
            return []
        present = self._values()
        changed = [key for key, value in present.items() if self._known.get(key) != value]
        self._known = present
        if published is not None:
            changed += self._moved("transform", published.q, 1.0) + self._moved("velocity", published.qdot, 0.0)
            changed += self._moved_vertices(published)
        now = perf_counter()
        self._next = now + _RARELY * (now - began)
        return [f"{what} was written, which has no effect: {instead}" for what, instead in changed]

    def _values(self) -> _Values:
        return {key: hash(np.asarray(slot.view()).tobytes()) for key, slot in self._slots() if slot is not None}

    def _slots(self) -> Iterator[tuple[tuple[str, str], Any]]:
        scene = self._scene.get()
        config, table = scene.config(), scene.contact_tabular().contact_models()
        for name in ONCE:
            yield (f"'{name}' of the scene's config", _AGAIN), config.find(name)
        for name, instead in _OF_TABLE.items():
            yield (f"'{name}' of the scene's contact table", instead), table.find(name)
        for geometry in self._bodies.slots:
            owner = f"affine-body geometry {geometry.id()}"
            for name, instead in _OF_INSTANCES.items():
                yield (f"'{name}' of {owner}", instead), geometry.geometry().instances().find(name)
            yield (f"'position' of {owner}", _MESH), geometry.geometry().vertices().find("position")
            yield from _topology(geometry, owner)
        for body in self._bodies.soft.bodies:
            yield from _topology(body.slot, body.owner)
        for geometry in self._planes:
            for name in _OF_PLANES:
                yield (f"'{name}' of half-plane {geometry.id()}", _AGAIN), geometry.geometry().instances().find(name)

    def _moved(self, name: str, q: Array, corner: float) -> list[tuple[str, str]]:
        """Geometries whose transforms, or rates of these, are not those of q."""
        found, first = [], 0
        for geometry in self._bodies.slots:
            slot = geometry.geometry().instances().find(name)
            if slot is None:
                continue
            present = slot.view()
            expected = affine.transform_from_q(q[first : first + len(present)])
            expected[:, 3, 3] = corner
            first += len(present)
            if not np.array_equal(present, expected):
                found.append((f"'{name}' of affine-body geometry {geometry.id()}", _MOVE))
        return found

    def _moved_vertices(self, published: Any) -> list[tuple[str, str]]:
        """Soft bodies whose positions or velocities are not those of a state."""
        soft, first = self._bodies.soft, self._bodies.affine_count
        found: list[tuple[str, str]] = []
        if not soft.bodies:
            return found
        positions = soft.written(published.q[first:], self._bodies.q[first:])
        velocities = soft.vertices_of(published.qdot[first:])
        for body, *expected in zip(soft.bodies, positions, velocities, strict=True):
            for name, values in zip(("position", "velocity"), expected, strict=True):
                slot = body.slot.geometry().vertices().find(name)
                if slot is not None and not np.array_equal(slot.view()[..., 0], values):
                    found.append((f"'{name}' of {body.owner}", _MOVE_VERTICES))
        return found


def _topology(slot: Any, owner: str) -> Iterator[tuple[tuple[str, str], Any]]:
    for kind in _ELEMENTS:
        yield (f"'topo' of the {kind} of {owner}", _MESH), getattr(slot.geometry(), kind)().find("topo")
