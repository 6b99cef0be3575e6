"""Contact of vertices with half-planes.

ipctk has planes, but no filter for them, and a half-plane often concerns some bodies only (a robot's base stands in the
floor). The formulas are the ones of `body_contact` with d = n·(x - p), whose gradient is the constant n.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import barrier
from ipc_articulation.contact.ccd import FLOOR, REST
from ipc_articulation.contact.forces import ContactForces
from ipc_articulation.contact.materials import NO_CONTACT, Materials
from ipc_articulation.contact.overlap import Overlap
from ipc_articulation.contact.smooth_norm import smooth_norm, smooth_norm_derivatives
from ipc_articulation.contact.surfaces import Surfaces


@dataclass(frozen=True)
class HalfPlanes:
    """P half-planes: n·(x - p) > 0 is free."""

    names: tuple[str, ...]
    point: Array  # (P, 3) [m]
    normal: Array  # (P, 3) unit


class HalfPlaneContact:
    """Barrier and lagged friction of every vertex with every half-plane that its body touches."""

    def __init__(self, surfaces: Surfaces, planes: HalfPlanes, materials: Materials) -> None:
        """Pair up vertices and planes."""
        material = materials.plane_pairs[surfaces.body]  # (V, P)
        vertex, plane = np.nonzero(material != NO_CONTACT)
        self.planes = planes
        self._vertex, self._body, self._plane = vertex, surfaces.body[vertex], plane
        self._count = len(surfaces.first) - 1  # of bodies
        self._points = np.ascontiguousarray(surfaces.points[vertex])
        self._normal = np.ascontiguousarray(planes.normal[plane])
        self._offset = np.einsum("ij,ij->i", planes.normal, planes.point)[plane]
        material = material[vertex, plane]
        self._resistance, self._friction = materials.resistance[material], materials.friction[material]
        self._d_hat, self._thickness = materials.d_hat[material], materials.thickness[material]
        self._is_open = bool(np.isnan(self._resistance).any())  # left to `begin_step`
        self._stiffness, self._dt = np.zeros(len(vertex)), 0.0  # dt² κ_c, and the dt of it
        self._normal_force = np.zeros(len(vertex))  # μ λ of friction
        self._x_prev = np.zeros((0, 3))
        self._eps = 1.0

    @property
    def may_touch(self) -> bool:
        """Whether any vertex may touch a plane."""
        return len(self._vertex) > 0

    def begin_step(self, x: Array, dt: float, eps_velocity: float, adaptive_resistance: float) -> None:
        """Fix the step's stiffness and normal forces of friction at x (V, 3); eps_velocity 0 leaves friction out."""
        self._eps, self._x_prev = max(eps_velocity * dt, 1e-300), x
        if self._is_open or dt != self._dt:
            resistance = np.where(np.isnan(self._resistance), adaptive_resistance, self._resistance)
            self._stiffness, self._dt = dt * dt * resistance, dt
        self._normal_force[:] = 0.0
        if eps_velocity > 0.0:
            gaps, force = self._gaps(x), self._normal_force
            _normal_forces(gaps, self._d_hat, self._thickness, self._stiffness, self._friction, force)

    def add_energy(self, x: Array, moving: Bools, E: Array) -> None:
        """Add the energy of each moving body to E (n,); inf where a vertex is behind its plane."""
        if len(self._vertex):
            _add_energy(*self._arguments(x), moving, E)

    def count(self, x: Array) -> int:
        """Number of vertices within d̂ of a plane."""
        return int(np.count_nonzero(self._gaps(x) < self._d_hat))

    def add_derivatives(self, x: Array, moving: Bools, g: Array, H: Array) -> None:
        """Add to the gradient g (n, 12) and the Hessian blocks H (n, 12, 12) of moving bodies."""
        if len(self._vertex):
            _add_derivatives(*self._arguments(x), self._points, moving, g, H)

    def forces(self, x: Array) -> ContactForces:
        """Of the vertices in reach of a plane, or that were when the step began, at x (V, 3); times dt²."""
        on = np.flatnonzero((self._gaps(x) < self._d_hat) | (self._normal_force > 0.0))
        forces = np.empty((len(on), 3))
        _forces(on, *self._arguments(x), forces)
        bodies = np.stack([self._body[on], self._count + self._plane[on]], axis=1)
        return ContactForces(x[self._vertex[on]], forces, bodies)

    def lower_fractions(
        self, labels: Ints, moving: Bools, start: Array, end: Array, floor: float, fractions: Array
    ) -> None:
        """Lower the step fractions (n,) of islands so far that every gap stays positive."""
        if len(self._vertex):
            planes = self._vertex, self._body, self._normal, self._offset, self._thickness
            _lower_fractions(start, end, *planes, floor, labels, moving, fractions)

    def add_gap_changes(self, x: Array, ahead: Array, change: Array) -> None:
        """Raise `change` (n,) to the relative change of gaps within d̂ at x, as vertices go to ahead, (V, 3) each."""
        gaps = self._gaps(x)
        near = np.flatnonzero(gaps < self._d_hat)
        np.maximum.at(change, self._body[near], np.abs(self._gaps(ahead)[near] - gaps[near]) / gaps[near])

    def minimum_distance(self, x: Array) -> float:
        """Smallest gap [m]; inf where no body touches a plane."""
        return float(self._gaps(x).min(initial=np.inf))

    def active_vertices(self, x: Array) -> Ints:
        """Vertices within d̂ of a plane at x (V, 3)."""
        return np.unique(self._vertex[self._gaps(x) < self._d_hat])

    def nearest_body(self, x: Array) -> int:
        """The body with the smallest gap."""
        return int(self._body[self._gaps(x).argmin()])

    def rounded_away(self, x: Array) -> Overlap | None:
        """A body and a half-plane whose gap rounding may hide, at x (V, 3); the one with the smallest gap of them."""
        gaps = self._gaps(x)
        least = FLOOR * np.maximum(np.abs(x).max(axis=1, initial=0.0)[self._vertex], np.abs(self._offset))
        row = int(np.argmin(gaps - least)) if len(gaps) else 0
        if not len(gaps) or gaps[row] >= least[row]:
            return None
        return Overlap(
            int(self._body[row]), None, self.planes.names[self._plane[row]], float(gaps[row]), float(least[row])
        )

    def _gaps(self, x: Array) -> Array:
        return _gaps(x, self._vertex, self._normal, self._offset, self._thickness)

    def _arguments(self, x: Array) -> tuple:
        return (
            x,
            self._x_prev,
            self._vertex,
            self._body,
            self._normal,
            self._offset,
            self._d_hat,
            self._thickness,
            self._stiffness,
            self._normal_force,
            self._eps,
        )


