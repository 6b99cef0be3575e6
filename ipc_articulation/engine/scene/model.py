"""A libuipc scene as the CPU engine sees it, read once at `world.init`."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.contact.surfaces import Surfaces
from ipc_articulation.contact.world import ContactWorld
from ipc_articulation.engine.integrator import ORDERS
from ipc_articulation.engine.newton.extrapolation import Extrapolation
from ipc_articulation.engine.newton.rest import Rest
from ipc_articulation.engine.potential import Potential
from ipc_articulation.engine.scene.refusals import refuse_unsupported_bodies
from ipc_articulation.engine.scene.registry import read_terms
from ipc_articulation.engine.scene.scene_context import SceneContext, read_scene_context
from ipc_articulation.engine.state import State
from ipc_articulation.engine.terms.adaptive_resistance import AdaptiveResistance
from ipc_articulation.engine.terms.contact import Contact
from ipc_articulation.engine.terms.kinetic import Kinetic
from ipc_articulation.engine.terms.term import Term
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.bodies import BodyTable, read_bodies
from ipc_articulation.frontend.config import Config, read_config
from ipc_articulation.frontend.contact_table import HalfPlaneTable, read_contact_table, read_half_planes
from ipc_articulation.frontend.contact_world import make_contact_world, make_surfaces, without_label
from ipc_articulation.frontend.object_names import object_names

log = logging.getLogger("ipc_articulation")


@dataclass(frozen=True)
class Model:
    """What a scene holds; fixed once read."""

    context: SceneContext
    surfaces: Surfaces
    contact: ContactWorld | None  # None where contact/enable is 0, or nothing may touch
    config: Config
    diagonal: float  # of the bounding box of the initial scene [m], the measure of relative tolerances
    order: int  # of the time integrator
    extrapolation: Extrapolation
    potential: Potential
    rest: Rest

    def initial_state(self) -> State:
        """Where the bodies stand when the scene has just been read."""
        bodies, coordinates = self.context.bodies, self.context.coordinates
        theta = coordinates.follow(np.zeros(len(coordinates)), bodies.q)
        return State.without_past(bodies.q.copy(), bodies.qdot * ~bodies.is_fixed[:, None], theta)


def read_model(scene: Any) -> Model:
    """Read a scene.

    Args:
        scene: `uipc.backend.SceneVisitor`.

    Raises:
        UnsupportedError: The scene holds something that this engine does not do.
        SceneError: The scene is inconsistent, or bodies intersect.
    """
    bodies = read_bodies(scene.geometries(), object_names(scene.get()))
    return make_model(scene, bodies, {}, _diagonal(make_surfaces(bodies), bodies), "at the start")


def make_model(scene: Any, bodies: BodyTable, births: dict[int, Array], diagonal: float, when: str) -> Model:
    """Read all but the bodies of a scene.

    Args:
        scene: `uipc.backend.SceneVisitor`.
        bodies: Its bodies, as they stand now.
        births: See `read_scene_context`.
        diagonal: Of the bounding box of the initial scene [m].
        when: What messages call this moment.
    """
    slots = list(scene.geometries())
    refuse_unsupported_bodies(slots)
    context = read_scene_context(slots, bodies, births)
    surfaces = make_surfaces(bodies)
    config = read_config(scene.get().config(), diagonal)
    order = ORDERS[config.integrator]
    gravity = bodies.gravity(config.gravity)
    terms: list[Term] = [
        Kinetic(bodies, gravity, order),
        *read_terms(slots, context),
    ]
    planes = read_half_planes(slots, object_names(scene.get()))
    contact, adaptive = _read_contact(scene, bodies, planes, surfaces, config, when), None
    if contact is not None:
        term = Contact(contact, config.eps_velocity if config.friction_enable else 0.0)
        if contact.materials.is_adaptive:
            adaptive = AdaptiveResistance(term, tuple(terms), bodies.is_fixed, config)
        terms.append(term)
    potential = Potential(terms, surfaces, contact, bodies.names, bodies.is_fixed, adaptive, config.cfl)
    extrapolation, rest = Extrapolation(bodies), Rest(potential, gravity)
    return Model(context, surfaces, contact, config, diagonal, order, extrapolation, potential, rest)


def _read_contact(
    scene: Any, bodies: BodyTable, planes: HalfPlaneTable, surfaces: Surfaces, config: Config, when: str
) -> ContactWorld | None:
    table = read_contact_table(scene.get())
    contact = make_contact_world(surfaces, bodies, planes, table, config.d_hat)
    if not config.contact_enable:
        return None
    for name in without_label(bodies, contact.materials):
        log.warning(
            "'%s' will touch nothing: none of its edges and faces is labelled as surface; call "
            "uipc.geometry.label_surface(mesh), or disable its contact in the contact table",
            name,
        )
    if not contact.may_touch:
        return None
    refuse_overlaps(contact, bodies, bodies.q, when)
    return contact


def refuse_overlaps(contact: ContactWorld, bodies: BodyTable, q: Array, when: str) -> None:
    """SceneError at two bodies that may touch and intersect at q (n, 12), or have no gap to speak of."""
    found = contact.find_overlap(q)
    if found is None:
        return
    other = f"half-plane '{found.half_plane}'" if found.other is None else f"'{bodies.names[found.other]}'"
    what = "intersect" if found.gap <= 0.0 else f"have a gap of only {found.gap:.2g} m"
    raise SceneError(
        f"'{bodies.names[found.body]}' and {other} {what} {when}; move them apart, by {found.least:.2g} m at least "
        "(less is lost in rounding here), or disable their contact in the contact table"
    )


def _diagonal(surfaces: Surfaces, bodies: BodyTable) -> float:
    """Diagonal of the bounding box of the initial scene [m]."""
    x = surfaces.positions(bodies.q)
    return float(np.linalg.norm(x.max(axis=0) - x.min(axis=0))) if len(x) else 0.0
