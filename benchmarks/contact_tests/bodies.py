"""Bodies and surroundings of a case, and the libuipc scene that they make: z up, SI units."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import trimesh
import uipc
from uipc.constitution import AffineBodyConstitution, AffineBodyExternalBodyForce
from uipc.geometry import ground, label_surface, pointcloud
from uipc.geometry import trimesh as uipc_trimesh

from ipc_articulation import affine
from ipc_articulation.arrays import Array
from ipc_articulation.coupling.settings import converge, suit_robots

UNSET = 1e9  # libuipc's own contact resistance [Pa], in place of which every pair chooses its own
STIFFNESS = 1e8  # against deformation, the default of scene files [Pa]
G = 9.81  # [m/s²]
Vector = tuple[float, float, float]
REST: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Body:
    """A solid, or with a radius an exact ball: a point with a thickness, which friction cannot turn."""

    name: str
    mesh: trimesh.Trimesh  # its only vertex, at 0, where there is a radius
    position: Vector = REST  # [m]
    rotation: Array = field(default_factory=lambda: np.eye(3))
    velocity: Vector = REST  # after the case has settled [m/s]
    force: Callable[[float], Vector] | None = None  # on its centre of mass [N], of the time since then [s]
    mass: float | None = None  # [kg]; None: 1000 kg/m³
    radius: float = 0.0  # [m]
    is_fixed: bool = False
    material: str = ""

    @property
    def transform(self) -> Array:
        """Of the start, (4, 4)."""
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = self.rotation, self.position
        return T


@dataclass(frozen=True)
class Surroundings:
    """Everything but the bodies; what is not given here is the default of the package."""

    dt: float = 0.01  # [s]
    d_hat: float = 1e-3  # [m]
    gravity: Vector = (0.0, 0.0, -G)  # [m/s²]
    friction: float = 0.5
    pairs: Mapping[tuple[str, str], float] = field(default_factory=dict)  # friction of materials; the ground's is ""
    ground: bool = True  # half-plane z = 0
    settling: int = 0  # steps before the case begins, without velocities and forces

    @property
    def has_friction(self) -> bool:
        return self.friction > 0.0 or any(mu > 0.0 for mu in self.pairs.values())


def make_scene(bodies: Sequence[Body], around: Surroundings) -> tuple[uipc.Scene, list]:
    """The scene, with what `couple` sets, and the bodies' geometry slots."""
    uipc.Logger.set_level(uipc.Logger.Error)
    scene = uipc.Scene(_config(around))
    table = scene.contact_tabular()
    table.default_model(around.friction, UNSET)
    suit_robots(scene)
    resistance = table.default_model().resistance()
    elements = {"": table.default_element()}
    for name in dict.fromkeys(body.material for body in bodies if body.material):
        elements[name] = table.create(name)
    for left in elements.values():
        for right in elements.values():
            table.insert(left, right, around.friction, resistance)
    for (left, right), mu in around.pairs.items():
        table.insert(elements[left], elements[right], mu, resistance)
    slots = [_add(scene, body, elements[body.material], around) for body in bodies]
    if around.ground:
        scene.objects().create("ground").geometries().create(ground(0.0, np.array([0.0, 0.0, 1.0])))
    return scene, slots


def _config(around: Surroundings) -> dict:
    config = uipc.Scene.default_config()
    config["dt"], config["gravity"] = around.dt, [[g] for g in around.gravity]
    config["contact"]["d_hat"] = around.d_hat
    config["sanity_check"]["enable"] = 0  # the engine itself refuses overlaps
    converge(config)
    return config


def _add(scene: uipc.Scene, body: Body, element, around: Surroundings):
    geometry = _ball(body) if body.radius else _solid(body)
    element.apply_to(geometry)
    if body.force is not None:
        AffineBodyExternalBodyForce().apply_to(geometry, np.zeros(12), True)
    uipc.view(geometry.transforms())[0] = body.transform
    uipc.view(geometry.instances().find("is_fixed"))[0] = int(body.is_fixed)
    owner = scene.objects().create(body.name)
    slot = owner.geometries().create(geometry)[0]
    if body.force is not None:
        scene.animator().insert(owner, _pusher(body.force, around))
    return slot


def _pusher(force: Callable[[float], Vector], around: Surroundings):
    """Before each step, the force at its end."""

    def push(info) -> None:
        t = (info.frame() - around.settling) * around.dt
        F = force(t) if t > 0.5 * around.dt else REST
        for slot in info.geo_slots():
            uipc.view(slot.geometry().instances().find("external_force"))[0] = np.array([*F, *np.zeros(9)])[:, None]

    return push


def _solid(body: Body):
    geometry = uipc_trimesh(body.mesh.vertices.copy(), body.mesh.faces.astype(np.int32))
    label_surface(geometry)
    density = 1000.0 if body.mass is None else body.mass / body.mesh.volume
    AffineBodyConstitution().apply_to(geometry, STIFFNESS, density)
    return geometry


def _ball(body: Body):
    """Mass matrix of a solid ball: ∫ρ x̄x̄ᵀ = m r²/5."""
    assert body.mass is not None, f"the ball '{body.name}' needs a mass"
    geometry = pointcloud(np.zeros((1, 3)))
    label_surface(geometry)
    volume = 4.0 / 3.0 * np.pi * body.radius**3
    M = affine.mass_matrix(body.mass, np.zeros(3), 0.2 * body.mass * body.radius**2 * np.eye(3))
    AffineBodyConstitution().apply_to(geometry, STIFFNESS, M, volume)
    geometry.vertices().create("thickness", body.radius)
    return geometry


def ball(name: str, radius: float, mass: float, position: Vector, **more) -> Body:
    """An exact ball."""
    return Body(name, trimesh.Trimesh(np.zeros((1, 3)), process=False), position, mass=mass, radius=radius, **more)
