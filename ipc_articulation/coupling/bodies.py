"""Creation of a robot's bodies and half-planes in a libuipc scene."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import uipc
from uipc import geometry
from uipc.backend import SceneVisitor
from uipc.constitution import AffineBodyConstitution, SoftTransformConstraint

from ipc_articulation import affine
from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import ClosedMesh, CoupledBody, CoupledRobot, HalfPlane
from ipc_articulation.frontend.attributes import require, writable
from ipc_articulation.frontend.bodies import is_affine_body

STAND_IN_MASS = 1.0  # [kg] of bodies whose inertia moves nothing: fixed ones, and links without mass
STAND_IN_INERTIA = 4e-3 * np.eye(3)  # [kg·m²]
STAND_IN_VOLUME = 1e-3  # [m³] of bodies without geometry
FIXED_KAPPA = 1e8  # [Pa]; fixed bodies have no strain

WORLD = "world"

AIM_STRENGTH = np.array([1e4, 1e6])  # of a driven body's pull to its aim: of its centre, of its rotation and shape

Role = Literal["link", "free", "driven", "fixed"]  # moved by joints, by contact alone, to an aim, or not at all

Elements = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class PlacedBodies:
    """Geometry slots of a robot's bodies, each with one instance."""

    links: tuple[Any, ...]
    free: tuple[Any, ...]
    static: tuple[Any, ...]  # of those that have a mesh
    planes: tuple[Any, ...]  # of the half-planes
    world: Any  # a fixed body without geometry, the parent of joints on the world

    @property
    def of_robot(self) -> tuple[Any, ...]:
        """Those of `CoupledRobot.placed`."""
        return (*self.links, *self.free, *self.static)


def place_bodies(
    scene: uipc.Scene,
    robot: CoupledRobot,
    elements: Elements,
    link_kappa: Callable[[float], float],
    free_kappa: float,
    label: str = "",
) -> PlacedBodies:
    """Create every body as an object of its own, with its name.

    Args:
        scene: An ordinary libuipc scene.
        robot: Links, free and static bodies, half-planes.
        elements: Contact elements and subscenes, each by name of body, part or half-plane.
        link_kappa: Stiffness [Pa] of a link from its volume [m³], where the link has none.
        free_kappa: Stiffness of free bodies that have none [Pa].
        label: What the names of its objects begin with.
    """
    given = scene, elements, label
    return PlacedBodies(
        planes=tuple(place_plane(scene, plane, elements, label) for plane in robot.planes),
        links=tuple(_place_link(*given, body, link_kappa(body_volume(body))) for body in robot.links),
        free=tuple(_place_free(*given, body, free_kappa) for body in robot.free),
        static=tuple(_place_static(*given, body) for body in robot.static if body.mesh is not None),
        world=place_body(scene, CoupledBody(WORLD, np.eye(4)), elements, "fixed", FIXED_KAPPA, label),
    )


def place_body(
    scene: uipc.Scene, body: CoupledBody, elements: Elements, role: Role, default_kappa: float, label: str = ""
) -> Any:
    """Create a body as an object of its own, with its name.

    Args:
        scene: An ordinary libuipc scene.
        body: The body.
        elements: Contact elements and subscenes, each by name of body, part or half-plane.
        role: What moves it; links and driven bodies have no kinetic energy of their own.
        default_kappa: Stiffness [Pa] where the body has none.
        label: What its object's name begins with.

    Returns:
        Its geometry slot.
    """
    complex_ = _affine_body(body, elements, default_kappa)
    values = {"velocity": body.velocity, "is_fixed": role == "fixed", "external_kinetic": role in ("link", "driven")}
    for name, value in values.items():
        uipc.view(complex_.instances().find(name))[0] = value
    if role == "driven":
        SoftTransformConstraint().apply_to(complex_, AIM_STRENGTH)
        uipc.view(complex_.instances().find("is_constrained"))[0] = 1
        set_aim(complex_, body.pose)
    return _insert(scene, label + body.name, complex_)


def set_aim(geometry: Any, pose: Array) -> None:
    """Set the pose (4, 4) that a driven body's geometry takes in the next step."""
    writable(geometry.instances().find("aim_transform"))[0] = pose


def place_plane(scene: uipc.Scene, plane: HalfPlane, elements: Elements, label: str = "") -> Any:
    """Create a half-plane; arguments and result as of `place_body`."""
    implicit = geometry.halfplane(plane.point, plane.normal)
    for by_name in elements:
        by_name[plane.name].apply_to(implicit)
    return _insert(scene, label + plane.name, implicit)


def body_mass(body: CoupledBody) -> float:
    """The mass [kg] that a body has in the scene."""
    return body.mass if body.mass > 0.0 else STAND_IN_MASS