@compiled
def _gaps(x, vertex, normal, offset, thickness):
    """Distance of each vertex from its plane, less the thickness of the surface."""
    d = np.empty(len(vertex))
    for i in range(len(vertex)):
        v = vertex[i]
        d[i] = normal[i, 0] * x[v, 0] + normal[i, 1] * x[v, 1] + normal[i, 2] * x[v, 2] - offset[i] - thickness[i]
    return d


@compiled
def _normal_forces(gaps, d_hat, thickness, stiffness, friction, out):
    for i in range(len(gaps)):
        if 0.0 < gaps[i] < d_hat[i]:
            out[i] = -friction[i] * stiffness[i] * barrier(gaps[i], d_hat[i], thickness[i])[1]


@compiled
def _slip(x, x_prev, v, n):
    """Tangential displacement of a vertex and its length."""
    u = np.empty(3)
    along = 0.0
    for k in range(3):
        u[k] = x[v, k] - x_prev[v, k]
        along += u[k] * n[k]
    for k in range(3):
        u[k] -= along * n[k]
    return u, np.sqrt(u[0] ** 2 + u[1] ** 2 + u[2] ** 2)


@compiled
def _gap(x, v, normal, offset, thickness):
    return normal[0] * x[v, 0] + normal[1] * x[v, 1] + normal[2] * x[v, 2] - offset - thickness


