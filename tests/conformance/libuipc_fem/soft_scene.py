"""Soft bodies for the cases of libuipc's suite, and what a test asks of them: of their geometries alone, any engine."""

from __future__ import annotations

import ipctk
import numpy as np
from uipc import view
from uipc.constitution import ElasticModuli, ElasticModuli2D, HookeanSpring, NeoHookeanShell, StableNeoHookean
from uipc.geometry import label_surface, label_triangle_orient, linemesh, tetmesh, trimesh

from ipc_articulation.frontend.attributes import carried_uids, read
from ipc_articulation.frontend.soft.bodies import read_soft_bodies, world_positions
from ipc_articulation.frontend.soft.constitutions import READERS, read_elements
from tests.conformance.libuipc.case_scene import DOWN, DT

NO_CONTACT = {"contact__enable": 0}
SMOOTH = {"contact__friction__enable": 0}
TIGHT = {"newton__velocity_tol": 1e-6, "newton__transrate_tol": 1e-6, "newton__semi_implicit__enable": 0}
TETRAHEDRON = np.array([[0, 0, 1.0], [0, 1, 0], [-(0.75**0.5), -0.5, 0], [0.75**0.5, -0.5, 0]])  # libuipc's, z up


class SoftBodies:
    """The soft bodies of a `CaseScene`."""

    def __init__(self, scene):
        self.scene, self.slots, self.rests = scene, [], []

    def add(self, mesh, at=(0, 0, 0), rest=None, **values):
        """Add a mesh that has its constitution.

        Args:
            mesh: Its geometry.
            at: What is added to its positions [m].
            rest: Rest geometry; if not given, the mesh where it is.
            values: Values of vertex attributes, of all vertices or of each.
        """
        view(mesh.positions())[:] += np.reshape(at, (3, 1))
        for name, value in values.items():
            slot = mesh.vertices().find(name)
            if slot is None:
                slot = mesh.vertices().create(name, np.zeros(3) if np.ndim(value) == 2 else 0 * np.ravel(value)[0])
            target = view(slot)
            target[:] = np.reshape(value, target.shape) if np.size(value) > 1 else value
        geometries = self.scene.scene.objects().create(f"soft body {len(self.slots)}").geometries()
        slot, rest_slot = geometries.create(mesh) if rest is None else geometries.create(mesh, rest)
        self.slots.append(slot)
        self.rests.append(rest_slot)
        return slot

    @property
    def bodies(self):
        """What `frontend.soft` reads of them; masses and rest shapes do not change with the steps."""
        return read_soft_bodies(self.slots, self.rests)

    @property
    def x(self):
        """Present positions of all bodies, (V, 3) each."""
        return [world_positions(slot.geometry()) for slot in self.slots]

    def start(self):
        self.scene.start()
        return self

    def run(self, steps=1):
        """Run steps that must end well: converged, finite, no surfaces that intersect."""
        for _ in range(steps):
            self.scene.run(1)
            self._check()
        return self

    def run_free(self, steps, forces=None, gravity=DOWN):
        """Run steps without contact, and check Newton's law at their ends: m a = m g - ∇E + f.

        Args:
            steps: Their number; the law is checked from the third on.
            forces: Function of the positions of all bodies that gives f on the vertices of each body [N].
            gravity: [m/s²].
        """
        history = [self.x]
        for k in range(steps):
            history.append(self.run().x)
            if k >= 2:
                more = [0.0] * len(self.slots) if forces is None else forces(history[-1])
                self._check_law(history[-3:], np.array(gravity), more)
        return self

    def _check(self):
        statistics = self.scene.engine.statistics
        if statistics:
            assert statistics.result.name in ("CONVERGED", "SEMI_IMPLICIT"), statistics.result
        for x in self.x:
            assert np.isfinite(x).all()
        assert not intersects([*self.scene.slots, *self.slots])

    def _check_law(self, positions, gravity, more):
        for k, body in enumerate(self.bodies):
            x0, x1, x2 = (x[k] for x in positions)
            inertia = body.mass[:, None] * ((x2 - 2 * x1 + x0) / DT**2 - gravity)
            force = forces_of_elements(body, x2) + more[k]
            error = np.abs(inertia - force)[~body.is_fixed]
            assert error.max(initial=0.0) < 1e-3 * (np.abs(force).max() + body.mass.max()), body.name


