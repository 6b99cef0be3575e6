"""Stitches between bodies, soft or affine (libuipc's constitutions 22, 29 and 30; see `frontend.soft.stitches`).

E = dt² Σ W(x)   over the stitches, x the positions of their vertices
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from ipc_articulation import affine
from ipc_articulation.arrays import Array, Ints
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.terms.elements import Group, OverElements, StitchArrays, held_stitches, of_points
from ipc_articulation.engine.terms.stiffest import Stiffest
from ipc_articulation.frontend.attributes import require
from ipc_articulation.frontend.bodies import BodyTable
from ipc_articulation.frontend.nodes.numbering import Numbering
from ipc_articulation.frontend.soft.stitches import Side, read_stitches


class _Group(NamedTuple):
    law: ModuleType  # of `elasticity`
    bodies: Ints  # (k, v) the row of each vertex
    points: Array  # (k, v, 3) its position in the row's frame
    constants: Array  # (k, m)

    @property
    def numbers(self) -> Ints:
        """A number for each vertex of each stitch, (k, v)."""
        return np.arange(self.bodies.size).reshape(self.bodies.shape)


def read(slots: Sequence[Any], context: SceneContext) -> Stitches:
    """The stitches of stitch geometries.

    Raises:
        SceneError: See `read_stitches`.
    """
    by_id, groups, stiffest = {slot.id(): slot for slot in context.slots}, [], Stiffest()
    for slot in slots:
        found = read_stitches(slot, by_id, positions=partial(_at_birth, context, slot.id()))
        ends = [_end(side, context) for side in found.sides]
        bodies, points = (np.concatenate(column, axis=1) for column in zip(*ends, strict=True))
        groups.append(_Group(found.law, bodies, points, found.constants))
        stiffest = _or_stiffer(stiffest, groups[-1], context.bodies, f"stitch geometry {slot.id()}")
    return Stitches(groups, stiffest, context.numbering)


def _or_stiffer(stiffest: Stiffest, group: _Group, bodies: BodyTable, owner: str) -> Stiffest:
    """The stiffest of an element and of the stitches of a group, where their vertices are now.

    A point with the weights w = (1, x̄) on the coordinates of a body whose mass matrix has the entries (m, s; s, S) has
    the inverse mass w (m, s; s, S)⁻¹ wᵀ.
    """
    H = group.law.hessians(_positions(group, bodies.q), group.numbers, group.constants, True)
    k = np.abs(np.diagonal(H, axis1=1, axis2=2)).reshape(*group.bodies.shape, 3).max(axis=2)
    w = np.concatenate([np.ones((*group.bodies.shape, 1)), group.points], axis=2)
    inverse = np.linalg.pinv(bodies.mass[:, [[0], [3], [4], [5]], [0, 3, 4, 5]], hermitian=True)[group.bodies]
    moves = ~(bodies.is_fixed | bodies.external_kinetic)[group.bodies]
    ratio = k * moves * np.einsum("kvi,kvij,kvj->kv", w, inverse, w)
    e = int(np.argmax(ratio.max(axis=1, initial=0.0))) if ratio.size else 0
    return max(stiffest, Stiffest(float(ratio.max(initial=0.0)), f"{owner}: stitch {e}"), key=lambda one: one.ratio)


def _at_birth(context: SceneContext, stitch_id: int, body: Any) -> Array:
    """Vertices (V, 3) of a body when a stitch geometry came into the scene."""
    q, bodies, geo_id = context.births[stitch_id], context.bodies, body.id()
    if (geo_id, 0) in bodies.rows:
        points = require(body.geometry().vertices(), "position", f"affine-body geometry {geo_id}")
        return affine.world_points(q[bodies.rows[geo_id, 0]], points)
    which = [soft.slot.id() for soft in bodies.soft.bodies].index(geo_id)
    return bodies.soft.vertices_of(q[bodies.affine_count :])[which]


def _end(side: Side, context: SceneContext) -> tuple[Ints, Array]:
    """Rows (k, c) and local positions (k, c, 3) of the vertices of one side."""
    if not side.is_soft:
        row = context.bodies.rows[side.geometry, 0]
        return np.full(side.vertices.shape, row), side.points
    vertices = context.vertices_of(side.geometry)[side.vertices]
    return context.surfaces.body[vertices], context.surfaces.points[vertices]


class Stitches(OverElements):
    """Stitches between bodies, soft or affine."""

    name = "stitches"

    def __init__(self, of: Sequence[_Group], stiffest: Stiffest, numbering: Numbering) -> None:
        """Take the stitches of a scene, and the stiffest of them."""
        groups, pairs = [], [np.zeros((0, 2), dtype=np.int64)]
        for group in of:
            mixed = _arrays(group, numbering)
            groups.append(Group(*of_points(group.law), held_stitches(mixed)))
            width = mixed.body.shape[1]
            pairs += [mixed.body[:, [0, k]] for k in range(1, width)]
            self.room += len(mixed.body) * width * (width - 1) // 2
        super().__init__(stiffest, groups)
        self.couples = np.unique(np.concatenate(pairs), axis=0)


def _arrays(group: _Group, numbering: Numbering) -> StitchArrays:
    """The stitches of one law; the engine has positions of points in the frames of rows of twelve coordinates."""
    row, is_affine = numbering.rows_of(group.bodies, group.points), group.bodies < numbering.affine
    weight = np.concatenate([np.ones((*row.shape, 1)), group.points * is_affine[:, :, None]], axis=2)
    return StitchArrays(row, weight, numbering.body[row], numbering.first, group.constants, group.numbers)


def _positions(group: _Group, q: Array) -> Array:
    """Positions of all vertices of the stitches, one stitch after the other, at q (n, 12)."""
    of = q[group.bodies.ravel()]
    A = of[:, 3:].reshape(-1, 3, 3)
    return of[:, :3] + np.einsum("kij,kj->ki", A, group.points.reshape(-1, 3))
