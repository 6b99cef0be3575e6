"""The elastic energies of soft bodies (see `elasticity`): solids, shells, cloth and rods.

E = dt² Σ W(x)   over the elements, x = A x̄ + p their vertices (see `tetrads`)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.contact.soft.vertex_rows import add_gradients
from ipc_articulation.contact.surfaces import Surfaces, move
from ipc_articulation.cores import in_turn, parts
from ipc_articulation.elasticity import plastic_shell_bending
from ipc_articulation.engine import rows
from ipc_articulation.engine.linear_system.hessian import Hessian
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.state import NO_CREASES, EngineState
from ipc_articulation.engine.terms.creases import Hinges
from ipc_articulation.engine.terms.stiffest import Stiffest
from ipc_articulation.engine.terms.term import Projecting, Term
from ipc_articulation.frontend.attributes import carried_uids
from ipc_articulation.frontend.soft.constitutions import READERS, read_elements

_PIECE = 800  # elements whose derivatives are computed at once, on one core


@dataclass(frozen=True)
class Group:
    """Elements of all bodies that have the same energy."""

    law: ModuleType  # of `elasticity`
    vertices: Ints  # (k, v) of `Surfaces`
    constants: Array  # (k, m)

    def of(self, chosen: Bools) -> Group:
        """Some of them, (k,)."""
        return self if chosen.all() else Group(self.law, self.vertices[chosen], self.constants[chosen])


class _Chosen(NamedTuple):
    """Elements of which a vertex moves, and what they have to do with rows."""

    group: Group
    bodies: Ints  # (k, v) of vertices
    points: Array  # (k, v, 3) local positions, see `Hessian.add_vertices`
    owners: Ints  # (k,) the rows that have their energy


def _derivatives(group: Group, x: Array, projected: Bools, piece: slice) -> tuple[Array, Array]:
    return group.law.derivatives(x, group.vertices[piece], group.constants[piece], projected[piece])


class FiniteElements(Term, Projecting):
    """The energies of all elements."""

    name = "elasticity"

    def __init__(
        self, groups: Sequence[Group], hinges: Sequence[Hinges], surfaces: Surfaces, stiffest: Stiffest
    ) -> None:
        """Take elastic elements, plastic hinges, the surfaces of all bodies, and the stiffest element."""
        self._stiffest = stiffest
        self._elastic, self._hinges, self._surfaces, self._square = tuple(groups), tuple(hinges), surfaces, 0.0
        self._creases = [hinges.of(NO_CREASES) for hinges in self._hinges]  # at the beginning of the step
        self._groups = self._with_hinges()
        self._rows = np.zeros(len(surfaces.first) - 1, dtype=np.bool_)
        self.projected = np.ones_like(self._rows)
        self._x = np.zeros_like(surfaces.points)
        for group in self._groups:
            self._rows[surfaces.body[group.vertices]] = True
        self.select(self._rows)

    def _with_hinges(self) -> tuple[Group, ...]:
        of = zip(self._hinges, self._creases, strict=True)
        plastic = (Group(plastic_shell_bending, hinges.vertices, rows[:, 1:4].copy()) for hinges, rows in of)
        return *self._elastic, *plastic

    @property
    def constants(self) -> list[NDArray[Any]]:
        """Vertices and constants of all elements, at rest."""
        of_groups: list[NDArray[Any]] = [
            array for group in self._elastic for array in (group.vertices, group.constants)
        ]
        return [*of_groups, *(array for hinges in self._hinges for array in hinges.constants)]

    def creases(self, q: Array) -> Array:
        """Creases (c, 5) after a step to q (n, 12), see `creases`."""
        if not self._hinges:
            return NO_CREASES
        x, of = self._surfaces.positions(q), zip(self._hinges, self._creases, strict=True)
        return np.concatenate([hinges.after(rows, x) for hinges, rows in of])

    @property
    def couples(self) -> Ints:
        pairs = [np.zeros((0, 2), dtype=np.int64)]
        for group in self._groups:
            bodies = self._surfaces.body[group.vertices]
            pairs += [bodies[:, [0, k]] for k in range(1, bodies.shape[1])]
        return np.unique(np.concatenate(pairs), axis=0)

    @property
    def joints(self) -> Ints:
        return np.zeros((0, 2), dtype=np.int64)

    def begin_step(self, state: EngineState, dt: float) -> None:
        self._stiffest.refuse(dt)
        self._square = dt * dt
        if self._hinges:
            self._creases = [hinges.of(state.creases) for hinges in self._hinges]
            self._groups = self._with_hinges()
            self.select(self._selected)

    def select(self, moving: Bools) -> None:
        self._selected, self._moving = moving, moving & self._rows
        self._chosen = tuple(self._choose(group, moving) for group in self._groups)
        for chosen in self._chosen:  # fixed vertices of elements that move
            self._moving[chosen.bodies] = True

    def _choose(self, group: Group, moving: Bools) -> _Chosen:
        body, points = self._surfaces.body, self._surfaces.points
        some = group.of(np.any(moving[body[group.vertices]], axis=1))
        bodies = body[some.vertices]
        return _Chosen(some, bodies, points[some.vertices], owners(bodies, moving))

    def add_energy(self, q: Array, E: Array) -> None:
        x = self._positions(q)
        for chosen in self._chosen:
            W = chosen.group.law.energies(x, chosen.group.vertices, chosen.group.constants)
            rows.add_at(E, chosen.owners, self._square * W)

    def assemble(self, q: Array, g: Array, hessian: Hessian) -> None:
        x, body, points = self._positions(q), self._surfaces.body, self._surfaces.points
        for chosen in self._chosen:
            vertices, pieces = chosen.group.vertices, parts(len(chosen.bodies), _PIECE)
            projected: Bools = np.logical_or.reduce(self.projected[chosen.bodies], axis=1)
            found = in_turn(partial(_derivatives, chosen.group, x, projected), pieces)
            for piece, (g_v, H) in zip(pieces, found, strict=True):
                g_v *= self._square
                add_gradients(vertices[piece], g_v, body, points, g)
                hessian.add_vertices(chosen.bodies[piece], chosen.points[piece], H, self._square)

    def _positions(self, q: Array) -> Array:
        """Positions (V, 3) of the vertices of rows that move, at q (n, 12)."""
        move(self._surfaces.points, self._surfaces.first, q, self._moving, self._x)
        return self._x


def owners(bodies: Ints, moving: Bools) -> Ints:
    """The first of the bodies (k, v) of each element that is among those that move (n,): it has the energy, (k,)."""
    return bodies[np.arange(len(bodies)), np.argmax(moving[bodies], axis=1)]


def read(slots: Sequence[Any], context: SceneContext) -> FiniteElements:
    """The elements of the soft bodies among geometry slots."""
    ids, soft = {slot.id() for slot in slots}, context.bodies.soft
    found: dict[ModuleType, list[tuple[Ints, Array]]] = {}
    hinges, stiffest = [], Stiffest()
    for body in soft.bodies:
        if body.slot.id() in ids:
            for uid in carried_uids(body.slot.geometry()):
                for part in read_elements(body, uid) if uid in READERS else ():
                    vertices = context.vertices_of(body.slot.id())[part.vertices]
                    stiffest = stiffest.or_stiffer(body, part)
                    if part.creases is None:
                        found.setdefault(part.law, []).append((vertices, part.constants))
                    else:
                        hinges.append(Hinges(body.slot.id(), part, vertices))
    groups = [
        Group(law, *(np.concatenate(column) for column in zip(*parts, strict=True))) for law, parts in found.items()
    ]
    return FiniteElements(groups, hinges, context.surfaces, stiffest)
