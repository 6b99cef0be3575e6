"""Soft bodies at rest under small forces: meshes, forces on their ends, and the orders of errors."""

from __future__ import annotations

import itertools

import numpy as np
from uipc import geometry as meshes
from uipc.constitution import FiniteElementExternalForce

from ipc_articulation.engine.newton.newton_report import NewtonResult
from tests.engine.soft.soft_scenes import SoftScene, vertices


def bar_mesh(cells, size, jitter=0.0, seed=0):
    """A bar from the origin, of six tetrahedra a cell; inner vertices are moved by a share of a cell."""
    X, strides = _grid(cells, size, jitter, seed)
    walks = []
    for order in itertools.permutations(range(3)):
        walk = np.r_[0, np.cumsum(strides[list(order)])]
        is_odd = np.linalg.det(np.eye(3)[list(order)]) < 0.0
        walks.append(walk[[0, 1, 3, 2]] if is_odd else walk)
    T = (_corners(cells) @ strides)[:, None, None] + np.array(walks)
    mesh = meshes.tetmesh(X, T.reshape(-1, 4).astype(np.int32))
    meshes.label_surface(mesh)
    return mesh


def strip_mesh(cells, size, jitter=0.0, seed=0, mirrored=False):
    """A strip in the plane z = 0 from the origin, of two triangles a cell; diagonals are parallel or mirrored."""
    X, strides = _grid(cells, size, jitter, seed)
    corners = _corners(cells)
    a, (x, y) = corners @ strides, strides
    F = np.stack([[a, a + x, a + x + y], [a, a + x + y, a + y]]).transpose(2, 0, 1)
    if mirrored:
        is_odd = corners.sum(axis=1) % 2 == 1
        F[is_odd] = np.stack([[a, a + x, a + y], [a + x, a + x + y, a + y]]).transpose(2, 0, 1)[is_odd]
    F = F.reshape(-1, 3)
    mesh = meshes.trimesh(np.column_stack([X, np.zeros(len(X))]), F.astype(np.int32))
    meshes.label_surface(mesh)
    return mesh


def line_mesh(X):
    """A rod through points (n, 3)."""
    n = np.arange(len(X) - 1)
    mesh = meshes.linemesh(np.ascontiguousarray(X, dtype=float), np.stack([n, n + 1], axis=1).astype(np.int32))
    meshes.label_surface(mesh)
    return mesh


def _grid(cells, size, jitter, seed):
    """Vertices of a grid (n, d), and the steps of their numbers along the axes, (d,)."""
    numbers, cells = _corners(np.asarray(cells) + 1), np.asarray(cells)
    is_inner = np.all((numbers > 0) & (numbers < cells), axis=1)
    moves = np.random.default_rng(seed).uniform(-jitter, jitter, numbers.shape)
    strides = np.cumprod(np.r_[1, (cells + 1)[:0:-1]])[::-1]
    return (numbers + is_inner[:, None] * moves) * (np.asarray(size) / cells), strides


def _corners(counts):
    return np.stack(np.meshgrid(*[np.arange(n) for n in counts], indexing="ij"), axis=-1).reshape(-1, len(counts))


def points(mesh):
    return mesh.positions().view()[:, :, 0].copy()


def shares(mesh, chosen):
    """The share of each vertex in a force that is spread evenly over the end of a bar, strip or rod, (n,).

    Args:
        mesh: A mesh of the functions above.
        chosen: The vertices of the end, (n,).
    """
    X, found = points(mesh), np.zeros(len(chosen))
    if mesh.dim() == 1:
        return chosen / chosen.sum()
    collection = mesh.tetrahedra() if mesh.dim() == 3 else mesh.triangles()
    elements = collection.topo().view()[:, :, 0]
    for left_out in range(mesh.dim() + 1):
        sides = np.delete(elements, left_out, axis=1)
        sides = sides[np.all(chosen[sides], axis=1)]
        first, *others = (X[sides[:, v]] for v in range(mesh.dim()))
        extent = np.stack([other - first for other in others])
        sizes = np.linalg.norm(np.cross(*extent) if mesh.dim() == 3 else extent[0], axis=1)
        np.add.at(found, sides, sizes[:, None])
    return found / found.sum()


class Statics(SoftScene):
    """A scene of soft bodies without contact, whose steps are so long that inertia counts little.

    Newton's method goes on until a step moves vertices by less than `tolerance` [m].
    """

    def __init__(self, workspace, dt, tolerance=1e-8, gravity=(0.0, 0.0, 0.0), **settings):
        exact = {"newton__velocity_tol": tolerance / dt, "newton__transrate_tol": tolerance / dt}
        fixed = {"newton__semi_implicit__enable": False, "contact__enable": False, "dt": dt}
        super().__init__(workspace, gravity=gravity, **{**exact, **fixed, **settings})

    def settle(self, steps=20, share=1e-4):
        """Run until a step moves vertices by less than a share of their way since the start; returns positions."""
        start = self.x()
        for _ in range(steps):
            before = self.x()
            self.run()
            assert self.report.result == NewtonResult.CONVERGED
            if np.abs(self.x() - before).max() <= share * np.abs(self.x() - start).max():
                return self.x()
        raise AssertionError(f"still moving after {steps} steps")


def pushed(mesh, forces):
    """The mesh with forces (n, 3) [N] on its vertices."""
    FiniteElementExternalForce().apply_to(mesh, np.zeros(3))
    return vertices(mesh, external_force=forces)


def orders(errors, cells):
    """Orders of convergence between successive refinements, (k - 1, ...), of errors (k, ...) with cells (k,)."""
    return (np.diff(np.log(np.abs(errors)), axis=0).T / -np.diff(np.log(cells))).T
