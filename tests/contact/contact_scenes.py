"""Scenes whose contact models differ from pair to pair."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import trimesh
from scipy.spatial.transform import Rotation
from uipc import view
from uipc.constitution import AffineBodyShell
from uipc.geometry import label_surface
from uipc.geometry import trimesh as uipc_trimesh

from ipc_articulation.contact.materials import BY_LOAD
from tests.engine.scenes import BoxScene, translation
from tests.engine.soft.soft_scenes import SoftScene, block, cloth, moved, particles, vertices
from tests.engine.test_by_load import Pile, stack, turned
from tests.engine.test_contact_features import set_self_collision
from tests.engine.test_part_elements import sledge


def by_load(folder: Path) -> BoxScene:
    """Light under heavy boxes, near each other from the beginning."""
    return stack(folder, [1.0, 30.0, 0.01, 5.0], gap=0.5)


def falling_by_load(folder: Path) -> BoxScene:
    return Pile(folder, drop=0.167)


def soft_by_load(folder: Path) -> BoxScene:
    """A cloth over a box on the ground, and a block beside it, of which some vertices at the ground are fixed."""
    scene = SoftScene(folder, resistance=BY_LOAD)
    scene.add_ground()
    scene.add_box(translation(0, 0, 0.1015), density=500.0)
    scene.add_soft(moved(cloth(8, size=0.5), 0.05, 0.02, 0.2035))
    mesh = moved(block(2), 0.5, 0.0, 0.1012)
    x = mesh.positions().view()[:, :, 0]
    scene.add_soft(vertices(mesh, is_fixed=(x[:, 0] < 0.45) & (x[:, 1] < 0.05)), "block")
    return scene.start()


def adaptive(folder: Path) -> BoxScene:
    """Two boxes without a resistance of their own, and one that has it."""
    scene = BoxScene(folder)
    tabular = scene.scene.contact_tabular()
    tabular.default_model(0.5, -1.0)
    stiff = tabular.create("stiff")
    tabular.insert(stiff, tabular.default_element(), 0.3, 1e8)
    scene.add_ground()
    for k in range(3):
        slot = scene.add_box(turned(0.3 * k, 0, 0, 0.105 + 0.206 * k))
        if k == 1:
            stiff.apply_to(slot.geometry())
    return scene.start()


def of_parts(folder: Path) -> BoxScene:
    """Boxes, whose lower vertices have another friction, on the ground and on a box."""
    scene, _ = sledge(folder, [(0.1, 1e9, True), (0.9, 1e9, True)])
    scene.add_box(turned(0.01, 0.02, 0.03, 0.304))  # edges are almost parallel
    return scene.start()


def of_elements(folder: Path) -> BoxScene:
    """Soft bodies of which some parts pass through a box, and others have another friction and resistance there."""
    scene = SoftScene(folder)
    tabular = scene.scene.contact_tabular()
    made = [tabular.default_element(), *map(tabular.create, ["cloth", "hole", "stiff", "slick"])]
    for a, b, mu, kappa, is_enabled in [
        *((0, 1, 0.2, 1e8, True), (0, 2, 0.0, 1e8, False), (0, 3, 0.9, 3e8, True), (0, 4, 0.0, 1e9, True)),
        *((1, 1, 0.7, 2e8, True), (3, 3, 0.6, 5e8, True)),
        *((4, 1, 0.0, 1e8, True), (4, 2, 0.0, 1e8, False), (4, 3, 0.1, 3e8, True)),
    ]:
        tabular.insert(made[a], made[b], mu, kappa, is_enabled)
    scene.add_box(translation(0, 0, -0.1), size=(1.0, 1.0, 0.2), is_fixed=1)
    T = translation(0.1, 0.1, 0.103)
    T[:3, :3] = tilt = Rotation.from_rotvec([0.0007, 0.0005, 0.0]).as_matrix()
    slot = scene.add_box(T)
    x = slot.geometry().positions().view()[:, :, 0]
    view(slot.geometry().vertices().create("contact_element_id", 0))[:] = np.where(x[:, 0] < 0, 0, 4)
    mesh = moved(cloth(10, size=0.8), 0.25, 0.0, 0.0015, turn=tilt.T)
    x = mesh.positions().view()[:, :, 0]
    ids = np.where(x[:, 0] > 0.4, 2, np.where(np.arange(len(x)) % 3 == 0, 3, 1))
    scene.add_soft(vertices(mesh, contact_element_id=ids, is_fixed=np.linalg.norm(x[:, :2], axis=1) < 0.1))
    scene.add_soft(vertices(particles([[-0.3, 0.3, 0.0115], [-0.4, 0, 0.0115]]), contact_element_id=[1, 3]), "dust")
    return scene.start()


def of_many_models(folder: Path) -> BoxScene:
    """Several d̂, thick shells, two subscenes, a ghost, a fixed box, and a body that touches itself."""
    scene = BoxScene(folder, sanity_check__enable=0)
    scene.add_ground()
    tabular, left = scene.scene.contact_tabular(), scene.scene.subscene_tabular().create("left")
    ghost, rough = tabular.create("ghost"), tabular.create("rough")
    tabular.insert(ghost, tabular.default_element(), 0.0, 1e9, False)
    tabular.insert(rough, tabular.default_element(), 1.5, 2e8)
    scene.add_box(translation(0, 0, 0.104), size=(0.4, 0.4, 0.2), is_fixed=1)
    thin = scene.add_box(turned(0.2, 0.05, 0, 0.306)).geometry()
    thin.meta().create("d_hat", 0.004)
    rough.apply_to(scene.add_box(turned(0.5, 0.02, 0, 0.509)).geometry())
    ghost.apply_to(scene.add_box(translation(0.1, 0.1, 0.3)).geometry())
    left.apply_to(scene.add_box(translation(0.1, 0.0, 0.305)).geometry())
    for height in (0.0255, 0.072):
        _add_shell(scene, translation(1.0, 0, height), 0.02)
    both = [trimesh.creation.box((0.1, 0.1, 0.1), translation(0, 0, z)) for z in (-0.052, 0.052)]
    T = turned(0.3, -1.0, 0, 0.106)
    set_self_collision(scene.add_mesh(trimesh.util.concatenate(both), T))  # two boxes in one body
    return scene.start()


def _add_shell(scene: BoxScene, T: Any, radius: float) -> None:
    points = np.array([[-0.2, -0.2, 0.0], [0.2, -0.2, 0], [0.2, 0.2, 0], [-0.2, 0.2, 0]])
    shell = uipc_trimesh(points * (1.0 - 4.0 * T[2, 3]), np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32))
    label_surface(shell)
    AffineBodyShell().apply_to(shell, 1e8, 1000.0, radius)
    view(shell.transforms())[0] = T
    scene.slots.append(scene.scene.objects().create("shell").geometries().create(shell)[0])