def forces_of_elements(body, x):
    """-∇E of all of a body's constitutions at x, (V, 3) [N]."""
    force = np.zeros_like(x)
    geometry = body.slot.geometry()
    for uid in filter(READERS.__contains__, carried_uids(geometry)):
        for elements in read_elements(body, uid):
            gradients = elements.law.gradients(x, elements.vertices, elements.constants)
            np.add.at(force, elements.vertices, -gradients.reshape(*elements.vertices.shape, 3))
    return force


def intersects(slots):
    """Whether the labelled surfaces of the first instances of geometries intersect each other or themselves."""
    points, edges, faces, count = [], [], [], 0
    for slot in slots:
        geometry = slot.geometry()
        points.append(world_positions(geometry))
        for collection, found, k in ((geometry.edges(), edges, 2), (geometry.triangles(), faces, 3)):
            topo, label = read(collection, "topo"), read(collection, "is_surf")
            if topo is not None and label is not None:
                found.append(topo[label != 0].reshape(-1, k) + count)
        count += len(points[-1])
    if not edges:
        return False
    E = np.concatenate(edges)
    F = np.concatenate(faces) if faces else np.zeros((0, 3), dtype=np.int32)
    x = np.asfortranarray(np.concatenate(points))
    return ipctk.has_intersections(ipctk.CollisionMesh(x, E.astype(np.int32), F.astype(np.int32)), x)


# Meshes with their constitutions


def labelled(mesh):
    label_surface(mesh)
    if mesh.dim() == 3:
        label_triangle_orient(mesh)
    return mesh


def tetrahedron(points=TETRAHEDRON):
    points = np.array(points, dtype=float)
    flipped = np.linalg.det(points[1:] - points[0]) < 0.0
    return labelled(tetmesh(points, np.array([[0, 2, 1, 3] if flipped else [0, 1, 2, 3]], dtype=np.int32)))


def rubber(mesh, young=1e5, nu=0.49, density=1e3):
    StableNeoHookean().apply_to(mesh, ElasticModuli.youngs_poisson(young, nu), density)
    return mesh


def sheet(cells=1, side=0.6):
    """A square of cells in the plane z = 0, each of two triangles; vertex k = i (cells + 1) + j at x = i, y = j."""
    n = cells + 1
    axis = side * (np.arange(n) / cells - 0.5)
    points = np.array([[x, y, 0.0] for x in axis for y in axis])
    corners = np.array([i * n + j for i in range(cells) for j in range(cells)])
    faces = np.concatenate([corners[:, None] + [0, n, n + 1], corners[:, None] + [0, n + 1, 1]])
    return labelled(trimesh(points, faces.astype(np.int32)))


def membrane(mesh, young=1e7, nu=0.49, radius=0.001, density=200.0):
    NeoHookeanShell().apply_to(mesh, ElasticModuli2D.youngs_poisson(young, nu), density, radius)
    return mesh


def chain(vertices, spacing=0.03):
    """A straight line along x."""
    points = np.zeros((vertices, 3))
    points[:, 0] = spacing * np.arange(vertices)
    edges = np.column_stack([np.arange(vertices - 1), np.arange(1, vertices)])
    return labelled(linemesh(points, edges.astype(np.int32)))


def rope(mesh, young=4e7, radius=0.01, density=1e3):
    HookeanSpring().apply_to(mesh, young, density, radius)
    return mesh


def marked(count, *chosen):
    """1 for the chosen of `count` vertices, else 0."""
    flags = np.zeros(count, dtype=np.int32)
    flags[list(chosen)] = 1
    return flags
