"""What steps of a model work with: made for it, and passed to each of its steps."""

from __future__ import annotations

import logging
from dataclasses import dataclass

import numpy as np

from ipc_articulation.contact.world import ContactWorld
from ipc_articulation.engine.conditioning import Conditioning
from ipc_articulation.engine.newton.core import Core
from ipc_articulation.engine.scene.model import EngineModel
from ipc_articulation.engine.terms.articulation import Articulation
from ipc_articulation.engine.terms.kinetic import Kinetic
from ipc_articulation.engine.terms.registry import read_terms
from ipc_articulation.engine.terms.term import Term
from ipc_articulation.frontend.contact_world import make_contact_world, partly_labelled, without_label
from ipc_articulation.frontend.nodes.distances import Distances

log = logging.getLogger("ipc_articulation")


@dataclass
class Workspace:
    """Scratch arrays of a model's steps, and values that a step keeps for the next one."""

    contact: ContactWorld | None  # None where contact/enable is 0, or nothing may touch
    core: Core
    articulation: Articulation | None  # the term; None where the scene has no articulation
    conditioning: Conditioning


def make_workspace(model: EngineModel, when: str) -> Workspace:
    """The workspace of a model, with the bodies at their initial poses.

    Args:
        model: The scene.
        when: Name of this moment in messages.

    Raises:
        UnsupportedError: A term is not known.
        SceneError: Bodies intersect.
    """
    bodies, context, contact = model.context.bodies, model.context, _make_contact(model)
    kinetic = Kinetic(bodies, model.order, context.numbering)
    terms: list[Term] = [kinetic, *read_terms(model.slots, context)]
    distances = Distances(bodies, model.surfaces, contact)
    distances.refuse_overlaps(bodies.q, np.ones(len(bodies), dtype=np.bool_), when)
    core = Core(model, terms, distances)
    articulation = next((term for term in terms if isinstance(term, Articulation)), None)
    return Workspace(contact, core, articulation, Conditioning(core, context))


def _make_contact(model: EngineModel) -> ContactWorld | None:
    bodies, config = model.context.bodies, model.config
    contact = make_contact_world(
        model.surfaces, bodies, model.planes, model.rules, config.d_hat, float(model.gravity_strength.max(initial=0.0))
    )
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
    for name, count in partly_labelled(bodies):
        log.warning(
            "%d vertices of '%s' touch half-planes and faces although they have no label is_surf, because edges or "
            "faces with the label have them; take the label from these too",
            count,
            name,
        )
    return contact
