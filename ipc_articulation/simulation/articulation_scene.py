"""Puts the bodies, joints and articulations of an `adapter: none` scene into a libuipc scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import uipc
from numpy.typing import NDArray
from uipc import constitution, geometry

from ipc_articulation.coupling.adapter import Body, HalfPlane, Mechanism
from ipc_articulation.coupling.bodies import Elements
from ipc_articulation.coupling.constraint import ExternalArticulationConstraint
from ipc_articulation.coupling.contact_elements import make_contact_elements
from ipc_articulation.coupling.environments import make_environments
from ipc_articulation.recording import Surface
from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.document import Document
from ipc_articulation.simulation.articulated_joints import add_joint
from ipc_articulation.simulation.contact_groups import GROUND
from ipc_articulation.simulation.materials import density_of, friction_of
from ipc_articulation.simulation.pushes import add_pushes
from ipc_articulation.simulation.surfaces import transform, triangles, up, volume
from ipc_articulation.simulation.surroundings import complete

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Parts:
    """Where everything of the file lies in the libuipc scene; geometry slots in the order of the file."""

    surfaces: tuple[Surface, ...]
    planes: tuple[HalfPlane, ...]
    bodies: tuple[Any, ...]
    joints: tuple[Any, ...]
    articulations: tuple[Any, ...]


def fill(uipc_scene: Any, scene: schema.ArticulationScene, document: Document) -> Parts:
    """Build everything that the file describes.

    Raises:
        SceneFileError: A mesh is not closed; an articulation is refused.
    """
    surfaces = _surfaces(scene, document)
    mechanism = complete(mechanism_of(scene, surfaces), scene, document)
    elements = make_contact_elements(uipc_scene, mechanism), make_environments(uipc_scene, mechanism)
    for plane in mechanism.planes:
        _add_plane(uipc_scene, plane, elements)
    completed = {body.name: body for body in (*mechanism.free, *mechanism.static)}
    bodies = {}
    for body, surface in zip(scene.bodies, surfaces, strict=True):
        density = _density(scene, body, surface)
        bodies[body.name] = _add_body(uipc_scene, surface, density, completed[body.name], scene.stiffness, elements)
    add_pushes(uipc_scene, scene)
    joints = {joint.name: add_joint(uipc_scene, joint, bodies, scene.dt) for joint in scene.joints}
    articulations = []
    for index, articulation in enumerate(scene.articulations):
        with document.blame("articulations", index):
            articulations.append(_add_articulation(uipc_scene, articulation, joints, scene.dt))
    return Parts(surfaces, mechanism.planes, tuple(bodies.values()), tuple(joints.values()), tuple(articulations))


def _roles(scene: schema.ArticulationScene) -> dict[str, Any]:
    """Links are what joints of an articulation connect; they have no kinetic energy of their own, M stands for it."""
    articulated = {name for articulation in scene.articulations for name in articulation.joints}
    joints = [joint for joint in scene.joints if joint.name in articulated]
    links = {name for joint in joints for name in (joint.parent, joint.child)}
    return {b.name: "fixed" if b.fixed else "link" if b.name in links else "free" for b in scene.bodies}


def _surfaces(scene: schema.ArticulationScene, document: Document) -> tuple[Surface, ...]:
    roles, surfaces = _roles(scene), []
    for index, body in enumerate(scene.bodies):
        with document.blame("bodies", index, "shape"):
            surfaces.append(Surface(body.name, roles[body.name], *triangles(body.shape), transform(body.pose)))
    return tuple(surfaces)


def mechanism_of(scene: schema.ArticulationScene, surfaces: tuple[Surface, ...]) -> Mechanism:
    """Bodies and ground; bodies that a joint connects do not touch each other."""
    pairs = list(zip(scene.bodies, surfaces, strict=True))
    bodies = {body.name: Body(body.name, surface.pose, friction=friction_of(scene, body)) for body, surface in pairs}
    return Mechanism(
        links=(),
        joints=(),
        free=tuple(bodies[body.name] for body in scene.bodies if not body.fixed),
        static=tuple(bodies[body.name] for body in scene.bodies if body.fixed),
        planes=(_ground(scene, scene.ground),) if scene.ground else (),
        untouchable=frozenset(frozenset((joint.parent, joint.child)) for joint in scene.joints),
    )


def _add_body(
    uipc_scene: Any, surface: Surface, density: float, body: Body, stiffness: float, elements: Elements
) -> Any:
    mesh = geometry.trimesh(surface.vertices, surface.faces)
    geometry.label_surface(mesh)
    constitution.AffineBodyConstitution().apply_to(mesh, body.kappa or stiffness, density)
    uipc.view(mesh.transforms())[0] = surface.pose
    uipc.view(mesh.instances().find("velocity"))[0] = body.velocity
    uipc.view(mesh.instances().find("is_fixed"))[0] = int(surface.role == "fixed")
    uipc.view(mesh.instances().find("external_kinetic"))[0] = int(surface.role == "link")
    for by_name in elements:
        by_name[body.name].apply_to(mesh)
    slot, _ = uipc_scene.objects().create(surface.name).geometries().create(mesh)
    return slot


def _density(scene: schema.ArticulationScene, body: schema.Body, surface: Surface) -> float:
    if body.mass is not None:
        return body.mass / volume(surface.vertices, surface.faces)
    return density_of(scene, body)


def _ground(scene: schema.ArticulationScene, ground: schema.Ground) -> HalfPlane:
    normal = up(scene.gravity)
    return HalfPlane(GROUND, ground.height * normal, normal, friction_of(scene, ground))


def _add_plane(uipc_scene: Any, plane: HalfPlane, elements: Elements) -> None:
    made = geometry.halfplane(plane.point, plane.normal)
    for by_name in elements:
        by_name[plane.name].apply_to(made)
    uipc_scene.objects().create(plane.name).geometries().create(made)


def _add_articulation(uipc_scene: Any, articulation: schema.Articulation, joints: dict[str, Any], dt: float) -> Any:
    """The constraint geometry, and the callback that gives it (M, δθ̃) each step."""
    slots = [joints[name] for name in articulation.joints]
    made = constitution.ExternalArticulationConstraint().create_geometry(slots, np.zeros(len(slots), dtype=np.int32))
    target = uipc_scene.objects().create(f"articulation of {', '.join(articulation.joints)}")
    slot, _ = target.geometries().create(made)
    step = np.array(articulation.mass), dt * np.array(articulation.velocity)
    constraint = ExternalArticulationConstraint.from_geometry(slot.geometry(), uipc_scene)
    uipc_scene.animator().insert(target, constraint.animate(lambda info: step))
    return slot