@compiled
def _add_energy(x, x_prev, vertex, body, normal, offset, d_hat, thickness, stiffness, normal_force, eps, moving, E):
    for i in range(len(vertex)):
        b = body[i]
        if not moving[b]:
            continue
        gap = _gap(x, vertex[i], normal[i], offset[i], thickness[i])
        if gap <= 0.0:
            E[b] = np.inf
            continue
        if gap < d_hat[i]:
            E[b] += stiffness[i] * barrier(gap, d_hat[i], thickness[i])[0]
        if normal_force[i] > 0.0:
            _, y = _slip(x, x_prev, vertex[i], normal[i])
            E[b] += normal_force[i] * smooth_norm(y, eps)


@compiled
def _add_derivatives(
    x, x_prev, vertex, body, normal, offset, d_hat, thickness, stiffness, normal_force, eps, points, moving, g, H
):
    g_v, H_v = np.empty(3), np.empty((3, 3))
    for i in range(len(vertex)):
        if not moving[body[i]]:
            continue
        gap = _gap(x, vertex[i], normal[i], offset[i], thickness[i])
        if gap >= d_hat[i] and normal_force[i] == 0.0:
            continue
        n = normal[i]
        _, slope, curvature = barrier(gap, d_hat[i], thickness[i])
        for k in range(3):
            g_v[k] = stiffness[i] * slope * n[k]
            for m in range(3):
                H_v[k, m] = stiffness[i] * max(curvature, 0.0) * n[k] * n[m]
        if normal_force[i] > 0.0:
            _add_friction(x, x_prev, vertex[i], n, normal_force[i], eps, g_v, H_v)
        _to_affine(points[i], g_v, H_v, g[body[i]], H[body[i]])


@compiled
def _forces(on, x, x_prev, vertex, body, normal, offset, d_hat, thickness, stiffness, normal_force, eps, out):
    g_v, H_v = np.empty(3), np.empty((3, 3))
    for r in range(len(on)):
        i = on[r]
        gap = _gap(x, vertex[i], normal[i], offset[i], thickness[i])
        slope = barrier(gap, d_hat[i], thickness[i])[1]
        for k in range(3):
            g_v[k] = stiffness[i] * slope * normal[i, k]
        if normal_force[i] > 0.0:
            _add_friction(x, x_prev, vertex[i], normal[i], normal_force[i], eps, g_v, H_v)
        for k in range(3):
            out[r, k] = -g_v[k]


@compiled
def _add_friction(x, x_prev, v, n, normal_force, eps, g_v, H_v):
    """Derivatives of μλ f₀(|u|)."""
    u, y = _slip(x, x_prev, v, n)
    slope, curvature = smooth_norm_derivatives(y, eps)
    for k in range(3):
        g_v[k] += normal_force * slope * u[k]
        for m in range(3):
            P = (1.0 if k == m else 0.0) - n[k] * n[m]
            H_v[k, m] += normal_force * (slope * P + curvature * u[k] * u[m])


@compiled
def _to_affine(point, g_v, H_v, g, H):
    """Add Jᵀ g_v to g and Jᵀ H_v J to H, with J = [I | I ⊗ x̄ᵀ] of one vertex."""
    for k in range(3):
        g[k] += g_v[k]
        for a in range(3):
            g[3 + 3 * k + a] += g_v[k] * point[a]
        for m in range(3):
            _add_entry(H_v[k, m], k, m, point, point, H)


@compiled
def _add_entry(h, k, m, left, right, H):
    """H += Jᵀ h J for one entry h: the second derivative by axis k of a vertex at x̄ = left and axis m of one at right.

    Axis k of a vertex depends on the coordinates k and 3+3k..5+3k of its body, with weights 1 and x̄; H is (12, 12).
    """
    H[k, m] += h
    for a in range(3):
        H[3 + 3 * k + a, m] += h * left[a]
        H[k, 3 + 3 * m + a] += h * right[a]
        for b in range(3):
            H[3 + 3 * k + a, 3 + 3 * m + b] += h * left[a] * right[b]


@compiled
def _lower_fractions(start, end, vertex, body, normal, offset, thickness, floor, labels, moving, fractions):
    for i in range(len(vertex)):
        b = body[i]
        if moving[b]:
            now = _gap(start, vertex[i], normal[i], offset[i], thickness[i])
            then = _gap(end, vertex[i], normal[i], offset[i], thickness[i])
            rest = max(REST * now, min(now, floor))
            if then < rest:
                fractions[labels[b]] = min(fractions[labels[b]], (now - rest) / (now - then))
