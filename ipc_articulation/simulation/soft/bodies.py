"""All soft bodies of a scene file, put into a libuipc scene."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.coupling.adapter import CoupledRobot
from ipc_articulation.naming import suggest
from ipc_articulation.recording.scenery import SoftShape
from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.checks import SOFT
from ipc_articulation.scenefile.document import Document, Location, SceneProblem
from ipc_articulation.scenefile.published_materials import SoftBody, elastic_values
from ipc_articulation.scenefile.schema.values import WORLD
from ipc_articulation.simulation.bodies import transform
from ipc_articulation.simulation.materials import friction_of, resistance_of
from ipc_articulation.simulation.placed import placed_body
from ipc_articulation.simulation.soft.attachments import held_vertices, stitch
from ipc_articulation.simulation.soft.constitutions import element_stiffness, soft_geometry
from ipc_articulation.simulation.soft.contact import SoftContact, Touching
from ipc_articulation.simulation.soft.meshes import SoftMesh, mesh_of
from ipc_articulation.simulation.soft.regions import vertices_in


class SoftBodies:
    """The soft bodies of a scene.

    Attributes:
        slots: The present geometry slot of each, and that at rest.
        shapes: Their names, elements and vertices at the start.
    """

    def __init__(self, uipc_scene: Any, scene: schema.Scene, document: Document, mechanism: CoupledRobot) -> None:
        """Put them into the scene, which has all rigid bodies already.

        Args:
            uipc_scene: The libuipc scene.
            scene: The scene file.
            document: Knows the places of its values.
            mechanism: Rigid bodies, half-planes and rules of contact.

        Raises:
            SceneFileError: A mesh, a region or an attachment is refused; with its place.
        """
        self._scene, self._document, self._mechanism = scene, document, mechanism
        touching = [
            Touching(b.name, friction_of(scene, b), resistance_of(scene, b), b.environment, b.self_collision)
            for b in scene.soft_bodies
        ]
        self._contact = SoftContact(uipc_scene, mechanism, touching) if touching else None
        placed = [self._place(uipc_scene, place, body) for place, body in entries(scene)]
        self.slots, self.shapes = tuple(slots for slots, _ in placed), tuple(shape for _, shape in placed)

    @property
    def positions(self) -> Array:
        """Present positions of all vertices, one body after the other, (V, 3) [m] in the world."""
        views = [np.asarray(slot.geometry().positions().view()).reshape(-1, 3) for slot, _ in self.slots]
        return np.concatenate([np.zeros((0, 3)), *views])

    def _place(self, uipc_scene: Any, place: Location, body: SoftBody) -> tuple[Any, SoftShape]:
        with self._document.blame(*place, "shape"):
            mesh = mesh_of(body)
        T, values = transform(body.pose), elastic_values(body, self._scene.materials)
        vertices = mesh.vertices @ T[:3, :3].T + T[:3, 3]
        made = soft_geometry(body, values, vertices, mesh.cells, self._fixed(place, body, mesh))
        assert self._contact is not None
        self._contact.apply_to(body.name, body.environment, made)
        slots = uipc_scene.objects().create(body.name).geometries().create(made)
        for index, entry in enumerate(body.attach):
            if entry.to != WORLD:
                with self._document.blame(*place, "attach", index):
                    stiffness = entry.stiffness or 10.0 * element_stiffness(body, values, mesh.mean_edge)
                    self._attach(uipc_scene, (*place, "attach", index), entry, (body, mesh, vertices), slots, stiffness)
        radius = 0.5 * (getattr(body, "thickness", None) or values.thickness or 0.0)
        return slots, SoftShape(body.name, mesh.cells.astype(np.int32), vertices, radius)

    def _fixed(self, place: Location, body: SoftBody, mesh: SoftMesh) -> Ints:
        found = [np.zeros(0, dtype=np.int64)]
        for key, regions in (("fixed", body.fixed), ("attach", body.attach)):
            for index, region in enumerate(regions):
                if not isinstance(region, schema.AttachEntry) or region.to == WORLD:
                    with self._document.blame(*place, key, index):
                        found.append(vertices_in(region, mesh, body.name))
        return np.unique(np.concatenate(found))

    def _attach(
        self,
        uipc_scene: Any,
        place: Location,
        entry: schema.AttachEntry,
        soft: tuple[SoftBody, SoftMesh, Array],
        slots: Any,
        stiffness: float,
    ) -> None:
        body, mesh, vertices = soft
        known = [part.name for part in (*self._mechanism.links, *self._mechanism.free, *self._mechanism.static)]
        if entry.to not in known:
            message = f"unknown link or body '{entry.to}'{suggest(entry.to, [*known, WORLD], 'known')}"
            raise self._document.error([SceneProblem((*place, "to"), message)])
        holder = _slots_of(uipc_scene, entry.to)
        candidates = vertices_in(entry, mesh, body.name)
        pairs = held_vertices(candidates, vertices, holder[0].geometry(), entry.to, entry.within)
        made = stitch(slots, holder, pairs, stiffness, mesh.mean_edge)
        uipc_scene.objects().create(f"{body.name} on {entry.to}").geometries().create(made)


def entries(scene: schema.Scene) -> Iterator[tuple[Location, SoftBody]]:
    """Every soft body with its place in the file."""
    for key in SOFT:
        for index, body in enumerate(getattr(scene, key)):
            yield (key, index), body


def _slots_of(uipc_scene: Any, name: str) -> tuple[Any, Any]:
    """Present and rest geometry slot of a rigid body."""
    _, slot = placed_body(uipc_scene, name)
    present, rest = uipc_scene.geometries().find(slot.id())
    return present, rest
