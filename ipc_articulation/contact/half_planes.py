"""Contact of vertices with half-planes.

ipctk has planes, but no filter for them, and a half-plane often acts on some bodies only (a robot's base may be inside
the floor). The formulas are those of `body_contact` with d = n·(x - p), whose gradient is the constant n.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.anchors import Patches
from ipc_articulation.contact.barrier import barrier, gap_scale
from ipc_articulation.contact.ccd import FLOOR, REST
from ipc_articulation.contact.forces import ContactForces
from ipc_articulation.contact.friction_law import FrictionLaw
from ipc_articulation.contact.materials import NO_CONTACT, Materials
from ipc_articulation.contact.overlap import Overlap
from ipc_articulation.contact.plane_foresight import PlaneForesight
from ipc_articulation.contact.plane_friction import PlaneStep, anchors_of, patches_of, slip
from ipc_articulation.contact.plane_pairs import (
    PlanePairs,
    add_by_point,
    at_least,
    gap_of,
    gap_range,
    linear_gap,
    place_vertex,
)
from ipc_articulation.contact.plane_springs import read, springs_of
from ipc_articulation.contact.positions import Positions
from ipc_articulation.contact.resistance import Resistance
from ipc_articulation.contact.smooth_norm import (
    dual_hessian,
    follow_dual,
    force_change,
    smooth_norm,
    smooth_norm_derivatives,
    start_dual,
)
from ipc_articulation.contact.springs import NO_SPRINGS, Springs
from ipc_articulation.contact.surfaces import Surfaces


@dataclass(frozen=True)
class HalfPlanes:
    """P half-planes, with the free space n·(x - p) > 0."""

    names: tuple[str, ...]
    point: Array  # (P, 3) [m]
    normal: Array  # (P, 3) unit


class HalfPlaneContact:
    """Barrier and friction of every vertex with every half-plane that its body may touch.

    Bodies whose local boxes are beyond the reach of a plane are left out of all loops over vertices.
    """

    def __init__(
        self,
        surfaces: Surfaces,
        planes: HalfPlanes,
        materials: Materials,
        resistance: Resistance,
        touches: Bools,
        affine: int,
    ) -> None:
        """Find the pairs of bodies and planes that may touch.

        Args:
            surfaces: Surfaces of the n bodies.
            planes: The half-planes.
            materials: The contact models of all pairs.
            resistance: κ_c of all pairs.
            touches: Bodies whose vertices may touch anything, (n,).
            affine: Number of affine bodies, the first ones.
        """
        counts, plane_pairs = np.diff(surfaces.first), materials.plane_pairs[materials.group]
        body, plane = np.nonzero((plane_pairs != NO_CONTACT) & (touches & (counts > 0))[:, None])
        material = plane_pairs[body, plane]
        self.planes, self._body_count, self._plane = planes, len(counts), plane
        self._resistance, self._friction = resistance, materials.friction[material]
        self.bodies = np.stack([body, len(counts) + plane], axis=1)
        self._pairs = PlanePairs(
            body,
            np.ascontiguousarray(planes.normal[plane]),
            np.einsum("ij,ij->i", planes.normal, planes.point)[plane],
            materials.d_hat[material],
            materials.thickness[material],
            np.concatenate([[0], np.cumsum(counts[body])]).astype(np.int64),
            surfaces.first,
            surfaces.points,
            *surfaces.boxes,
        )
        self.columns = tuple(self._pairs)  # numba takes a plain tuple faster
        self.may_touch, self._is_affine = len(body) > 0, body < affine
        self._has_soft = not self._is_affine.all()
        rows, none = np.zeros(self._pairs.first_row[-1]), np.zeros(len(body))
        self._dual = np.zeros((len(rows), 3))
        self._no_anchor = np.zeros((len(rows), 3))
        self._step = PlaneStep(none, rows, none > 0.0, self._dual, np.zeros((0, 3)), self._no_anchor, none)

    def lag_friction(self, x: Array, since: Array, dt: float, law: FrictionLaw) -> None:
        """Fix normal forces at x (V, 3), and anchors of friction, in a step of dt [s] that began at `since` (V, 3)."""
        if self.may_touch:
            stiffness = dt * dt * self._resistance.of(self.bodies)
            friction = self._friction if law.acts else np.zeros_like(self._friction)
            force, rubs = _begin(self.columns, stiffness, friction, x, self._dual)
            self._square, eps = dt * dt, law.lengths(self.d_hat, dt, ~self._is_affine)
            self._step = PlaneStep(stiffness, force, rubs, self._dual, since, self._no_anchor, eps)
            if law.held is not None:
                given = tuple(self._step), self.bodies, self._is_affine, *law.held, law.pairs_of
                anchor = anchors_of(self.columns, *given, x)
                if self._has_soft:
                    read(self.columns, tuple(self._step), self._plane, self._is_affine, *law.springs, x, anchor)
                self._step = self._step._replace(anchor=anchor)

    def patches(self, q: Array) -> list[Patches]:
        """The contact points of friction of affine bodies at the end q (n, 12) of a step."""
        if not np.count_nonzero(self._step.rubs & self._is_affine):
            return []
        return [Patches(*patches_of(self.columns, tuple(self._step), self.bodies, self._is_affine, q))]

    def springs(self, x: Array) -> Springs:
        """What friction of soft bodies remembers at the end of a step, with vertices at x (V, 3)."""
        if not np.count_nonzero(self._step.rubs & ~self._is_affine):
            return NO_SPRINGS
        return Springs(*springs_of(self.columns, tuple(self._step), self._plane, self._is_affine, x))

    @property
    def d_hat(self) -> Array:
        """Of each pair, (k,) [m]."""
        return self._pairs.d_hat

    def follow_resistance(self) -> None:
        """Use the resistances as they are now."""
        if self.may_touch:
            self._step = self._step._replace(stiffness=self._square * self._resistance.of(self.bodies))

    def smallest_gaps(self, q: Array, moving: Bools, within: float = 2.0) -> Array:
        """The smallest gap (k,) [m] of each pair whose body moves, at q (n, 12); inf for others.

        Also where the body's box is farther away than `within`, in units of d̂.
        """
        return _smallest_gaps(self.columns, q, moving, within)

    def in_contact(self, q: Array, moving: Bools) -> tuple[Ints, Array, Bools]:
        """The pairs within d̂ whose bodies move, at q (n, 12), (P, 2); their smallest gaps (P,), and a mask (k,)."""
        return _in_contact(self.columns, self.bodies, q, moving)

    def pushes(self, x: Array) -> Array:
        """Σ |B'(d)| (k,) [m³] of each pair at x (V, 3)."""
        return _pushes(self.columns, x)

    def add_energy(self, q: Array, moving: Bools, E: Array) -> None:
        """Add the energy of each moving body at q (n, 12) to E (n,); inf if a vertex is behind its plane."""
        if self.may_touch:
            _add_energy(self.columns, tuple(self._step), q, moving, E)

    def add_derivatives(self, q: Array, moving: Bools, g: Array, H: Array) -> None:
        """Add to the gradient g (n, 12) and the Hessian blocks H (n, 12, 12) of moving bodies at q (n, 12)."""
        if self.may_touch:
            _add_derivatives(self.columns, tuple(self._step), q, moving, g, H)

    def foresee(self) -> PlaneForesight:
        """The barriers as Newton's next step may expand them."""
        return PlaneForesight(self._pairs, self._step.stiffness)

    def follow(self, q: Array, ahead: Array, moving: Bools, turned: Bools) -> None:
        """Let friction follow a Newton step from q to ahead, (n, 12) each; some bodies have turned on circles, (n,)."""
        if self.may_touch:
            _follow(self.columns, tuple(self._step), q, ahead, moving, turned)

    def forces(self, x: Array) -> ContactForces:
        """Forces on vertices within d̂ of a plane at x (V, 3), or in touch when the step began; times dt²."""
        p, all_gaps = self._pairs, self._gaps(x)
        pair, vertex = self._rows()
        on = np.flatnonzero((all_gaps < p.d_hat[pair]) | (self._step.normal_force > 0.0))
        pair, vertex, gaps = pair[on], vertex[on], all_gaps[on]
        bodies = np.stack([p.body[pair], self._body_count + self._plane[pair]], axis=1)
        points, normals = x[vertex], p.normal[pair]
        opposite = points - (gaps + p.thickness[pair])[:, None] * normals
        of_barrier, of_friction = _forces(on, pair, gaps, x, vertex, self.columns, tuple(self._step))
        nothing = np.zeros_like(points)
        return ContactForces(points, opposite, normals, of_barrier, of_friction, nothing, gaps, bodies)

    def lower_fractions(
        self, labels: Ints, moving: Bools, start: Array, end: Array, floors: Array, fractions: Array
    ) -> None:
        """Lower the step fractions (n,) of islands from q = start to end, (n, 12) each; every gap stays positive."""
        if self.may_touch:
            lower_fractions(self.columns, start, end, floors, labels, moving, fractions)

    def add_gap_changes(self, q: Array, ahead: Array, moving: Bools, change: Array) -> None:
        """Raise `change` (n,) of moving bodies to the relative change of gaps within d̂ from q to ahead, (n, 12)."""
        if self.may_touch:
            _add_gap_changes(self.columns, q, ahead, moving, change)

    def add_friction_changes(self, q: Array, ahead: Array, moving: Bools, change: Array) -> None:
        """Raise `change` (n,) to how much of μ λ friction changes from q to ahead, (n, 12) each."""
        if self.may_touch:
            _add_friction_changes(self.columns, tuple(self._step), q, ahead, moving, change)

    def active_vertices(self, x: Array) -> Ints:
        """Vertices within d̂ of a plane at x (V, 3), once for each plane."""
        pair, vertex = self._rows()
        return vertex[self._gaps(x) < self._pairs.d_hat[pair]]

    def closest(self, at: Positions, within: float) -> tuple[float, tuple[int, ...]]:
        """The smallest gap [m] and its body; inf and () if no gap is below `within`."""
        if not self.may_touch:
            return np.inf, ()
        gaps = self._gaps(at.x)
        row = int(gaps.argmin())
        pair = np.searchsorted(self._pairs.first_row, row, side="right") - 1
        return (float(gaps[row]), (int(self._pairs.body[pair]),)) if gaps[row] < within else (np.inf, ())

    def rounded_away(self, x: Array) -> Overlap | None:
        """The body and half-plane with the smallest gap at x (V, 3), if it is below rounding errors; else None."""
        if not self.may_touch:
            return None
        gaps, (pair, vertex) = self._gaps(x), self._rows()
        least = FLOOR * np.maximum(np.abs(x).max(axis=1)[vertex], np.abs(self._pairs.offset[pair]))
        row = int(np.argmin(gaps - least))
        pair, at_fault, thickness = pair[row], ((int(vertex[row]),),), float(self._pairs.thickness[pair[row]])
        name, wanted = self.planes.names[self._plane[pair]], float(max(self._pairs.d_hat[pair], least[row]))
        found = Overlap(int(self._pairs.body[pair]), None, name, float(gaps[row]), wanted, at_fault, thickness)
        return found if gaps[row] < least[row] else None

    def _rows(self) -> tuple[Ints, Ints]:
        """Pair and vertex of each row, (rows,) each."""
        p = self._pairs
        pair = np.repeat(np.arange(len(p.body)), np.diff(p.first_row))
        return pair, np.arange(len(pair)) - p.first_row[pair] + p.first[p.body[pair]]

    def _gaps(self, x: Array) -> Array:
        return _gaps(self.columns, x)


