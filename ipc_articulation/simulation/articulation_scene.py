"""Puts the bodies, joints and articulations of an `adapter: none` scene into a libuipc scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from uipc import constitution

from ipc_articulation.coupling.adapter import CoupledRobot
from ipc_articulation.coupling.bodies import place_body, place_plane
from ipc_articulation.coupling.constraint import ExternalArticulationConstraint
from ipc_articulation.coupling.contact_elements import make_contact_elements, make_environments
from ipc_articulation.coupling.visuals import surface_of
from ipc_articulation.recording.scenery import Role, Surface
from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.document import Document
from ipc_articulation.simulation.articulated_joints import add_joint
from ipc_articulation.simulation.pushes import add_pushes
from ipc_articulation.simulation.soft.bodies import SoftBodies
from ipc_articulation.simulation.surroundings import complete


@dataclass(frozen=True)
class Parts:
    """Where everything of the file lies in the libuipc scene; geometry slots in the order of the file."""

    mechanism: CoupledRobot
    surfaces: tuple[Surface, ...]
    bodies: tuple[Any, ...]
    joints: tuple[Any, ...]
    articulations: tuple[Any, ...]
    soft: SoftBodies


def fill(uipc_scene: Any, scene: schema.ArticulationScene, document: Document) -> Parts:
    """Build everything that the file describes.

    Raises:
        SceneFileError: A mesh is not closed; an articulation or a soft body is refused.
    """
    mechanism = complete(_connected(scene), scene, document)
    elements = make_contact_elements(uipc_scene, mechanism), make_environments(uipc_scene, mechanism)
    for plane in mechanism.planes:
        place_plane(uipc_scene, plane, elements)
    roles, made = _roles(scene), {body.name: body for body in (*mechanism.free, *mechanism.static)}
    bodies = {name: place_body(uipc_scene, made[name], elements, role, scene.stiffness) for name, role in roles.items()}
    add_pushes(uipc_scene, scene)
    joints = {joint.name: add_joint(uipc_scene, joint, bodies, scene.dt) for joint in scene.joints}
    articulations = []
    for index, articulation in enumerate(scene.articulations):
        with document.blame("articulations", index):
            articulations.append(_add_articulation(uipc_scene, articulation, joints, scene.dt))
    soft = SoftBodies(uipc_scene, scene, document, mechanism)
    surfaces = tuple(surface_of(made[name], role) for name, role in roles.items())
    return Parts(mechanism, surfaces, tuple(bodies.values()), tuple(joints.values()), tuple(articulations), soft)


def _connected(scene: schema.ArticulationScene) -> CoupledRobot:
    """No robot; bodies that a joint connects do not touch each other."""
    pairs = frozenset(frozenset((joint.parent, joint.child)) for joint in scene.joints)
    return CoupledRobot(links=(), joints=(), untouchable=pairs)


def _roles(scene: schema.ArticulationScene) -> dict[str, Role]:
    """Bodies that joints of an articulation connect are links; they have no kinetic energy of their own: M has it."""
    articulated = {name for articulation in scene.articulations for name in articulation.joints}
    joints = [joint for joint in scene.joints if joint.name in articulated]
    links = {name for joint in joints for name in (joint.parent, joint.child)}
    return {b.name: "fixed" if b.fixed else "link" if b.name in links else "free" for b in scene.bodies}


def _add_articulation(
    uipc_scene: Any, articulation: schema.ArticulationEntry, joints: dict[str, Any], dt: float
) -> Any:
    """The constraint geometry, and the callback that gives it (M, δθ̃) each step."""
    slots = [joints[name] for name in articulation.joints]
    made = constitution.ExternalArticulationConstraint().create_geometry(slots, np.zeros(len(slots), dtype=np.int32))
    target = uipc_scene.objects().create(f"articulation of {', '.join(articulation.joints)}")
    slot, _ = target.geometries().create(made)
    step = np.array(articulation.mass), dt * np.array(articulation.velocity)
    constraint = ExternalArticulationConstraint.from_geometry(
        slot.geometry(), uipc_scene, [f"joint '{name}'" for name in articulation.joints]
    )
    uipc_scene.animator().insert(target, constraint.animate(lambda info: step))
    return slot
