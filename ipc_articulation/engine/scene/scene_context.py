"""Data of a scene that the readers of terms need besides their own geometries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.contact.surfaces import Surfaces
from ipc_articulation.engine.joint_coordinates import JointCoordinates
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.articulations import ARTICULATION, ArticulationTable, read_articulations
from ipc_articulation.frontend.attributes import constitution_uid
from ipc_articulation.frontend.bodies import BodyTable
from ipc_articulation.frontend.contact_world import make_surfaces
from ipc_articulation.frontend.joint_kinds import JOINT_KINDS
from ipc_articulation.frontend.joints import JointMesh, read_joint_mesh
from ipc_articulation.frontend.nodes.numbering import Numbering, numbering_of
from ipc_articulation.frontend.soft.soft_body import SoftBody


@dataclass(frozen=True)
class SceneContext:
    """Bodies, joints and articulations of a scene, read once."""

    slots: tuple[Any, ...]  # all geometry slots
    bodies: BodyTable
    surfaces: Surfaces  # of the bodies, with all vertices of soft ones
    joints: tuple[JointMesh, ...]
    coordinates: JointCoordinates  # of the tracked joints, in their order
    articulations: ArticulationTable
    births: dict[int, Array]  # geometry id -> q (n, 12) of all bodies when that geometry came into the scene

    @cached_property
    def numbering(self) -> Numbering:
        """Where nodes are among the coordinates of the bodies."""
        return numbering_of(self.bodies, self.surfaces)

    def nodes(self, vertices: Ints) -> Ints:
        """The nodes of soft vertices of `surfaces`."""
        return vertices - self.surfaces.first[self.numbering.affine] + 4 * self.numbering.affine

    @property
    def tracked(self) -> tuple[JointMesh, ...]:
        """The joint geometries whose joints have a coordinate."""
        return _tracked(self.joints)

    def vertices_of(self, geo_id: int) -> Ints:
        """The vertices of `surfaces` that those of a soft body's geometry are, (V,)."""
        soft = self.bodies.soft
        which = next(k for k, body in enumerate(soft.bodies) if body.slot.id() == geo_id)
        return self.surfaces.first[self.bodies.affine_count] + soft.places[which]

    def soft_vertices(self, slots: Sequence[Any]) -> tuple[list[SoftBody], Ints]:
        """The soft bodies among geometry slots, and the vertices of `surfaces` that theirs are, one after the other."""
        ids = {slot.id() for slot in slots}
        bodies = [body for body in self.bodies.soft.bodies if body.slot.id() in ids]
        places = [self.vertices_of(body.slot.id()) for body in bodies]
        return bodies, np.concatenate([np.zeros(0, dtype=np.int64), *places])

    def joints_of(self, slots: Sequence[Any]) -> tuple[list[JointMesh], Ints]:
        """The joint geometries with a coordinate among the slots, and the indices of their joints in `coordinates`.

        Raises:
            SceneError: A slot has no such joints; names it.
        """
        known = {mesh.geo_id for mesh in self.tracked}
        for slot in slots:
            if slot.id() not in known:
                raise SceneError(
                    f"geometry {slot.id()} carries a constitution for revolute (18) or prismatic (20) joints, "
                    "but is neither"
                )
        chosen = {slot.id() for slot in slots}
        places = np.concatenate([np.zeros(0, dtype=bool), *(_is_in(mesh, chosen) for mesh in self.tracked)])
        return [mesh for mesh in self.tracked if mesh.geo_id in chosen], np.flatnonzero(places)


def read_scene_context(slots: Sequence[Any], bodies: BodyTable, births: dict[int, Array]) -> SceneContext:
    """Read a scene's joints and articulations.

    Args:
        slots: All geometry slots.
        bodies: The bodies among them.
        births: Initial poses of the bodies, for geometries that are not new.

    Raises:
        SceneError: The scene is inconsistent; names the geometry.
    """
    births = {slot.id(): births.get(slot.id(), bodies.q) for slot in slots}
    made = [(slot, replace(bodies, q=births[slot.id()])) for slot in slots if _uid(slot) in JOINT_KINDS]
    joints = tuple(read_joint_mesh(slot, then) for slot, then in made)
    articulations = read_articulations([slot for slot in slots if _uid(slot) == ARTICULATION], joints, bodies)
    coordinates = JointCoordinates.of(_tracked(joints))
    return SceneContext(tuple(slots), bodies, make_surfaces(bodies), joints, coordinates, articulations, births)


def _tracked(meshes: tuple[JointMesh, ...]) -> tuple[JointMesh, ...]:
    return tuple(mesh for mesh in meshes if mesh.kind.coordinate)


def _is_in(mesh: JointMesh, geo_ids: set[int]) -> Bools:
    return np.full(len(mesh.joints), mesh.geo_id in geo_ids)


def _uid(slot: Any) -> int:
    return constitution_uid(slot.geometry())
