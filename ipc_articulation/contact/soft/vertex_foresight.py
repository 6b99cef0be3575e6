"""Barriers of soft bodies, expanded where a Newton step leads (see `expansion` and `pair_foresight`), by vertices."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ipc_articulation.arrays import Array, Bools
from ipc_articulation.compiled import compiled
from ipc_articulation.contact import ccd
from ipc_articulation.contact.barrier import cross_of_edges
from ipc_articulation.contact.closest_points import closest_points, row
from ipc_articulation.contact.derivatives import VertexBlocks
from ipc_articulation.contact.expansion import FRESH, expanded, follow
from ipc_articulation.contact.pair_foresight import gaps, joined, keys
from ipc_articulation.contact.soft.vertex_curvature import add_curvature
from ipc_articulation.contact.soft.vertex_rows import SIZE, add_gradients, add_rank_one, add_vector, outer
from ipc_articulation.contact.stencils import Stencils
from ipc_articulation.contact.surfaces import Surfaces


class VertexForesight:
    """The points of expansion of one step, for one material; the methods are those of `PairForesight`."""

    def __init__(
        self,
        touching: Stencils,
        surfaces: Surfaces,
        x: Array,
        stiffness: Callable[[Stencils], Array],
        d_hat: float,
        thickness: float,
    ) -> None:
        """Begin with vertices at x (V, 3); see `PairForesight`."""
        self._stencils, self._surfaces, self._x, self._stiffness = touching, surfaces, x, stiffness
        self._d_hat, self._thickness = d_hat, thickness
        self._met: set[tuple[int, ...]] = set()  # kinds and vertices of those beyond d̂
        self._at = gaps(touching.kind, touching.vertices, x, thickness)  # δ of each

    def meet(self, covered: Stencils, ahead: Array, moving: Bools, floors: Array) -> None:
        """Have also the stencils that vertices would pass through on the way to `ahead` (V, 3)."""
        if len(covered):
            limits = self._thickness, self._d_hat, floors
            rows = ccd.entering(*covered.columns[:4], moving, self._x, ahead, *limits)
            rows = rows[[stencil not in self._met for stencil in keys(covered, rows)]]
            if len(rows):
                self._met.update(keys(covered, rows))
                self._stencils, order = joined(self._stencils, covered.rows(rows))
                self._at = np.concatenate([self._at, np.full(len(rows), np.nan)])[order]

    def follow(self, dq: Array, projected: Bools, g: Array) -> list[VertexBlocks]:
        """Follow the step dq (n, 12), and add what changes in the gradient to g (n, 12).

        Returns:
            What changes in Hessians, that of `projected` bodies (n,) projected, others exact; nothing if nothing does.
        """
        s, limits = self._stencils, (self._d_hat, self._thickness)
        if not len(s):
            return []
        changed, after = _predicted(s.kind, s.vertices, self._x, self._surfaces.positions(dq), self._at, *limits)
        if not len(changed):
            return []
        of, before = s.rows(changed), self._at[changed]
        self._at[changed] = after
        kappa = self._stiffness(of)
        g_v, H = _differences(*of.columns, self._x, kappa, before, after, *limits, projected)
        body, points = self._surfaces.body, self._surfaces.points
        add_gradients(of.vertices, g_v, body, points, g)
        return [VertexBlocks(body[of.vertices], points[of.vertices], H)]


@compiled
def _predicted(kind, vertices, x, dx, at, d_hat, xi):
    """The stencils whose points of expansion change from `at` (k,), for motions dx (V, 3) from x (V, 3).

    Returns:
        Their rows (c,), and the points (c,).
    """
    w, c, count = np.empty(4), np.empty(3), 0
    rows, after = np.empty(len(kind), dtype=np.int64), np.empty(len(kind))
    for s in range(len(kind)):
        v = row(vertices, s)
        d = np.sqrt(closest_points(kind[s], x, v, w, c))
        change = 0.0
        for a in range(4):
            change += w[a] * (c[0] * dx[v[a], 0] + c[1] * dx[v[a], 1] + c[2] * dx[v[a], 2]) / d
        new = FRESH * d_hat if np.isnan(at[s]) else follow(at[s], d - xi + change, d_hat)
        if new != at[s]:
            rows[count], after[count] = s, new
            count += 1
    return rows[:count], after[:count]


@compiled
def _differences(bodies, pair, kind, vertices, mollified, x, kappa, before, after, d_hat, xi, projected):
    """How gradients (k, 12) and Hessians (k, 12, 12) change with the points of expansion; see `pair_foresight`."""
    g, H = np.zeros((len(pair), SIZE)), np.zeros((len(pair), SIZE, SIZE))
    w, n, u, e1, e2, z = np.empty(4), np.empty(3), np.empty(SIZE), np.empty(3), np.empty(3), np.empty(3)
    for s in range(len(pair)):
        v, scale = row(vertices, s), kappa[pair[s]]
        if mollified[s] > 0.0 and cross_of_edges(x, v, e1, e2, z) < mollified[s]:
            continue
        d = np.sqrt(closest_points(kind[s], x, v, w, n))
        for k in range(3):
            n[k] /= d
        outer(w, n, u)
        old = expanded(d_hat if np.isnan(before[s]) else before[s], d - xi, d_hat, xi)
        new = expanded(after[s], d - xi, d_hat, xi)
        add_vector(scale * (new[0] - old[0]), u, g[s])
        add_rank_one(scale * (new[2] - old[2]), u, H[s])
        project = projected[bodies[pair[s], 0]] or projected[bodies[pair[s], 1]]
        add_curvature(scale * (old[1] - new[1]), d, kind[s], x, v, w, n, project, H[s])
    return g, H
