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
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.contact.soft.vertex_rows import add_gradients
from ipc_articulation.engine import rows
from ipc_articulation.engine.linear_system.hessian import Hessian
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms.finite_elements import owners
from ipc_articulation.engine.terms.stiffest import Stiffest
from ipc_articulation.engine.terms.term import Projecting, Term
from ipc_articulation.frontend.attributes import require
from ipc_articulation.frontend.bodies import BodyTable
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
    return Stitches(groups, len(context.bodies), stiffest)


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


class Stitches(Term, Projecting):
    """All stitches of a scene."""

    name = "stitches"

    def __init__(self, groups: Sequence[_Group], count: int, stiffest: Stiffest) -> None:
        """Take the stitches of a scene with `count` rows, and the stiffest of them."""
        self._groups, self._stiffest, self._square = tuple(groups), stiffest, 0.0
        self._moving = self.projected = np.ones(count, dtype=np.bool_)

    @property
    def couples(self) -> Ints:
        pairs = [group.bodies[:, [0, k]] for group in self._groups for k in range(1, group.bodies.shape[1])]
        return np.unique(np.concatenate([np.zeros((0, 2), dtype=np.int64), *pairs]), axis=0)

    @property
    def joints(self) -> Ints:
        return np.zeros((0, 2), dtype=np.int64)

    def begin_step(self, state: EngineState, dt: float) -> None:
        """Take the time step.

        Raises:
            SceneError: A stitch is so stiff that the inertia of what it holds is lost; names it.
        """
        self._stiffest.refuse(dt)
        self._square = dt * dt

    def select(self, moving: Bools) -> None:
        self._moving = moving

    def add_energy(self, q: Array, E: Array) -> None:
        for group in self._groups:
            W = group.law.energies(_positions(group, q), group.numbers, group.constants)
            rows.add_at(E, owners(group.bodies, self._moving), self._square * W)

    def assemble(self, q: Array, g: Array, hessian: Hessian) -> None:
        for group in self._groups:
            projected = self.projected[group.bodies].any(axis=1)
            g_v, H = group.law.derivatives(_positions(group, q), group.numbers, group.constants, projected)
            bodies, points = group.bodies.ravel(), group.points.reshape(-1, 3)
            add_gradients(group.numbers, self._square * g_v, bodies, points, g)
            hessian.add_vertices(group.bodies, group.points, self._square * H)


def _positions(group: _Group, q: Array) -> Array:
    """Positions of all vertices of the stitches, one stitch after the other, at q (n, 12)."""
    of = q[group.bodies.ravel()]
    A = of[:, 3:].reshape(-1, 3, 3)
    return of[:, :3] + np.einsum("kij,kj->ki", A, group.points.reshape(-1, 3))
