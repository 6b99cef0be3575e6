"""Contact of vertices with half-planes.

ipctk has planes, but no filter for them, and a half-plane often concerns some bodies only (a robot's base stands in the
floor). The formulas are the ones of `body_contact` with d = n·(x - p), whose gradient is the constant n.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ipc_articulation.contact.ccd import REST, gap_floor
from ipc_articulation.contact.materials import NO_CONTACT, Materials
from ipc_articulation.contact.surfaces import Surfaces, add_entry

Array = NDArray[np.float64]


@dataclass(frozen=True)
class HalfPlanes:
    """P half-planes: n·(x - p) > 0 is free."""

    point: Array  # (P, 3) [m]
    normal: Array  # (P, 3) unit


class HalfPlaneContact:
    """Barrier and lagged friction of every vertex with every half-plane that its body touches."""

    def __init__(self, surfaces: Surfaces, planes: HalfPlanes, materials: Materials) -> None:
        """Pair up vertices and planes."""
        material = materials.plane_pairs[surfaces.body]  # (V, P)
        vertex, plane = np.nonzero(material != NO_CONTACT)
        self._vertex, self._body = vertex, surfaces.body[vertex]
        self._points = np.ascontiguousarray(surfaces.points[vertex])
        self._normal = np.ascontiguousarray(planes.normal[plane])
        self._offset = np.einsum("ij,ij->i", planes.normal, planes.point)[plane]
        material = material[vertex, plane]
        self._resistance, self._friction = materials.resistance[material], materials.friction[material]
        self._d_hat, self._thickness = materials.d_hat[material], materials.thickness[material]
        self._stiffness = np.zeros(len(vertex))  # dt² κ_c
        self._n_bodies = len(materials.body_pairs)
        self._normal_force = np.zeros(len(vertex))  # μ λ of friction
        self._x_prev = np.zeros((0, 3), order="F")
        self._eps = 1.0

    def begin_step(self, x: Array, dt: float, eps_velocity: float, adaptive_resistance: float) -> None:
        """Fix the step's stiffness and normal forces of friction at x (V, 3); eps_velocity 0 leaves friction out."""
        self._eps, self._x_prev = max(eps_velocity * dt, 1e-300), x
        resistance = np.where(np.isnan(self._resistance), adaptive_resistance, self._resistance)
        self._stiffness = dt * dt * resistance
        self._normal_force[:] = 0.0
        if eps_velocity > 0.0:
            gaps, force = self._gaps(x), self._normal_force
            _normal_forces(gaps, self._d_hat, self._thickness, self._stiffness, self._friction, force)

    def energy(self, x: Array) -> float:
        """E; inf where a vertex is behind its plane."""
        if len(self._vertex) == 0:
            return 0.0
        return _energy(*self._arguments(x))

    def derivatives(self, x: Array) -> tuple[Array, Array, int]:
        """Gradient (n, 12) and Hessian blocks (n, 12, 12) by affine coordinates, and the vertices in reach."""
        g = np.zeros((self._n_bodies, 12))
        H = np.zeros((self._n_bodies, 12, 12))
        count = 0
        if len(self._vertex):
            count = _derivatives(*self._arguments(x), self._points, self._body, g, H)
        return g, H, count

    def step_limit(self, start: Array, end: Array) -> float:
        """Share of the straight way on which every gap stays positive, in [0, 1]."""
        if len(self._vertex) == 0:
            return 1.0
        return _step_limit(self._gaps(start), self._gaps(end), gap_floor(start, end))

    def minimum_distance(self, x: Array) -> float:
        """Smallest gap [m]; inf where no body touches a plane."""
        return float(self._gaps(x).min(initial=np.inf))

    def active_vertices(self, x: Array) -> NDArray[np.int64]:
        """Vertices within d̂ of a plane at x (V, 3)."""
        return np.unique(self._vertex[self._gaps(x) < self._d_hat])

    def nearest_body(self, x: Array) -> int:
        """The body with the smallest gap."""
        return int(self._body[self._gaps(x).argmin()])

    def _gaps(self, x: Array) -> Array:
        return _gaps(x, self._vertex, self._normal, self._offset, self._thickness)

    def _arguments(self, x: Array) -> tuple:
        return (
            x,
            self._x_prev,
            self._vertex,
            self._normal,
            self._offset,
            self._d_hat,
            self._thickness,
            self._stiffness,
            self._normal_force,
            self._eps,
        )