def joined_masses(robot: CoupledRobot) -> list[float]:
    """The masses of both bodies of each of `all_joints` together [kg], as the scene has them."""
    links = [body_mass(link) for link in robot.links]
    parents = [STAND_IN_MASS if joint.parent < 0 else links[joint.parent] for joint in robot.all_joints]
    return [links[joint.child] + parent for joint, parent in zip(robot.all_joints, parents, strict=True)]


def heaviest_body(scene: uipc.Scene, robot: CoupledRobot) -> float:
    """Mass of the heaviest body that may lie on a robot [kg]: of its free bodies, and of what the scene has already."""
    masses = [body.mass for body in robot.free if not body.driven]
    for slot in SceneVisitor(scene).geometries():
        shape = slot.geometry()
        if is_affine_body(shape) and not np.all(require(shape.instances(), "is_fixed", "body")):
            masses.append(float(require(shape.meta(), "abd_mass", "body")[0]))
    return max(masses, default=0.0)


def body_volume(body: CoupledBody) -> float:
    """The volume [m³] that a body has in the scene."""
    return STAND_IN_VOLUME if body.mesh is None else mesh_volume(body.mesh)


def mesh_volume(mesh: ClosedMesh) -> float:
    """Volume [m³] enclosed by a surface: a sixth of the sum of the triangles' determinants."""
    corners = mesh.vertices[mesh.faces]
    return float(np.linalg.det(corners).sum() / 6.0)


def _place_free(scene: uipc.Scene, elements: Elements, label: str, body: CoupledBody, kappa: float) -> Any:
    """Create a free or driven body; a driven one has an aim, at first its pose, in `aim_transform`."""
    if not body.driven:
        return place_body(scene, body, elements, "free", kappa, label)
    standing_in = replace(body, mass=0.0)  # which inertia it has is all the same
    return place_body(scene, standing_in, elements, "driven", FIXED_KAPPA, label)


def _place_static(scene: uipc.Scene, elements: Elements, label: str, body: CoupledBody) -> Any:
    return place_body(scene, body, elements, "fixed", FIXED_KAPPA, label)


def _place_link(scene: uipc.Scene, elements: Elements, label: str, body: CoupledBody, kappa: float) -> Any:
    slot = place_body(scene, _usable(body), elements, "link", kappa, label)
    slot.geometry().instances().create("ref_dof_prev", affine.q_from_transform(body.pose))
    return slot


def _affine_body(body: CoupledBody, elements: Elements, default_kappa: float) -> Any:
    kappa = default_kappa if body.kappa is None else body.kappa
    constitution, M, volume = AffineBodyConstitution(), _mass_matrix(body), body_volume(body)
    if body.mesh is None:
        complex_ = constitution.create_proxy(kappa, M, volume)
    else:
        # pyuipc misreads arrays that are not in C order, such as (T @ vertices.T).T
        complex_ = geometry.trimesh(np.ascontiguousarray(body.mesh.vertices), np.ascontiguousarray(body.mesh.faces))
        geometry.label_surface(complex_)
        constitution.apply_to(complex_, kappa, M, volume)
        for by_name in elements:
            by_name[body.name].apply_to(complex_)
        if body.surface_parts:
            _give_parts(complex_, body, elements[0])
    uipc.view(complex_.transforms())[0] = body.pose
    return complex_


def _give_parts(complex_: Any, body: CoupledBody, contact_elements: Mapping[str, Any]) -> None:
    """Give the vertices of a body the contact elements of the parts that they belong to."""
    ids = np.empty(complex_.vertices().size(), dtype=np.int32)
    for part in body.surface_parts:
        ids[part.vertices] = contact_elements[part.name].id()
    uipc.view(complex_.vertices().create("contact_element_id", 0))[:] = ids


def _mass_matrix(body: CoupledBody) -> Array:
    """The 12x12 mass of a body, (12, 12)."""
    inertia = body.inertia if body.mass > 0.0 else STAND_IN_INERTIA
    return affine.mass_matrix_from_inertia(body_mass(body), body.center, inertia)


def _usable(link: CoupledBody) -> CoupledBody:
    """A link with a physically possible inertia, which the engine needs; its motion depends on the articulation's M̂.

    Models often have invented inertias, and flat parts have no second moment normal to their plane.
    """
    second_moment = 0.5 * np.trace(link.inertia) * np.eye(3) - link.inertia
    eigenvalues = np.linalg.eigvalsh(second_moment)
    return link if eigenvalues[0] > 1e-9 * eigenvalues[2] else replace(link, inertia=STAND_IN_INERTIA)


def _insert(scene: uipc.Scene, name: str, shape: Any) -> Any:
    """A new object with one geometry, both called by name; returns the geometry slot."""
    shape.meta().create("name", name)
    slot, _ = scene.objects().create(name).geometries().create(shape)
    return slot
