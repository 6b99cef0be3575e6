"""Contact of vertices with half-planes.

ipctk has planes, but no filter for them, and a half-plane often acts on some bodies only (a robot's base may be inside
the floor). The formulas are those of `body_contact` with d = n·(x - p), whose gradient is the constant n.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ipc_articulation.affine import DOF
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
    """P half-planes, with the free space n·(x - p) > 0."""

    names: tuple[str, ...]
    point: Array  # (P, 3) [m]
    normal: Array  # (P, 3) unit


class _Pairs(NamedTuple):
    """The k pairs of a vertex and a half-plane that may touch."""

    vertex: Ints  # (k,)
    body: Ints  # (k,) of the vertex
    points: Array  # (k, 3) local position of the vertex [m]
    normal: Array  # (k, 3)
    offset: Array  # (k,) n·p [m]
    d_hat: Array  # (k,) [m]
    thickness: Array  # (k,) ξ [m]


class _Step(NamedTuple):
    """Constants of a step; replaced as a whole."""

    stiffness: Array  # (k,) dt² κ_c
    normal_force: Array  # (k,) μ λ of friction
    x: Array  # (V, 3) positions at the beginning of the step [m]
    eps: float  # displacement at which friction is fully developed [m]


class HalfPlaneContact:
    """Barrier and lagged friction of every vertex with every half-plane that its body may touch."""

    def __init__(self, surfaces: Surfaces, planes: HalfPlanes, materials: Materials) -> None:
        """Find the pairs of vertices and planes that may touch."""
        material = materials.plane_pairs[surfaces.body]  # (V, P)
        vertex, self._plane = np.nonzero(material != NO_CONTACT)
        material = material[vertex, self._plane]
        self.planes, self._body_count = planes, len(surfaces.first) - 1
        self._resistance, self._friction = materials.resistance[material], materials.friction[material]
        self._pairs = _Pairs(
            vertex,
            surfaces.body[vertex],
            np.ascontiguousarray(surfaces.points[vertex]),
            np.ascontiguousarray(planes.normal[self._plane]),
            np.einsum("ij,ij->i", planes.normal, planes.point)[self._plane],
            materials.d_hat[material],
            materials.thickness[material],
        )
        self._columns = tuple(self._pairs)  # numba takes a plain tuple faster
        self.may_touch = len(vertex) > 0
        self._step = _Step(np.zeros(len(vertex)), np.zeros(len(vertex)), np.zeros((0, 3)), 1.0)

    def begin_step(self, x: Array, dt: float, eps_velocity: float, adaptive_resistance: float) -> None:
        """Fix the step's stiffness and normal forces of friction at x (V, 3); eps_velocity 0 leaves friction out."""
        if self.may_touch:
            friction = self._friction if eps_velocity > 0.0 else np.zeros_like(self._friction)
            stiffness, force = _begin(self._columns, self._resistance, friction, adaptive_resistance, dt, x)
            self._step = _Step(stiffness, force, x, max(eps_velocity * dt, 1e-300))

    def add_energy(self, x: Array, moving: Bools, E: Array) -> None:
        """Add the energy of each moving body to E (n,); inf if a vertex is behind its plane."""
        if self.may_touch:
            _add_energy(self._columns, tuple(self._step), x, moving, E)

    def add_derivatives(self, x: Array, moving: Bools, g: Array, H: Array) -> None:
        """Add to the gradient g (n, 12) and the Hessian blocks H (n, 12, 12) of moving bodies."""
        if self.may_touch:
            _add_derivatives(self._columns, tuple(self._step), x, moving, g, H)

    def forces(self, x: Array) -> ContactForces:
        """Forces on vertices within d̂ of a plane at x (V, 3), or in touch when the step began; times dt²."""
        all_gaps, pairs = self._gaps(x), self._pairs
        on = np.flatnonzero((all_gaps < pairs.d_hat) | (self._step.normal_force > 0.0))
        bodies = np.stack([pairs.body[on], self._body_count + self._plane[on]], axis=1)
        points, normals, gaps = x[pairs.vertex[on]], pairs.normal[on], all_gaps[on]
        opposite = points - (gaps + pairs.thickness[on])[:, None] * normals
        of_barrier, of_friction = _forces(on, self._columns, tuple(self._step), x)
        nothing = np.zeros_like(points)
        return ContactForces(points, opposite, normals, of_barrier, of_friction, nothing, gaps, bodies)

    def lower_fractions(
        self, labels: Ints, moving: Bools, start: Array, end: Array, floor: float, fractions: Array
    ) -> None:
        """Lower the step fractions (n,) of islands so that every gap stays positive."""
        if self.may_touch:
            _lower_fractions(self._columns, start, end, floor, labels, moving, fractions)

    def add_gap_changes(self, x: Array, ahead: Array, moving: Bools, change: Array) -> None:
        """Raise `change` (n,) of moving bodies to the relative change of gaps within d̂ from x to ahead, (V, 3) each."""
        if self.may_touch:
            _add_gap_changes(self._columns, x, ahead, moving, change)

    def active_vertices(self, x: Array) -> Ints:
        """Vertices within d̂ of a plane at x (V, 3), once for each plane."""
        return self._pairs.vertex[self._gaps(x) < self._pairs.d_hat]

    def closest(self, x: Array, within: float) -> tuple[float, tuple[int, ...]]:
        """The smallest gap [m] and its body; inf and () if no gap is below `within`."""
        if not self.may_touch:
            return np.inf, ()
        gaps = self._gaps(x)
        row = gaps.argmin()
        return (float(gaps[row]), (int(self._pairs.body[row]),)) if gaps[row] < within else (np.inf, ())

    def rounded_away(self, x: Array) -> Overlap | None:
        """The body and half-plane with the smallest gap at x (V, 3), if it is below rounding errors; else None."""
        if not self.may_touch:
            return None
        gaps, pairs = self._gaps(x), self._pairs
        least = FLOOR * np.maximum(np.abs(x).max(axis=1)[pairs.vertex], np.abs(pairs.offset))
        row = int(np.argmin(gaps - least))
        name = self.planes.names[self._plane[row]]
        found = Overlap(int(pairs.body[row]), None, name, float(gaps[row]), float(max(pairs.d_hat[row], least[row])))
        return found if gaps[row] < least[row] else None

    def _gaps(self, x: Array) -> Array:
        return _gaps(self._columns, x)


