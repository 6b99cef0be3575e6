"""Scenes of many equal bodies, made by instances of one geometry: piles, spheres, a free box, hinged rows."""

from __future__ import annotations

import numpy as np
import trimesh
import uipc
from scipy.spatial.transform import Rotation
from uipc.constitution import AffineBodyConstitution, AffineBodyRevoluteJoint
from uipc.constitution import ExternalArticulationConstraint as ArticulationGeometry
from uipc.geometry import ground, label_surface
from uipc.geometry import trimesh as uipc_trimesh

from ipc_articulation import ExternalArticulationConstraint

SIZE, DENSITY = 0.2, 1000.0  # boxes of 8 kg


def make_scene(
    mesh: trimesh.Trimesh, transforms: np.ndarray, d_hat: float = 1e-3, resistance: float = 1e12
) -> uipc.Scene:
    """Bodies of one shape, released at rest above the ground (z up), friction 0.5, dt 0.01 s."""
    scene = empty_scene(d_hat)
    scene.contact_tabular().default_model(0.5, resistance)
    add_bodies(scene, mesh, transforms)
    scene.objects().create("ground").geometries().create(ground(0.0, np.array([0.0, 0.0, 1.0])))
    return scene


def empty_scene(d_hat: float = 1e-3) -> uipc.Scene:
    """Gravity, and nothing else yet."""
    uipc.Logger.set_level(uipc.Logger.Error)
    config = uipc.Scene.default_config()
    config["gravity"] = [[0.0], [0.0], [-9.81]]
    config["contact"]["d_hat"] = d_hat
    config["sanity_check"]["enable"] = False
    return uipc.Scene(config)


def add_bodies(scene: uipc.Scene, mesh: trimesh.Trimesh, transforms: np.ndarray, fixed: int = 0):
    """Bodies of one shape, the first few of them fixed; returns their geometry slot."""
    geometry = uipc_trimesh(mesh.vertices.copy(), mesh.faces.astype(np.int32))
    label_surface(geometry)
    AffineBodyConstitution().apply_to(geometry, 1e8, DENSITY)
    geometry.instances().resize(len(transforms))
    uipc.view(geometry.transforms())[:] = transforms
    uipc.view(geometry.instances().find("is_fixed"))[:fixed] = 1
    return scene.objects().create("bodies").geometries().create(geometry)[0]


def box() -> trimesh.Trimesh:
    return trimesh.creation.box((SIZE, SIZE, SIZE))


def sphere() -> trimesh.Trimesh:
    """162 vertices, 320 faces."""
    return trimesh.creation.icosphere(subdivisions=2, radius=0.5 * SIZE)


def tumbled(count: int, seed: int = 0) -> np.ndarray:
    """Layers on a grid of 0.32 m, odd ones shifted by half a grid step, jittered by 1 cm and turned within 30 degrees.

    Layers hold 2x2 (10 boxes), 3x3 (50) or 5x5 (200) boxes; the lowest centres are 0.15 m above the ground.
    """
    side = {10: 2, 50: 3, 200: 5}[count]
    return _layers(count, side, 0.32, 0.15, np.random.default_rng(seed), shift=True, angle=np.pi / 6, jitter=0.01)


def pile(count: int, seed: int = 0) -> np.ndarray:
    """Boxes on a cubic grid, jittered and slightly turned, that fall 5 cm onto each other."""
    side = max(1, round(count ** (1 / 3)))
    return _layers(count, side, 0.25, 0.15, np.random.default_rng(seed), shift=False, angle=0.1, jitter=0.01)


def resting(count: int) -> np.ndarray:
    """Boxes half a metre apart just above the ground, at least 10 m away from the piles."""
    transforms = np.tile(np.eye(4), (count, 1, 1))
    row, column = np.divmod(np.arange(count), 33)
    transforms[:, :3, 3] = np.stack([10 + 0.5 * column, 10 + 0.5 * row, np.full(count, 0.5 * SIZE + 8e-4)], axis=1)
    return transforms


def _layers(count, side, step, lowest, rng, shift, angle, jitter) -> np.ndarray:
    transforms = np.tile(np.eye(4), (count, 1, 1))
    for i, T in enumerate(transforms):
        layer, place = divmod(i, side * side)
        offset = 0.5 * step if shift and layer % 2 else 0.0
        axis = rng.standard_normal(3)
        T[:3, :3] = Rotation.from_rotvec(rng.uniform(-angle, angle) * axis / np.linalg.norm(axis)).as_matrix()
        grid = (place % side) * step + offset, (place // side) * step + offset, lowest + layer * step
        T[:3, 3] = np.array(grid) + rng.uniform(-jitter, jitter, 3) * [1, 1, 0]
    return transforms


def hinge() -> uipc.Scene:
    """A box hinged to a fixed one and driven by an articulation: one coupled joint."""
    scene, bodies = row_of_boxes(2)
    joints = hinges(scene, bodies, 1)
    articulation = ArticulationGeometry().create_geometry([joints], [0])
    owner = scene.objects().create("articulation")
    owner.geometries().create(articulation)
    constraint = ExternalArticulationConstraint.from_geometry(articulation, scene)
    scene.animator().insert(owner, constraint.animate(lambda info: (np.array([[8.0]]), np.array([0.5 * info.dt()]))))
    return scene


def free_box() -> uipc.Scene:
    """A box that falls, and never touches anything."""
    scene = empty_scene()
    add_bodies(scene, box(), pile(1))
    return scene


def chain(count: int) -> uipc.Scene:
    """Boxes hinged in a row behind a fixed one; they swing, and neighbours do not touch."""
    scene, bodies = row_of_boxes(count + 1)
    hinges(scene, bodies, count)
    return scene


def row_of_boxes(count: int):
    """A row of boxes that do not touch, the first one fixed: the scene, and their geometry slot."""
    scene = empty_scene()
    scene.contact_tabular().default_model(0.0, 1e9, False)
    return scene, add_bodies(scene, box(), row(count), fixed=1)


def row(count: int) -> np.ndarray:
    """Boxes along x, half a box apart."""
    transforms = np.tile(np.eye(4), (count, 1, 1))
    transforms[:, 0, 3] = 1.5 * SIZE * np.arange(count)
    return transforms


def hinges(scene: uipc.Scene, bodies, count: int):
    """Hinges about y, midway between neighbours."""
    x = 1.5 * SIZE * (np.arange(count) + 0.5)
    ends = [np.column_stack([x, np.full(count, y), np.zeros(count)]) for y in (-0.1, 0.1)]
    left, right = np.arange(count, dtype=np.int32), np.arange(1, count + 1, dtype=np.int32)
    slots = [bodies] * count
    mesh = AffineBodyRevoluteJoint().create_geometry(*ends, slots, left, slots, right, np.full(count, 100.0))
    return scene.objects().create("hinges").geometries().create(mesh)[0]
