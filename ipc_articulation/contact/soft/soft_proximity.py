"""Candidates for contact of soft meshes, pair of meshes by pair of meshes, reused from step to step.

A search of two meshes finds every stencil nearer than reach + skin, where their vertices are at x°. Later, however the
meshes have moved together by t, the vertices of a stencil have come nearer by at most

    max |x_a - x°_a - t| + max |x_b - x°_b - t|,   t the mean motion of the first mesh.

While this is at most the skin at both ends of a straight motion, no stencil is missing anywhere on it. If a motion is
longer than any sensible skin, the search covers the motion itself, from x° to x°°. Then it holds for motions whose ends
are as near to places x° + s (x°° - x°) on the way, 0 ≤ s ≤ 1, each to its own: all between are as near to the places
between these.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.contact.crowded_ways import CROWD
from ipc_articulation.contact.positions import Positions
from ipc_articulation.contact.soft.mesh_motion import drift, holds
from ipc_articulation.contact.soft.meshes import Meshes
from ipc_articulation.contact.soft.sides import by_rows, sorted_by_rows
from ipc_articulation.contact.soft.vertex_elements import VertexElements
from ipc_articulation.contact.soft.vertex_trees import meet_in_more, search
from ipc_articulation.contact.stencils import NO_STENCILS, Stencils
from ipc_articulation.contact.surfaces import Surfaces, move

_AHEAD = 4.0  # skin in units of how much nearer a motion brings two meshes
_LARGEST = 0.5  # skin in units of a typical edge; a larger one gives too many candidates
_BESIDE = 0.25  # skin of a motion that is searched itself, in units of how much nearer it brings two meshes

_Pair = tuple[int, int]  # of meshes, the smaller one first


class _Found(NamedTuple):
    """The result of a search of two meshes."""

    start: Array  # (v + w, 3) where the vertices of both were [m]
    end: Array  # (v + w, 3) where they went [m]
    skin: float  # [m]
    stencils: Stencils


class SoftProximity:
    """Stencils with soft vertices, for distances up to `reach`."""

    def __init__(
        self, surfaces: Surfaces, meshes: Meshes, reach: float, elements: VertexElements | None = None
    ) -> None:
        """Begin with no stencils; `reach` is the distance [m] up to which pairs must be found.

        With `elements` of vertices, the stencils of two rows are one pair for each kind of elements that they have.
        """
        self._elements = elements
        self.reach = reach
        self.stencils = NO_STENCILS  # those that may come within reach on the motion of the last `cover`
        self._surfaces, self._meshes = surfaces, meshes
        lengths = np.sqrt(meshes.squared_lengths)
        self._largest_skin = max(reach, _LARGEST * float(np.median(lengths)) if len(lengths) else 0.0)
        self._known: dict[_Pair, _Found] = {}

    @property
    def bodies(self) -> Ints:
        """The rows of meshes that have candidates, (k,)."""
        meshes = sorted({mesh for pair in self._known for mesh in pair})
        first = self._meshes.first_row
        return np.concatenate([np.zeros(0, dtype=np.int64), *(np.arange(first[m], first[m + 1]) for m in meshes)])

    def cover(self, start: Positions, end: Positions, near: Ints) -> bool:
        """As of `Proximity.cover`; `near` has the rows (k, 2) that stand for pairs of meshes."""
        needed, last = self._needed(near), list(self._known)
        holding = {pair: found for pair, found in self._known.items() if self._holds(pair, found, start.x, end.x)}
        missing = sorted(needed - holding.keys())
        if missing:
            holding.update(self._search(missing, start.q, end.q))
        self._known = dict(sorted(holding.items()))
        if missing or list(self._known) != last:
            self.stencils = self._joined([found.stencils for found in self._known.values()], len(self._meshes.of_row))
        return bool(missing)

    def crowded(self, start: Positions, end: Positions, near: Ints) -> Bools:
        """As of `Proximity.crowded`; of each mesh one row is set."""
        needed, known, m = self._needed(near), self._known, self._meshes
        x, x_end = start.x, end.x
        if not needed <= known.keys():  # else positions follow already
            x, x_end = self._moved(sorted(needed), start.q), self._moved(sorted(needed), end.q)
        long = [pair for pair in sorted(needed) if self._is_long(self._motion(pair, x, x_end))]
        pairs = [pair for pair in long if pair not in known or not self._holds(pair, known[pair], x, x_end)]
        found = np.zeros(len(start.q), dtype=np.bool_)
        if pairs:
            ids = np.array(pairs, dtype=np.int64)
            most = CROWD * np.diff(m.trees.first)[ids].sum(axis=1)
            are_crowded = meet_in_more(ids, m.trees, m.faces, x, x_end, np.full(len(ids), self.reach), most)
            found[m.representative[ids[are_crowded]]] = True
        return found

    def _needed(self, near: Ints) -> set[_Pair]:
        return {(int(i), int(j)) for i, j in np.sort(self._meshes.of_row[near], axis=1)}

    def _ranges(self, pair: _Pair) -> tuple[int, int, int, int]:
        first = self._meshes.first_vertex
        return first[pair[0]], first[pair[0] + 1], first[pair[1]], first[pair[1] + 1]

    def _holds(self, pair: _Pair, found: _Found, x: Array, x_end: Array) -> bool:
        return holds(*self._ranges(pair), found.start, found.end, found.skin, x, x_end)

    def _motion(self, pair: _Pair, x: Array, x_end: Array) -> float:
        """How much nearer a motion from x to x_end (V, 3) brings two meshes [m]."""
        first, last, second, end = self._ranges(pair)
        before = np.concatenate([x[first:last], x[second:end]])
        return drift(first, last, second, end, before, before, 0.0, x_end)

    def _is_long(self, motion: float) -> bool:
        """Whether the way itself is searched."""
        return 1.5 * motion > self._largest_skin

    def _search(self, pairs: list[_Pair], q: Array, q_end: Array) -> dict[_Pair, _Found]:
        """Search pairs of meshes on the way from q to q_end, (n, 12) each."""
        x, x_end = self._moved(pairs, q), self._moved(pairs, q_end)
        skins, ends, ways = np.empty(len(pairs)), x.copy(), []
        for p, pair in enumerate(pairs):
            first, last, second, end = self._ranges(pair)
            before = np.concatenate([x[first:last], x[second:end]])
            motion = self._motion(pair, x, x_end)
            is_long = self._is_long(motion)
            skins[p] = max(self.reach, min((_BESIDE if is_long else _AHEAD) * motion, self._largest_skin))
            if is_long:
                ends[first:last], ends[second:end] = x_end[first:last], x_end[second:end]
            ways.append((before, np.concatenate([ends[first:last], ends[second:end]])))
        m, distance = self._meshes, self.reach + skins
        shape = m.trees, m.edges, m.faces, m.dimension, m.squared_lengths
        ids = np.array(pairs, dtype=np.int64)
        pair, kind, vertices, mollified = search(ids, *shape, x, ends, distance)
        if self._elements is not None:
            enabled = self._elements.are_enabled(kind, vertices)
            pair, kind, vertices, mollified = (part[enabled] for part in (pair, kind, vertices, mollified))
        bounds = np.searchsorted(pair, np.arange(len(pairs) + 1))
        found = {}
        for p, key in enumerate(pairs):
            some = slice(bounds[p], bounds[p + 1])
            columns = kind[some], vertices[some], mollified[some]
            stencils = by_rows(*columns, m.body, m.is_fixed, len(q), self._kinds(*columns[:2]))
            found[key] = _Found(*ways[p], float(skins[p]), stencils)
        return found

    def _kinds(self, kind: Ints, vertices: Ints) -> Ints | None:
        return None if self._elements is None else self._elements.kind_of(kind, vertices)

    def _joined(self, parts: list[Stencils], n: int) -> Stencils:
        """All stencils, sorted by their rows; those of a pair of rows come from one part."""
        parts = [part for part in parts if len(part)]
        if len(parts) < 2:
            return parts[0] if parts else NO_STENCILS
        keys = np.concatenate([(part.bodies[:, 0] * n + part.bodies[:, 1])[part.pair] for part in parts])
        kind, vertices, mollified = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("kind", "vertices", "mollified")
        )
        return sorted_by_rows(keys, kind, vertices, mollified, n, self._kinds(kind, vertices))

    def _moved(self, pairs: list[_Pair], q: Array) -> Array:
        """Positions (V, 3) at q, of the meshes in pairs."""
        surfaces, chosen = self._surfaces, np.zeros(len(q), dtype=np.bool_)
        first, x = self._meshes.first_row, np.empty_like(self._surfaces.points)
        for mesh in {mesh for pair in pairs for mesh in pair}:
            chosen[first[mesh] : first[mesh + 1]] = True
        move(surfaces.points, surfaces.first, q, chosen, x)
        return x