@compiled
def _gaps(columns, x):
    p = PlanePairs(*columns)
    gaps = np.empty(p.first_row[-1])
    for i in range(len(p.body)):
        shift = p.first[p.body[i]] - p.first_row[i]
        for r in range(p.first_row[i], p.first_row[i + 1]):
            gaps[r] = gap_of(p, i, x[r + shift])
    return gaps


@compiled
def _pushes(columns, x):
    p = PlanePairs(*columns)
    sums = np.zeros(len(p.body))
    for i in range(len(p.body)):
        for v in range(p.first[p.body[i]], p.first[p.body[i] + 1]):
            gap = gap_of(p, i, x[v])
            if 0.0 < gap < p.d_hat[i]:
                sums[i] -= barrier(gap, p.d_hat[i], p.thickness[i])[1]
    return sums


@compiled
def _smallest_gaps(columns, q, moving, within):
    p, x = PlanePairs(*columns), np.empty(3)
    gaps = np.full(len(p.body), np.inf)
    for i in range(len(p.body)):
        b = p.body[i]
        if moving[b] and gap_range(p, i, q)[0] < within * p.d_hat[i]:
            linear = linear_gap(p, i, q)
            for v in range(p.first[b], p.first[b + 1]):
                if at_least(linear, p.points, v) < gaps[i]:
                    place_vertex(p, b, v, q, x)
                    gaps[i] = min(gaps[i], gap_of(p, i, x))
    return gaps


