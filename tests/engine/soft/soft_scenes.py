"""Soft bodies in small scenes with the CPU engine, z up."""

from __future__ import annotations

import numpy as np
import pyvista
from uipc import geometry as meshes
from uipc import view
from uipc.constitution import (
    DiscreteShellBending,
    ElasticModuli,
    ElasticModuli2D,
    HookeanSpring,
    KirchhoffRodBending,
    NeoHookeanShell,
    Particle,
    StableNeoHookean,
)

from tests.engine.scenes import BoxScene


def block_mesh(cells=2, size=0.2):
    """A cube of six tetrahedra a cell, labelled."""
    g, n = np.linspace(-size / 2, size / 2, cells + 1), cells + 1
    X = np.stack(np.meshgrid(g, g, g, indexing="ij"), axis=-1).reshape(-1, 3)
    corner = np.array([[i, j, k] for i in range(cells) for j in range(cells) for k in range(cells)])
    paths = [(0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2)]  # from corner to corner, axis by axis
    tetrahedra = []
    for order in paths:
        steps = np.cumsum([[0, 0, 0], *np.eye(3, dtype=int)[list(order)]], axis=0)
        tetrahedra.append((corner[:, None] + steps) @ [n * n, n, 1])
    T = np.concatenate(tetrahedra)
    flip = np.linalg.det(X[T[:, 1:]] - X[T[:, :1]]) < 0.0
    T[flip] = T[flip][:, [0, 2, 1, 3]]
    mesh = meshes.tetmesh(X, T.astype(np.int32))
    meshes.label_surface(mesh)
    return mesh


def block(cells=2, size=0.2, young=1e5, poisson=0.4, density=1000.0):
    mesh = block_mesh(cells, size)
    StableNeoHookean().apply_to(mesh, ElasticModuli.youngs_poisson(young, poisson), density)
    return mesh


def cloth_mesh(cells=8, size=0.6):
    g, n = np.linspace(-size / 2, size / 2, cells + 1), cells + 1
    X = np.stack([*np.meshgrid(g, g, indexing="ij"), np.zeros((n, n))], axis=-1).reshape(-1, 3)
    a = (np.arange(cells)[:, None] * n + np.arange(cells)).ravel()
    F = np.concatenate([np.stack([a, a + n, a + n + 1], 1), np.stack([a, a + n + 1, a + 1], 1)])
    mesh = meshes.trimesh(X, F.astype(np.int32))
    meshes.label_surface(mesh)
    return mesh


def cloth(cells=8, size=0.6, young=1e5, bending=1e-3, thickness=5e-4):
    mesh = cloth_mesh(cells, size)
    NeoHookeanShell().apply_to(mesh, ElasticModuli2D.youngs_poisson(young, 0.4), 200.0, thickness)
    DiscreteShellBending().apply_to(mesh, bending)
    return mesh


def rod(points, young=1e6, radius=0.005, bending=1e6):
    edges = np.stack([np.arange(len(points) - 1), np.arange(1, len(points))], axis=1).astype(np.int32)
    mesh = meshes.linemesh(np.ascontiguousarray(points, dtype=float), edges)
    meshes.label_surface(mesh)
    HookeanSpring().apply_to(mesh, young, 1000.0, radius)
    KirchhoffRodBending().apply_to(mesh, bending)
    return mesh


def particles(points, radius=0.01):
    mesh = meshes.pointcloud(np.ascontiguousarray(points, dtype=float))
    meshes.label_surface(mesh)
    Particle().apply_to(mesh, 1000.0, radius)
    return mesh


def ball(radius=0.2, subdivisions=2):
    sphere = pyvista.Icosphere(radius=radius, nsub=subdivisions)
    return np.asarray(sphere.points, dtype=float), sphere.faces.reshape(-1, 4)[:, 1:].astype(np.int32)


def vertices(mesh, **values):
    """Set attributes of the vertices, and return the mesh."""
    for name, value in values.items():
        slot = mesh.vertices().find(name) or mesh.vertices().create(name, np.asarray(value)[0])
        target = view(slot)
        target[:] = np.reshape(value, target.shape)
    return mesh


def moved(mesh, *position, turn=None):
    x = mesh.positions().view()[:, :, 0]
    x = x if turn is None else x @ np.asarray(turn).T
    view(mesh.positions())[:] = (x + position)[:, :, None]
    return mesh


class SoftScene(BoxScene):
    """A scene of soft bodies and boxes; d̂ is 2 mm unless something else is given."""

    def __init__(self, workspace, **settings):
        super().__init__(workspace, **{"contact__d_hat": 0.002, "sanity_check__enable": False, **settings})
        self.soft = []

    def add_soft(self, mesh, name="soft", rest=None):
        slot = self.scene.objects().create(name).geometries().create(mesh, *(() if rest is None else (rest,)))[0]
        self.soft.append(slot)
        return slot

    def x(self, which=0):
        return self._column("position", which)

    def v(self, which=0):
        return self._column("velocity", which)

    def _column(self, name, which):
        return self.soft[which].geometry().vertices().find(name).view()[:, :, 0].copy()

    def mass(self, which=0):
        return self.soft[which].geometry().vertices().find("mass").view().copy()

    @property
    def report(self):
        return self.engine.cpu.statistics
