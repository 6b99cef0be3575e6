"""Arrays that a step writes besides the state: made for a model, and passed to each of its steps."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from ipc_articulation.contact.world import ContactWorld
from ipc_articulation.engine.conditioning import Conditioning
from ipc_articulation.engine.contact_free.problem import HeldProblem, Problem, make_problem
from ipc_articulation.engine.linear_system.linear_system import LinearSystem
from ipc_articulation.engine.potential import Potential
from ipc_articulation.engine.scene.model import EngineModel
from ipc_articulation.engine.terms.adaptive_resistance import AdaptiveResistance
from ipc_articulation.engine.terms.articulation import Articulation
from ipc_articulation.engine.terms.contact import Contact
from ipc_articulation.engine.terms.kinetic import Kinetic
from ipc_articulation.engine.terms.registry import read_terms
from ipc_articulation.engine.terms.term import Term
from ipc_articulation.frontend.contact_world import make_contact_world, partly_labelled, refuse_overlaps, without_label

log = logging.getLogger("ipc_articulation")


@dataclass
class Workspace:
    """Scratch arrays of a model's steps, and values that a step keeps for the next one."""

    contact: ContactWorld | None  # None where contact/enable is 0, or nothing may touch
    potential: Potential
    system: LinearSystem
    articulation: Articulation | None  # the potential's term; None where the scene has no articulation
    contact_free: HeldProblem | Problem | None  # None: every step is the general one
    conditioning: Conditioning  # of the potential


def make_workspace(model: EngineModel, when: str) -> Workspace:
    """The workspace of a model, with the bodies at their initial poses.

    Args:
        model: The scene.
        when: Name of this moment in messages.

    Raises:
        UnsupportedError: A term is not known.
        SceneError: Bodies intersect.
    """
    bodies, config, contact = model.context.bodies, model.config, _make_contact(model, when)
    terms: list[Term] = [Kinetic(bodies, model.acceleration, model.order), *read_terms(model.slots, model.context)]
    adaptive = None
    if contact is not None:
        term = Contact(contact, config.eps_velocity if config.friction_enable else 0.0, model.rules.anchored)
        if contact.materials.is_adaptive:
            adaptive = AdaptiveResistance(term, tuple(terms), bodies.is_fixed, config)
        terms.append(term)
    names, is_fixed = bodies.names, bodies.is_fixed
    potential = Potential(terms, model.surfaces, contact, names, is_fixed, adaptive, config.cfl, bodies.soft)
    articulation = next((term for term in terms if isinstance(term, Articulation)), None)
    contact_free = make_problem(model, potential, contact is not None)
    system = LinearSystem(is_fixed, potential.is_soft, bodies.soft.has_many_elements)
    return Workspace(
        contact,
        potential,
        system,
        articulation,
        contact_free,
        Conditioning(terms, model.context),
    )


def _make_contact(model: EngineModel, when: str) -> ContactWorld | None:
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
    refuse_overlaps(contact, bodies, bodies.q, when)
    return contact
