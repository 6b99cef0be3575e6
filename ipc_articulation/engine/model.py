"""A libuipc scene as the CPU engine sees it, read once at `world.init`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ipc_articulation.contact.half_planes import HalfPlanes
from ipc_articulation.contact.materials import make_materials
from ipc_articulation.contact.surfaces import Surfaces, join_surfaces
from ipc_articulation.contact.world import ContactWorld
from ipc_articulation.engine.joint_penalty import make_joint_penalties
from ipc_articulation.engine.potential import Potential
from ipc_articulation.errors import SceneError, UnsupportedError
from ipc_articulation.frontend.articulations import ARTICULATION, ArticulationTable, read_articulations
from ipc_articulation.frontend.attributes import read_meta
from ipc_articulation.frontend.bodies import BodyTable, is_affine_body, read_bodies, refuse_extras
from ipc_articulation.frontend.config import Config, read_config
from ipc_articulation.frontend.contact_table import (
    HalfPlaneTable,
    is_half_plane,
    read_contact_table,
    read_half_planes,
)
from ipc_articulation.frontend.joints import JOINTS, JointMesh, read_joint_mesh


@dataclass(frozen=True)
class Model:
    """What a scene holds; fixed once read."""

    bodies: BodyTable
    half_planes: HalfPlaneTable
    joints: tuple[JointMesh, ...]
    articulations: ArticulationTable
    surfaces: Surfaces
    contact: ContactWorld | None  # None where contact/enable is 0
    config: Config
    potential: Potential


def read_model(scene: Any) -> Model:
    """Read a scene.

    Args:
        scene: `uipc.backend.SceneVisitor`.

    Raises:
        UnsupportedError: The scene holds something that this engine does not do.
        SceneError: The scene is inconsistent, or bodies intersect.
    """
    slots = list(scene.geometries())
    _refuse_unknown_geometries(slots)
    bodies, half_planes = read_bodies(slots), read_half_planes(slots)
    joints = tuple(read_joint_mesh(slot, bodies) for slot in slots if _uid(slot) in JOINTS)
    articulations = read_articulations([slot for slot in slots if _uid(slot) == ARTICULATION], joints, bodies)
    surfaces = join_surfaces([_surface(bodies, row) for row in range(len(bodies))])
    config = read_config(scene.get().config(), _diagonal(surfaces, bodies))
    contact = _read_contact(scene, bodies, half_planes, surfaces, config) if config.contact_enable else None
    has_kinetic = ~(bodies.is_fixed | bodies.external_kinetic)
    potential = Potential(
        surfaces,
        mass=bodies.mass * has_kinetic[:, None, None],
        shape_stiffness=bodies.volume * bodies.kappa * ~bodies.is_fixed,
        joints=make_joint_penalties(joints, bodies.transforms, bodies.mass[:, 0, 0]),
        articulation=articulations.energy,
        contact=contact,
    )
    return Model(bodies, half_planes, joints, articulations, surfaces, contact, config, potential)


def _read_contact(
    scene: Any, bodies: BodyTable, planes: HalfPlaneTable, surfaces: Surfaces, config: Config
) -> ContactWorld:
    table = read_contact_table(scene.contact_tabular())
    materials = make_materials(
        table.resistance, table.friction, table.enabled, bodies.contact_element, planes.contact_element, bodies.is_fixed
    )
    contact = ContactWorld(surfaces, materials, HalfPlanes(planes.point, planes.normal), config.d_hat)
    pair = contact.intersecting_bodies(bodies.q)
    if pair is not None:
        other = f"'{bodies.names[pair[1]]}'" if pair[1] >= 0 else "a half-plane"
        raise SceneError(
            f"'{bodies.names[pair[0]]}' and {other} intersect at the start; move them apart, or disable their contact in the "
            "contact table"
        )
    return contact


def _uid(slot: Any) -> int:
    return int(read_meta(slot.geometry(), "constitution_uid", 0))


def _refuse_unknown_geometries(slots: list[Any]) -> None:
    """Everything with a constitution must be known; geometries without one are scenery, as for libuipc."""
    from uipc.builtin import ConstitutionUIDCollection

    for slot in slots:
        geometry, uid = slot.geometry(), _uid(slot)
        if uid == 0 or is_affine_body(geometry) or is_half_plane(geometry):
            continue
        known = ConstitutionUIDCollection.instance()
        name = known.find(uid).name if known.exists(uid) else "unknown"
        if uid not in (*JOINTS, ARTICULATION):
            raise UnsupportedError(
                f"geometry {slot.id()} has constitution {uid} ({name}), which the CPU engine does not do; it does "
                "affine bodies with OrthoPotential (1), revolute (18) and prismatic (20) joints, external "
                "articulations (23) and half-planes; use Engine('cuda')"
            )
        if uid in JOINTS:
            refuse_extras(geometry, f"joint geometry {slot.id()} ({name})")


def _surface(bodies: BodyTable, row: int) -> tuple[Any, Any, Any]:
    mesh = bodies.surfaces[bodies.geometry[row]]
    return mesh.points, mesh.edges, mesh.faces


def _diagonal(surfaces: Surfaces, bodies: BodyTable) -> float:
    """Diagonal of the bounding box of the initial scene [m]."""
    x = surfaces.positions(bodies.q)
    return float(np.linalg.norm(x.max(axis=0) - x.min(axis=0))) if len(x) else 0.0
