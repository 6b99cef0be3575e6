"""Small soft meshes with libuipc's constitutions, in a scene of their own."""

from __future__ import annotations

import numpy as np
from uipc import Scene, view
from uipc import geometry as meshes
from uipc.constitution import (
    ElasticModuli,
    ElasticModuli2D,
    HookeanSpring,
    NeoHookeanShell,
    Particle,
    StableNeoHookean,
)

from ipc_articulation.frontend.soft.bodies import read_soft_bodies

# Two tetrahedra that share a face, a square of two triangles, and a bent line.
SOLID = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1.0]])
TETRAHEDRA = np.array([[0, 1, 2, 3], [1, 4, 2, 3]], dtype=np.int32)
SQUARE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0.0]])
TRIANGLES = np.array([[0, 1, 2], [1, 3, 2]], dtype=np.int32)
LINE = np.array([[0, 0, 0], [1, 0, 0], [1, 2, 0], [1, 2, 3.0]])
EDGES = np.array([[0, 1], [1, 2], [2, 3]], dtype=np.int32)
NU = 0.3


def bare_solid(scale=1.0):
    return meshes.tetmesh(scale * SOLID, TETRAHEDRA)


def bare_shell(points=SQUARE, triangles=TRIANGLES):
    return meshes.trimesh(np.ascontiguousarray(points, dtype=float), np.asarray(triangles, dtype=np.int32))


def bare_rod():
    return meshes.linemesh(LINE, EDGES)


def solid(labelled=True):
    mesh = bare_solid()
    if labelled:
        meshes.label_surface(mesh)
    StableNeoHookean().apply_to(mesh, ElasticModuli.youngs_poisson(1e5, NU), 800.0)
    return mesh


def shell():
    mesh = bare_shell()
    meshes.label_surface(mesh)
    NeoHookeanShell().apply_to(mesh, ElasticModuli2D.youngs_poisson(1e5, NU), 600.0, 0.01)
    return mesh


def rod():
    mesh = bare_rod()
    meshes.label_surface(mesh)
    HookeanSpring().apply_to(mesh, 1e6, 500.0, 0.02)
    return mesh


def particles():
    mesh = meshes.pointcloud(LINE)
    meshes.label_surface(mesh)
    Particle().apply_to(mesh, 1000.0, 0.1)
    return mesh


class SoftScene:
    """A scene of geometries; it keeps itself and its slots alive."""

    def __init__(self):
        self.scene, self.slots, self.rests = Scene(Scene.default_config()), [], []

    def add(self, mesh, rest=None, name="cushion"):
        geometries = self.scene.objects().create(name).geometries()
        slot, rest_slot = geometries.create(mesh) if rest is None else geometries.create(mesh, rest)
        self.slots.append(slot)
        self.rests.append(rest_slot)
        return slot

    @property
    def bodies(self):
        """All soft bodies of the scene, read now."""
        names = {slot.id(): f"cushion {slot.id()}" for slot in self.slots}
        return read_soft_bodies(self.slots, self.rests, names)

    @property
    def by_id(self):
        return {slot.id(): slot for slot in self.slots}


def body(mesh, rest=None):
    """The only soft body of a new scene, which it keeps alive."""
    scene = SoftScene()
    scene.add(mesh, rest)
    (only,) = scene.bodies
    KEPT.append(scene)
    return only


KEPT: list[SoftScene] = []


def set_vertices(mesh, name, values):
    """Write an attribute of the vertices, which is created if it does not exist."""
    values = np.asarray(values)
    slot = mesh.vertices().find(name)
    if slot is None:
        slot = mesh.vertices().create(name, values[0])
    target = view(slot)
    target[:] = values.reshape(target.shape)
