"""A fixture as a libuipc scene of affine bodies, whose mass properties are those of rigid-ipc."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import uipc
from uipc.constitution import AffineBodyConstitution
from uipc.geometry import label_surface, linemesh, pointcloud
from uipc.geometry import trimesh as uipc_trimesh

from benchmarks.rigid_ipc.fixture import Body, Fixture
from benchmarks.rigid_ipc.mass import Moments
from benchmarks.rigid_ipc.meshes import Mesh
from benchmarks.rigid_ipc.motion import add_motion, hold, moves_by_itself
from ipc_articulation.affine import mass_matrix
from ipc_articulation.arrays import Array
from ipc_articulation.coupling.settings import converge
from ipc_articulation.frontend.friction_law import choose_friction_iterations

KAPPA = 1e5  # stiffness over density [m²/s²]: 10⁸ Pa for bodies of 1000 kg/m³, as usual with libuipc
STATIC_DENSITY = 1000.0  # of static bodies: fixtures may give them none, and it is all the same


@dataclass(frozen=True)
class BuiltScene:
    """The scene, and where its bodies are."""

    scene: uipc.Scene
    places: tuple[tuple[Any, int], ...]  # geometry slot and instance of each body of the fixture

    def transforms(self) -> Array:
        """Of all bodies, (n, 4, 4), as of the last `world.retrieve`."""
        views = {id(slot): slot.geometry().transforms().view() for slot, _ in self.places}
        return np.array([views[id(slot)][instance] for slot, instance in self.places])


def build(fixture: Fixture, resistance: float) -> BuiltScene:
    """Make the scene.

    Args:
        fixture: The fixture.
        resistance: Contact resistance [Pa]; not positive: adaptive.

    Raises:
        UnsupportedError: A body is partly fixed in a way for which there is no joint.
    """
    uipc.Logger.set_level(uipc.Logger.Error)
    scene = uipc.Scene(_config(fixture))
    scene.contact_tabular().default_model(fixture.friction, resistance)
    choose_friction_iterations(scene, fixture.friction_iterations)
    elements = dict(_elements(scene, fixture, resistance))
    places: list[Any] = [None] * len(fixture.bodies)
    for numbers in _alike(fixture.bodies):
        bodies = [fixture.bodies[number] for number in numbers]
        geometry = _geometry(bodies, fixture.separation)
        if bodies[0].group in elements:
            elements[bodies[0].group].apply_to(geometry)
        slot = add_motion(scene, geometry, bodies[0], fixture.dt)
        for instance, number in enumerate(numbers):
            places[number] = (slot, instance)
    hold(scene, fixture.bodies, places)
    return BuiltScene(scene, tuple(places))


def _config(fixture: Fixture) -> dict[str, Any]:
    config = uipc.Scene.default_config()
    config["dt"], config["gravity"] = fixture.dt, fixture.gravity[:, None].tolist()
    config["contact"]["d_hat"] = fixture.d_hat
    config["contact"]["eps_velocity"] = fixture.eps_velocity
    converge(config)
    config["sanity_check"]["enable"] = 0  # the engine itself refuses overlaps
    return config


def _elements(scene: uipc.Scene, fixture: Fixture, resistance: float) -> Iterator[tuple[int, Any]]:
    """A contact element for each group of bodies that do not touch each other."""
    groups = [body.group for body in fixture.bodies if body.group != -1]
    table = scene.contact_tabular()
    for group in sorted(set(groups)):
        element = table.create(f"group {group}")
        table.insert(element, element, fixture.friction, resistance, False)
        yield group, element


def _alike(bodies: Sequence[Body]) -> list[list[int]]:
    """Numbers of bodies that can be instances of one geometry; what moves by itself has its own."""
    found: dict[Any, list[int]] = {}
    for number, body in enumerate(bodies):
        own = number if moves_by_itself(body) else -1
        found.setdefault((body.shape, body.density, body.group, body.type, own), []).append(number)
    return list(found.values())


def _geometry(bodies: list[Body], separation: float) -> Any:
    """One geometry with an instance for each of some bodies that are alike."""
    body = bodies[0]
    density = STATIC_DENSITY if body.type == "static" else body.density
    geometry = _complex(body.shape.mesh)
    label_surface(geometry)
    M, volume = _mass(body.shape.moments, density), body.shape.moments.volume
    AffineBodyConstitution().apply_to(geometry, KAPPA * density, M, volume)
    if separation > 0.0:
        geometry.vertices().create("thickness", 0.5 * separation)
    geometry.meta().create("name", body.name)
    instances = geometry.instances()
    instances.resize(len(bodies))
    uipc.view(geometry.transforms())[:] = [_transform(each) for each in bodies]
    uipc.view(instances.find("velocity"))[:] = [_velocity(each) for each in bodies]
    uipc.view(instances.find("is_fixed"))[:] = int(body.type == "static")
    return geometry


def _complex(mesh: Mesh) -> Any:
    if len(mesh.faces):
        return uipc_trimesh(mesh.points.copy(), mesh.faces.copy())
    return linemesh(mesh.points.copy(), mesh.edges.copy()) if len(mesh.edges) else pointcloud(mesh.points.copy())


def _mass(moments: Moments, density: float) -> Array:
    """The 12x12 mass matrix about the centre of mass."""
    return mass_matrix(density * moments.volume, np.zeros(3), density * moments.second)


def _transform(body: Body) -> Array:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = body.rotation, body.position
    return T


def _velocity(body: Body) -> Array:
    """Rate of the transform: Ȧ = [ω]ₓ A, ṗ = v. What is kinematic or static has none of its own."""
    rate = np.zeros((4, 4))
    if body.type == "dynamic":
        rate[:3, :3] = np.cross(body.spin, body.rotation, axisb=0, axisc=0)
        rate[:3, 3] = body.velocity
    return rate