@compiled
def _in_contact(columns, bodies, q, moving):
    gaps, d_hat = _smallest_gaps(columns, q, moving, 2.0), PlanePairs(*columns).d_hat
    near = gaps < d_hat
    return bodies[near], gaps[near], near


@compiled
def _begin(columns, stiffness, friction, x, dual):
    """Normal forces μ λ (rows,) of a step that begins at x (V, 3), and which pairs have any, (k,); resets duals."""
    p = PlanePairs(*columns)
    forces, rubs = np.zeros(p.first_row[-1]), np.zeros(len(p.body), dtype=np.bool_)
    for i in range(len(p.body)):
        if friction[i] == 0.0:
            continue
        shift = p.first[p.body[i]] - p.first_row[i]
        for r in range(p.first_row[i], p.first_row[i + 1]):
            gap = gap_of(p, i, x[r + shift])
            if 0.0 < gap < p.d_hat[i]:
                forces[r] = -friction[i] * stiffness[i] * barrier(gap, p.d_hat[i], p.thickness[i])[1]
                rubs[i], dual[r, :] = True, np.nan
    return forces, rubs


@compiled
def _add_energy(columns, step, q, moving, E):
    p, step, u, x = PlanePairs(*columns), PlaneStep(*step), np.empty(3), np.empty(3)
    for i in range(len(p.body)):
        b = p.body[i]
        if not moving[b] or not (step.rubs[i] or gap_range(p, i, q)[0] < p.d_hat[i]):
            continue
        linear = linear_gap(p, i, q)
        for r in range(p.first_row[i], p.first_row[i + 1]):
            v = r + p.first[b] - p.first_row[i]
            if step.normal_force[r] == 0.0 and at_least(linear, p.points, v) >= p.d_hat[i]:
                continue
            place_vertex(p, b, v, q, x)
            gap = gap_of(p, i, x)
            if gap <= 0.0:
                E[b] = np.inf
                continue
            if gap < p.d_hat[i]:
                E[b] += step.stiffness[i] * barrier(gap, p.d_hat[i], p.thickness[i])[0]
            if step.normal_force[r] > 0.0:
                E[b] += step.normal_force[r] * smooth_norm(slip(p, step, i, v, x, u), step.eps[i])