@njit(cache=True)
def barrier(gap, d_hat, xi):
    """B(d² - ξ², d̂² + 2 d̂ ξ) and its first two derivatives by d = gap + ξ; zero from d̂ on."""
    if gap >= d_hat:
        return 0.0, 0.0, 0.0
    d = gap + xi
    D, D_hat = gap * (gap + 2.0 * xi), d_hat * (d_hat + 2.0 * xi)
    short, log = D - D_hat, np.log(D / D_hat)
    B = -short * short * log
    B_D = -2.0 * short * log - short * short / D
    B_DD = -2.0 * log - 4.0 * short / D + short * short / (D * D)
    return B, 2.0 * d * B_D, 4.0 * d * d * B_DD + 2.0 * B_D


@njit(cache=True)
def _gaps(x, vertex, normal, offset, thickness):
    """Distance of each vertex from its plane, less the thickness of the surface."""
    d = np.empty(len(vertex))
    for i in range(len(vertex)):
        v = vertex[i]
        d[i] = normal[i, 0] * x[v, 0] + normal[i, 1] * x[v, 1] + normal[i, 2] * x[v, 2] - offset[i] - thickness[i]
    return d


@njit(cache=True)
def _normal_forces(gaps, d_hat, thickness, stiffness, friction, out):
    for i in range(len(gaps)):
        if 0.0 < gaps[i] < d_hat[i]:
            out[i] = -friction[i] * stiffness[i] * barrier(gaps[i], d_hat[i], thickness[i])[1]


@njit(cache=True)
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


@njit(cache=True)
def _energy(x, x_prev, vertex, normal, offset, d_hat, thickness, stiffness, normal_force, eps):
    E = 0.0
    gaps = _gaps(x, vertex, normal, offset, thickness)
    for i in range(len(vertex)):
        if gaps[i] <= 0.0:
            return np.inf
        if gaps[i] < d_hat[i]:
            E += stiffness[i] * barrier(gaps[i], d_hat[i], thickness[i])[0]
        if normal_force[i] > 0.0:
            _, y = _slip(x, x_prev, vertex[i], normal[i])
            f0 = y if y >= eps else y * y * (eps - y / 3.0) / (eps * eps) + eps / 3.0
            E += normal_force[i] * f0
    return E


@njit(cache=True)
def _derivatives(x, x_prev, vertex, normal, offset, d_hat, thickness, stiffness, normal_force, eps, points, body, g, H):
    count = 0
    gaps = _gaps(x, vertex, normal, offset, thickness)
    g_v, H_v = np.empty(3), np.empty((3, 3))
    for i in range(len(vertex)):
        if gaps[i] >= d_hat[i] and normal_force[i] == 0.0:
            continue
        count += gaps[i] < d_hat[i]
        n = normal[i]
        _, slope, curvature = barrier(gaps[i], d_hat[i], thickness[i])
        for k in range(3):
            g_v[k] = stiffness[i] * slope * n[k]
            for m in range(3):
                H_v[k, m] = stiffness[i] * max(curvature, 0.0) * n[k] * n[m]
        if normal_force[i] > 0.0:
            _add_friction(x, x_prev, vertex[i], n, normal_force[i], eps, g_v, H_v)
        _to_affine(points[i], g_v, H_v, g[body[i]], H[body[i]])
    return count


@njit(cache=True)
def _add_friction(x, x_prev, v, n, normal_force, eps, g_v, H_v):
    """Derivatives of μλ f₀(|u|): f₁/y u and (f₁/y)(1 - nnᵀ) + c uuᵀ; positive semidefinite by itself."""
    u, y = _slip(x, x_prev, v, n)
    if y >= eps:
        f1_over_y, c = 1.0 / y, -1.0 / (y * y * y)
    else:
        f1_over_y, c = (2.0 * eps - y) / (eps * eps), -1.0 / (eps * eps * y) if y > 0.0 else 0.0
    for k in range(3):
        g_v[k] += normal_force * f1_over_y * u[k]
        for m in range(3):
            P = (1.0 if k == m else 0.0) - n[k] * n[m]
            H_v[k, m] += normal_force * (f1_over_y * P + c * u[k] * u[m])


@njit(cache=True)
def _to_affine(point, g_v, H_v, g, H):
    """Add Jᵀ g_v to g and Jᵀ H_v J to H, with J = [I | I ⊗ x̄ᵀ] of one vertex."""
    for k in range(3):
        g[k] += g_v[k]
        for a in range(3):
            g[3 + 3 * k + a] += g_v[k] * point[a]
        for m in range(3):
            add_entry(H_v[k, m], k, m, point, point, H)


@njit(cache=True)
def _step_limit(start, end, floor):
    limit = 1.0
    for i in range(len(start)):
        rest = max(REST * start[i], min(start[i], floor))
        if end[i] < rest:
            limit = min(limit, (start[i] - rest) / (start[i] - end[i]))
    return limit