@compiled
def _gap(p, i, x):
    """Distance of the vertex of pair i from its plane, less the thickness of the surface."""
    n, v = p.normal, p.vertex[i]
    return n[i, 0] * x[v, 0] + n[i, 1] * x[v, 1] + n[i, 2] * x[v, 2] - p.offset[i] - p.thickness[i]


@compiled
def _gaps(columns, x):
    p = _Pairs(*columns)
    gaps = np.empty(len(p.vertex))
    for i in range(len(gaps)):
        gaps[i] = _gap(p, i, x)
    return gaps


@compiled
def _begin(columns, resistance, friction, adaptive_resistance, dt, x):
    """Stiffness dt² κ_c (k,) and normal forces μ λ (k,) of a step that begins at x (V, 3)."""
    p = _Pairs(*columns)
    stiffness, forces = np.empty(len(p.vertex)), np.zeros(len(p.vertex))
    for i in range(len(stiffness)):
        stiffness[i] = dt * dt * (adaptive_resistance if np.isnan(resistance[i]) else resistance[i])
        gap = _gap(p, i, x)
        if 0.0 < gap < p.d_hat[i] and friction[i] > 0.0:
            forces[i] = -friction[i] * stiffness[i] * barrier(gap, p.d_hat[i], p.thickness[i])[1]
    return stiffness, forces


@compiled
def _slip(p, step, i, x, u):
    """Fill u (3,), the tangential displacement of a vertex since the beginning of the step; returns its length."""
    n, v, along = p.normal[i], p.vertex[i], 0.0
    for k in range(3):
        u[k] = x[v, k] - step.x[v, k]
        along += u[k] * n[k]
    for k in range(3):
        u[k] -= along * n[k]
    return np.sqrt(u[0] ** 2 + u[1] ** 2 + u[2] ** 2)


