"""Scenes at random: bodies of all kinds that fall, turn and hit each other; the same for the same seed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import trimesh
import uipc
from scipy.spatial.transform import Rotation
from uipc.constitution import (
    AffineBodyConstitution,
    DiscreteShellBending,
    ElasticModuli,
    ElasticModuli2D,
    StableNeoHookean,
    StrainLimitingBaraffWitkinShell,
)
from uipc.geometry import ground, label_surface, label_triangle_orient, tetmesh
from uipc.geometry import trimesh as uipc_trimesh

from ipc_articulation import BY_LOAD
from ipc_articulation.coupling.settings import converge

SPACING = 0.35  # [m] of the cells in which bodies start, one in each


def random_scene(seed: int) -> uipc.Scene:
    """2 to 14 bodies above the ground or a fixed plate, one scene in four with a cloth or a soft block."""
    rng = np.random.default_rng(seed)
    uipc.Logger.set_level(uipc.Logger.Error)
    config = uipc.Scene.default_config()
    config["dt"] = float(rng.choice([0.002, 0.005, 0.01, 0.02]))
    config["gravity"] = [[0.0], [0.0], [-9.81]]
    config["contact"]["d_hat"] = float(rng.choice([5e-4, 1e-3, 2e-3]))
    config["sanity_check"]["enable"] = 0
    converge(config)
    scene = uipc.Scene(config)
    scene.contact_tabular().default_model(float(rng.choice([0.0, 0.2, 0.5, 1.0])), BY_LOAD)
    if rng.random() < 0.7:
        scene.objects().create("ground").geometries().create(ground(0.0, np.array([0.0, 0.0, 1.0])))
    else:
        plate = trimesh.creation.box((1.2, 1.2, 0.1))
        _add(scene, plate, [0.35, 0.35, -0.05], np.eye(3), is_fixed=True)
    cells = rng.permutation([(i, j, k) for k in range(3) for i in range(3) for j in range(3)])
    low = cells[np.argsort(cells[:, 2], kind="stable")]
    soft = rng.random() < 0.25
    for number, cell in enumerate(low[: rng.integers(2, 15)]):
        position = SPACING * cell + [0.0, 0.0, 0.22]
        if soft and number == 0:
            _add_soft(scene, rng, position)
        else:
            _add(scene, _shape(rng), position, Rotation.random(random_state=rng).as_matrix(), speed=_speed(rng))
    return scene


def _shape(rng: np.random.Generator) -> trimesh.Trimesh:
    a, b, c = rng.uniform(0.03, 0.18, 3)
    kind = rng.integers(6)
    if kind == 0:
        return trimesh.creation.box((a, b, c))
    if kind == 1:
        return trimesh.creation.icosphere(subdivisions=int(rng.integers(1, 3)), radius=0.5 * a)
    if kind == 2:
        return trimesh.creation.cylinder(0.5 * a, b, sections=12)
    if kind == 3:
        return trimesh.convex.convex_hull(rng.normal(size=(12, 3)) * 0.04)
    if kind == 4:
        return trimesh.creation.box((0.18, 0.15, 0.005))
    return trimesh.creation.torus(0.07, 0.02, 12, 8)


def _speed(rng: np.random.Generator) -> np.ndarray:
    return np.concatenate([rng.normal(size=3), 3.0 * rng.normal(size=3)]) * rng.choice([0.0, 1.0])


def _add(
    scene: uipc.Scene,
    mesh: trimesh.Trimesh,
    position: Sequence[float],
    rotation: np.ndarray,
    is_fixed: bool = False,
    speed: np.ndarray | None = None,
) -> None:
    geometry = uipc_trimesh(mesh.vertices.copy(), mesh.faces.astype(np.int32))
    label_surface(geometry)
    AffineBodyConstitution().apply_to(geometry, 1e8, 1000.0)
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation, position
    uipc.view(geometry.transforms())[0] = T
    uipc.view(geometry.instances().find("is_fixed"))[0] = int(is_fixed)
    if speed is not None:
        v, w = speed[:3], speed[3:]
        V = np.zeros((4, 4))
        V[:3, :3], V[:3, 3] = np.cross(w, rotation.T).T, v
        uipc.view(geometry.instances().find("velocity"))[0] = V
    scene.objects().create(f"body {scene.objects().size()}").geometries().create(geometry)


def _add_soft(scene: uipc.Scene, rng: np.random.Generator, position: np.ndarray) -> None:
    if rng.random() < 0.5:
        g = np.linspace(-0.15, 0.15, 9)
        x = np.stack([*np.meshgrid(g, g, indexing="ij"), np.zeros((9, 9))], axis=-1).reshape(-1, 3) + position
        a = (np.arange(8)[:, None] * 9 + np.arange(8)).ravel()
        faces = np.concatenate([np.stack([a, a + 9, a + 10], 1), np.stack([a, a + 10, a + 1], 1)]).astype(np.int32)
        geometry = uipc_trimesh(x, faces)
        label_surface(geometry)
        StrainLimitingBaraffWitkinShell().apply_to(geometry, ElasticModuli2D.youngs_poisson(1e5, 0.3), 200.0, 5e-4)
        DiscreteShellBending().apply_to(geometry, 1.0)
    else:
        corner = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1.0]])
        tets = np.array([[0, 3, 5, 6], [0, 1, 3, 5], [0, 3, 2, 6], [0, 5, 4, 6], [3, 5, 6, 7]])
        x = 0.15 * (corner - 0.5) + position
        flip = np.linalg.det(x[tets[:, 1:]] - x[tets[:, :1]]) < 0.0
        tets[flip] = tets[flip][:, [0, 1, 3, 2]]
        geometry = tetmesh(x, tets.astype(np.int32))
        label_surface(geometry)
        label_triangle_orient(geometry)
        StableNeoHookean().apply_to(geometry, ElasticModuli.youngs_poisson(1e5, 0.4), 1000.0)
    scene.objects().create("soft").geometries().create(geometry)