@compiled
def _add_derivatives(columns, step, q, moving, g, H):
    p, step, x = PlanePairs(*columns), PlaneStep(*step), np.empty(3)
    g_v, H_v, u = np.empty(3), np.empty((3, 3)), np.empty(3)
    for i in range(len(p.body)):
        b = p.body[i]
        if not moving[b] or not (step.rubs[i] or gap_range(p, i, q)[0] < p.d_hat[i]):
            continue
        linear = linear_gap(p, i, q)
        for r in range(p.first_row[i], p.first_row[i + 1]):
            v = r + p.first[b] - p.first_row[i]
            if step.normal_force[r] == 0.0 and at_least(linear, p.points, v) >= p.d_hat[i]:
                continue
            place_vertex(p, b, v, q, x)
            gap = gap_of(p, i, x)
            if gap < p.d_hat[i] or step.normal_force[r] > 0.0:
                _differentiate(p, step, i, gap, r, slip(p, step, i, v, x, u), u, g_v, H_v)
                add_by_point(p.points[v], g_v, H_v, g[b], H[b])


@compiled
def _differentiate(p, step, i, gap, r, length, u, g_v, H_v):
    """Fill g_v (3,) and the projected H_v (3, 3), by the vertex of row r of pair i; its slip u (3,) has a length."""
    n, force = p.normal[i], step.normal_force[r]
    _, slope, curvature = barrier(gap, p.d_hat[i], p.thickness[i])
    along = step.stiffness[i] * max(curvature, 0.0)
    g_v[:], H_v[:] = 0.0, 0.0
    if force > 0.0:
        s, c = smooth_norm_derivatives(length, step.eps[i])
        if np.isnan(step.dual[r, 0]):
            start_dual(force, s, u, step.dual[r])
        dual_hessian(force, s, c, u, step.dual[r], H_v)
        along -= force * s
        for k in range(3):
            g_v[k] = force * s * u[k]
    for k in range(3):
        g_v[k] += step.stiffness[i] * slope * n[k]
        for m in range(3):
            H_v[k, m] += along * n[k] * n[m]


