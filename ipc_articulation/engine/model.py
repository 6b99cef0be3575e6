"""A libuipc scene as the CPU engine sees it, read once at `world.init`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ipc_articulation.contact.surfaces import Surfaces
from ipc_articulation.contact.world import ContactWorld
from ipc_articulation.engine.potential import Potential
from ipc_articulation.engine.refusals import refuse_adaptive_resistance, refuse_unsupported
from ipc_articulation.engine.terms.articulation import Articulation
from ipc_articulation.engine.terms.contact import Contact
from ipc_articulation.engine.terms.joint_penalty import make_joint_penalties
from ipc_articulation.engine.terms.kinetic import Kinetic
from ipc_articulation.engine.terms.ortho_potential import OrthoPotential
from ipc_articulation.engine.terms.term import Term
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.articulations import ARTICULATION, ArticulationTable, read_articulations
from ipc_articulation.frontend.attributes import read_meta
from ipc_articulation.frontend.bodies import BodyTable, read_bodies
from ipc_articulation.frontend.config import Config, read_config
from ipc_articulation.frontend.contact_table import HalfPlaneTable, read_contact_table, read_half_planes
from ipc_articulation.frontend.contact_world import make_contact_world, make_surfaces
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
    refuse_unsupported(slots)
    bodies, half_planes = read_bodies(slots), read_half_planes(slots)
    joints = tuple(read_joint_mesh(slot, bodies) for slot in slots if _uid(slot) in JOINTS)
    articulations = read_articulations([slot for slot in slots if _uid(slot) == ARTICULATION], joints, bodies)
    surfaces = make_surfaces(bodies)
    config = read_config(scene.get().config(), _diagonal(surfaces, bodies))
    contact = _read_contact(scene, bodies, half_planes, surfaces, config.d_hat) if config.contact_enable else None
    terms = _read_terms(bodies, joints, articulations, contact, config)
    potential = Potential(terms, surfaces, contact, len(bodies))
    return Model(bodies, half_planes, joints, articulations, surfaces, contact, config, potential)


def _read_terms(
    bodies: BodyTable,
    joints: tuple[JointMesh, ...],
    articulations: ArticulationTable,
    contact: ContactWorld | None,
    config: Config,
) -> list[Term]:
    terms: list[Term] = [Kinetic(bodies, config.gravity), OrthoPotential(bodies)]
    if joints:
        terms.append(make_joint_penalties(joints, bodies.transforms, bodies.mass[:, 0, 0]))
    if articulations.energy is not None:
        terms.append(Articulation(articulations, articulations.energy))
    if contact is not None:
        terms.append(Contact(contact, config.eps_velocity if config.friction_enable else 0.0))
    return terms


def _read_contact(
    scene: Any, bodies: BodyTable, planes: HalfPlaneTable, surfaces: Surfaces, d_hat: float
) -> ContactWorld:
    table = read_contact_table(scene.contact_tabular())
    refuse_adaptive_resistance(table)
    contact = make_contact_world(surfaces, bodies, planes, table, d_hat)
    pair = contact.intersecting_bodies(bodies.q)
    if pair is not None:
        other = f"'{bodies.names[pair[1]]}'" if pair[1] >= 0 else "a half-plane"
        raise SceneError(
            f"'{bodies.names[pair[0]]}' and {other} intersect at the start; move them apart, or disable their contact "
            "in the contact table"
        )
    return contact


def _uid(slot: Any) -> int:
    return int(read_meta(slot.geometry(), "constitution_uid", 0))


def _diagonal(surfaces: Surfaces, bodies: BodyTable) -> float:
    """Diagonal of the bounding box of the initial scene [m]."""
    x = surfaces.positions(bodies.q)
    return float(np.linalg.norm(x.max(axis=0) - x.min(axis=0))) if len(x) else 0.0