@compiled
def _add_energy(columns, step, x, moving, E):
    p, step, u = _Pairs(*columns), _Step(*step), np.empty(3)
    for i in range(len(p.vertex)):
        b = p.body[i]
        if not moving[b]:
            continue
        gap = _gap(p, i, x)
        if gap <= 0.0:
            E[b] = np.inf
            continue
        if gap < p.d_hat[i]:
            E[b] += step.stiffness[i] * barrier(gap, p.d_hat[i], p.thickness[i])[0]
        if step.normal_force[i] > 0.0:
            E[b] += step.normal_force[i] * smooth_norm(_slip(p, step, i, x, u), step.eps)


@compiled
def _add_derivatives(columns, step, x, moving, g, H):
    p, step = _Pairs(*columns), _Step(*step)
    g_v, H_v, u = np.empty(3), np.empty((3, 3)), np.empty(3)
    for i in range(len(p.vertex)):
        b = p.body[i]
        if moving[b]:
            gap = _gap(p, i, x)
            if gap < p.d_hat[i] or step.normal_force[i] > 0.0:
                _differentiate(p, step, i, x, gap, u, g_v, H_v)
                _add_by_point(p.points[i], g_v, H_v, g[b], H[b])


@compiled
def _differentiate(p, step, i, x, gap, u, g_v, H_v):
    """Fill the derivatives by the vertex of pair i, g_v (3,) and the projected H_v (3, 3); u (3,) is scratch."""
    n = p.normal[i]
    _, slope, curvature = barrier(gap, p.d_hat[i], p.thickness[i])
    for k in range(3):
        g_v[k] = step.stiffness[i] * slope * n[k]
        for m in range(3):
            H_v[k, m] = step.stiffness[i] * max(curvature, 0.0) * n[k] * n[m]
    force = step.normal_force[i]
    if force > 0.0:
        slope, curvature = smooth_norm_derivatives(_slip(p, step, i, x, u), step.eps)
        for k in range(3):
            g_v[k] += force * slope * u[k]
            for m in range(3):
                tangent = (1.0 if k == m else 0.0) - n[k] * n[m]
                H_v[k, m] += force * (slope * tangent + curvature * u[k] * u[m])


@compiled
def _forces(on, columns, step, x):
    """Forces of the barrier and of friction on the vertices of some pairs, (len(on), 3) each."""
    p, step, u = _Pairs(*columns), _Step(*step), np.empty(3)
    normal, friction = np.empty((len(on), 3)), np.zeros((len(on), 3))
    for r in range(len(on)):
        i = on[r]
        slope = barrier(_gap(p, i, x), p.d_hat[i], p.thickness[i])[1]
        for k in range(3):
            normal[r, k] = -step.stiffness[i] * slope * p.normal[i, k]
        if step.normal_force[i] > 0.0:
            of_slip = smooth_norm_derivatives(_slip(p, step, i, x, u), step.eps)[0]
            for k in range(3):
                friction[r, k] = -step.normal_force[i] * of_slip * u[k]
    return normal, friction


@compiled
def _add_by_point(point, g_v, H_v, g, H):
    """Add Jᵀ g_v to g (12,) and Jᵀ H_v J to H (12, 12), with J = [I | I ⊗ x̄ᵀ] of one vertex at x̄ = point."""
    for i in range(DOF):
        k, left = (i, 1.0) if i < 3 else ((i - 3) // 3, point[i % 3])  # coordinate i moves the vertex along axis k
        g[i] += g_v[k] * left
        for m in range(3):
            h = H_v[k, m] * left
            H[i, m] += h
            for b in range(3):
                H[i, 3 + 3 * m + b] += h * point[b]


@compiled
def _add_gap_changes(columns, x, ahead, moving, change):
    p = _Pairs(*columns)
    for i in range(len(p.vertex)):
        b = p.body[i]
        if moving[b]:
            gap = _gap(p, i, x)
            if gap < p.d_hat[i]:
                change[b] = max(change[b], abs(_gap(p, i, ahead) - gap) / gap)


@compiled
def _lower_fractions(columns, start, end, floor, labels, moving, fractions):
    p = _Pairs(*columns)
    for i in range(len(p.vertex)):
        b = p.body[i]
        if moving[b]:
            now, then = _gap(p, i, start), _gap(p, i, end)
            rest = max(REST * now, min(now, floor))
            if then < rest:
                fractions[labels[b]] = min(fractions[labels[b]], (now - rest) / (now - then))