@compiled
def _follow(columns, step, q, ahead, moving, turned):
    p, step, x, u, to = PlanePairs(*columns), PlaneStep(*step), np.empty(3), np.empty(3), np.empty(3)
    for i in range(len(p.body)):
        b = p.body[i]
        if not (moving[b] and step.rubs[i]):
            continue
        for r in range(p.first_row[i], p.first_row[i + 1]):
            force, v = step.normal_force[r], r + p.first[b] - p.first_row[i]
            if force > 0.0 and not np.isnan(step.dual[r, 0]):
                place_vertex(p, b, v, ahead, x)
                slip(p, step, i, v, x, to)
                place_vertex(p, b, v, q, x)
                s, c = smooth_norm_derivatives(slip(p, step, i, v, x, u), step.eps[i])
                for k in range(3):
                    to[k] -= u[k]
                follow_dual(force, turned[b], s, c, u, to, step.dual[r])


@compiled
def _add_friction_changes(columns, step, q, ahead, moving, change):
    p, step, x, u, to = PlanePairs(*columns), PlaneStep(*step), np.empty(3), np.empty(3), np.empty(3)
    for i in range(len(p.body)):
        b = p.body[i]
        if not (moving[b] and step.rubs[i]):
            continue
        for r in range(p.first_row[i], p.first_row[i + 1]):
            if step.normal_force[r] > 0.0:
                v = r + p.first[b] - p.first_row[i]
                place_vertex(p, b, v, q, x)
                slip(p, step, i, v, x, u)
                place_vertex(p, b, v, ahead, x)
                slip(p, step, i, v, x, to)
                change[b] = max(change[b], force_change(u, to, step.eps[i]))


@compiled
def _forces(rows, pair, gaps, x, vertex, columns, step):
    """Forces of the barrier and of friction on the vertices of some rows, (c, 3) each; see `forces`."""
    p, step, u = PlanePairs(*columns), PlaneStep(*step), np.empty(3)
    normal, friction = np.empty((len(rows), 3)), np.zeros((len(rows), 3))
    for c in range(len(rows)):
        i, force = pair[c], step.normal_force[rows[c]]
        slope = barrier(gaps[c], p.d_hat[i], p.thickness[i])[1]
        for k in range(3):
            normal[c, k] = -step.stiffness[i] * slope * p.normal[i, k]
        if force > 0.0:
            of_slip = smooth_norm_derivatives(slip(p, step, i, vertex[c], x[vertex[c]], u), step.eps[i])[0]
            for k in range(3):
                friction[c, k] = -force * of_slip * u[k]
    return normal, friction


@compiled
def _add_gap_changes(columns, q, ahead, moving, change):
    p, x, y = PlanePairs(*columns), np.empty(3), np.empty(3)
    for i in range(len(p.body)):
        b = p.body[i]
        if not moving[b] or min(gap_range(p, i, q)[0], gap_range(p, i, ahead)[0]) >= p.d_hat[i]:
            continue
        linear, linear_then = linear_gap(p, i, q), linear_gap(p, i, ahead)
        for v in range(p.first[b], p.first[b + 1]):
            if min(at_least(linear, p.points, v), at_least(linear_then, p.points, v)) >= p.d_hat[i]:
                continue
            place_vertex(p, b, v, q, x)
            place_vertex(p, b, v, ahead, y)
            gap, then = gap_of(p, i, x), gap_of(p, i, y)
            if min(gap, then) < p.d_hat[i]:
                change[b] = max(change[b], abs(then - gap) / gap_scale(gap, then, p.d_hat[i]))


@compiled
def lower_fractions(columns, start, end, floors, labels, moving, fractions):
    p, x, y = PlanePairs(*columns), np.empty(3), np.empty(3)
    for i in range(len(p.body)):
        b, floor = p.body[i], floors[p.body[i]]
        if not moving[b] or gap_range(p, i, end)[0] >= max(REST * gap_range(p, i, start)[1], floor):
            continue
        linear, linear_then = linear_gap(p, i, start), linear_gap(p, i, end)
        for v in range(p.first[b], p.first[b + 1]):
            most = at_least(linear, p.points, v) + 2.0 * linear[-1]
            if at_least(linear_then, p.points, v) >= max(REST * most, floor):
                continue
            place_vertex(p, b, v, start, x)
            place_vertex(p, b, v, end, y)
            now, then = gap_of(p, i, x), gap_of(p, i, y)
            rest = max(REST * now, min(now, floor))
            if then < rest:
                fractions[labels[b]] = min(fractions[labels[b]], (now - rest) / (now - then))
