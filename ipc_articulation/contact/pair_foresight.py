"""Barriers between bodies, expanded where a Newton step leads (see `expansion`).

Besides the stencils within d̂ there are those that the step would pass through. Of edges that are almost parallel the
normal part is expanded, with the mollifier m of now (see `barrier`), and only where they close: what opens would take
m b'' from a projected Hessian (see `mollified`), of which it may not be a part.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ipc_articulation.affine import PAIR_DOF
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact import ccd
from ipc_articulation.contact.barrier import cross_of_edges, mollifier
from ipc_articulation.contact.closest_points import closest_points, row
from ipc_articulation.contact.curvature import add_curvature, add_exact_curvature
from ipc_articulation.contact.expansion import FRESH, NEAR, expanded, follow
from ipc_articulation.contact.gap_correction import PRESSED, gap_correction
from ipc_articulation.contact.pair_blocks import LEVER, add_gradient, add_rank_one, along, by_coordinates, lever, outer
from ipc_articulation.contact.stencils import Stencils


class PairForesight:
    """The points of expansion of one step, for one material."""

    def __init__(
        self,
        touching: Stencils,
        points: Array,
        x: Array,
        stiffness: Callable[[Stencils], Array],
        d_hat: float,
        thickness: float,
    ) -> None:
        """Begin where bodies are.

        Args:
            touching: The stencils within d̂.
            points: Local positions of all vertices, (V, 3) [m].
            x: Their positions, (V, 3) [m].
            stiffness: Gives κ = dt² κ_c of the pairs of some stencils, (P,).
            d_hat: d̂ [m].
            thickness: ξ [m].
        """
        self._stencils, self._points, self._x, self._stiffness = touching, points, x, stiffness
        self._d_hat, self._thickness = d_hat, thickness
        self._met: set[tuple[int, ...]] = set()  # kinds and vertices of those beyond d̂
        self._at = gaps(touching.kind, touching.vertices, x, thickness)  # δ of each
        self._correction = np.zeros(len(touching))  # e of each, see `gap_correction`

    def meet(self, covered: Stencils, ahead: Array, moving: Bools, floors: Array) -> None:
        """Have also the stencils that vertices would pass through on the way to `ahead` (V, 3).

        Args:
            covered: Stencils that have all that come within d̂ on the way.
            ahead: [m].
            moving: Bodies that move, (n,).
            floors: The smallest gap [m] that steps leave at each body, (n,).
        """
        if len(covered):
            limits = self._thickness, self._d_hat, floors
            rows = ccd.entering(*covered.columns[:4], moving, self._x, ahead, *limits)
            rows = rows[[stencil not in self._met for stencil in keys(covered, rows)]]
            if len(rows):
                self._met.update(keys(covered, rows))
                self._add(covered.rows(rows))

    def _add(self, fresh: Stencils) -> None:
        self._stencils, order = joined(self._stencils, fresh)
        self._at = np.concatenate([self._at, np.full(len(fresh), np.nan)])[order]
        self._correction = np.concatenate([self._correction, np.zeros(len(fresh))])[order]

    def follow(self, dq: Array, projected: Bools, g: Array) -> tuple[Ints, Array] | None:
        """Follow the step dq (n, 12), and add what changes in the gradient to g (n, 12).

        Args:
            dq: Step.
            projected: Bodies whose Hessian is projected, (n,); what changes in that of others is exact.
            g: Gradient.

        Returns:
            Pairs of bodies (p, 2), and what changes in their Hessian blocks (p, 24, 24); None if nothing does.
        """
        s, limits = self._stencils, (self._d_hat, self._thickness)
        if not len(s):
            return None
        known = self._at, self._correction
        changed, *after = predicted(*s.columns[:4], self._points, self._x, dq, *known, *limits)
        if not len(changed):
            return None
        of, before = s.rows(changed), [values[changed] for values in known]
        self._at[changed], self._correction[changed] = after
        given = self._points, self._x, self._stiffness(of), *before, *after, *limits
        return of.bodies, add_differences(*of.columns, *given, projected, g)


def keys(stencils: Stencils, rows: Ints) -> list[tuple[int, ...]]:
    of = zip(stencils.kind[rows].tolist(), stencils.vertices[rows].tolist(), strict=True)
    return [(kind, *vertices) for kind, vertices in of]


def joined(left: Stencils, right: Stencils) -> tuple[Stencils, Ints]:
    """All stencils of both, and which row (k,) of one after the other each is."""
    bodies, pair = np.unique(
        np.concatenate([left.bodies[left.pair], right.bodies[right.pair]]), axis=0, return_inverse=True
    )
    order = np.argsort(pair, kind="stable")
    kind, vertices, mollified = (
        np.concatenate([getattr(left, name), getattr(right, name)])[order] for name in ("kind", "vertices", "mollified")
    )
    return Stencils(bodies, pair[order], kind, vertices, mollified), order


@compiled
def gaps(kind, vertices, x, xi):
    """Gaps of stencils (k,) at x (V, 3)."""
    found, w, c = np.empty(len(kind)), np.empty(4), np.empty(3)
    for s in range(len(kind)):
        found[s] = np.sqrt(closest_points(kind[s], x, row(vertices, s), w, c)) - xi
    return found


@compiled
def predicted(bodies, pair, kind, vertices, points, x, dq, at, correction, d_hat, xi):
    """The stencils whose points of expansion or corrections change with the step dq (n, 12) from positions x (V, 3).

    Returns:
        Their rows (c,), the points (c,), and the corrections (c,).
    """
    w, c, y, scratch, count = np.empty(4), np.empty(3), np.empty(LEVER), np.empty((8, 3)), 0
    rows, after, corrections = np.empty(len(kind), dtype=np.int64), np.empty(len(kind)), np.empty(len(kind))
    for s in range(len(kind)):
        v, i, j = row(vertices, s), bodies[pair[s], 0], bodies[pair[s], 1]
        d = np.sqrt(closest_points(kind[s], x, v, w, c))
        lever(kind[s], points, v, w, y)
        is_pressed = d - xi < PRESSED * d_hat
        e = gap_correction(kind[s], v, w, c, points, x, dq, i, j, scratch) if is_pressed else 0.0
        gap = d - xi + along(c, y, dq, i, j) / d + e
        new = FRESH * d_hat if np.isnan(at[s]) else follow(at[s], gap, d_hat)
        if new != at[s] or (new < d_hat and abs(e - correction[s]) > NEAR * new):
            rows[count], after[count], corrections[count] = s, new, e
            count += 1
    return rows[:count], after[:count], corrections[:count]


@compiled
def add_differences(
    bodies, pair, kind, vertices, mollified, points, x, kappa, before, e_before, after, e_after, d_hat, xi, projected, g
):
    """Add to g (n, 12) how the gradient changes with the points of expansion; arguments as of `pair_barrier`.

    Args:
        bodies: (P, 2).
        pair: (k,).
        kind: (k,).
        vertices: (k, 4).
        mollified: (k,).
        points: (V, 3).
        x: (V, 3).
        kappa: (P,).
        before: The points of expansion so far, (k,); NaN where there was none [m].
        e_before: The corrections so far, (k,) [m].
        after: The points of expansion from now on, (k,) [m].
        e_after: The corrections from now on, (k,) [m].
        d_hat: [m].
        xi: [m].
        projected: Bodies whose Hessian is projected, (n,).
        g: (n, 12).

    Returns:
        How the Hessian block of each pair changes, (P, 24, 24).
    """
    H = np.zeros((len(bodies), PAIR_DOF, PAIR_DOF))
    w, n, y, u = np.empty(4), np.empty(3), np.empty(LEVER), np.empty(PAIR_DOF)
    e1, e2, z = np.empty(3), np.empty(3), np.empty(3)
    for s in range(len(pair)):
        v, i, j, H_s = row(vertices, s), bodies[pair[s], 0], bodies[pair[s], 1], H[pair[s]]
        square = cross_of_edges(x, v, e1, e2, z) if mollified[s] > 0.0 else np.inf
        is_parallel = square < mollified[s]
        k_s = kappa[pair[s]] * (mollifier(square, mollified[s])[0] if is_parallel else 1.0)
        d = np.sqrt(closest_points(kind[s], x, v, w, n))
        for k in range(3):
            n[k] /= d
        lever(kind[s], points, v, w, y)
        outer(n, y, u)
        farthest = d - xi if is_parallel else d_hat
        at = min(d_hat if np.isnan(before[s]) else before[s], farthest)
        old = expanded(at, d - xi + e_before[s], d_hat, xi)
        new = expanded(min(after[s], farthest), d - xi + e_after[s], d_hat, xi)
        add_gradient(k_s * (new[0] - old[0]), u, i, j, g)
        add_rank_one(k_s * (new[2] - old[2]), u, H_s)
        if is_parallel:
            continue
        force = k_s * (old[1] - new[1])
        if projected[i] or projected[j]:
            add_curvature(force, d, kind[s], points, x, v, w, n, y, H_s)
        else:
            add_exact_curvature(force, d, kind[s], points, x, v, w, n, y, H_s)
    return by_coordinates(H)
