"""The elastic energies of soft bodies (see `elasticity`): solids, shells, cloth and rods.

E = dt² Σ W(x)   over the elements, x their vertices
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.elasticity import plastic_shell_bending
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.state import NO_CREASES, EngineState
from ipc_articulation.engine.terms.creases import Hinges
from ipc_articulation.engine.terms.elements import FIXED, UNKNOWN, Group, OverElements, held_elements, of_vertices
from ipc_articulation.engine.terms.stiffest import Stiffest
from ipc_articulation.frontend.attributes import carried_uids
from ipc_articulation.frontend.nodes.numbering import Numbering
from ipc_articulation.frontend.soft.constitutions import READERS, read_elements


class Elastic(NamedTuple):
    """Elements of all bodies that have the same energy."""

    law: ModuleType  # of `elasticity`
    vertices: Ints  # (k, v) of `Surfaces`
    constants: Array  # (k, m)


class FiniteElements(OverElements):
    """The elastic energies of soft bodies, with creases of plastic shells."""

    name = "elasticity"

    def __init__(
        self, elastic: Sequence[Elastic], hinges: Sequence[Hinges], stiffest: Stiffest, numbering: Numbering, first: int
    ) -> None:
        """Take elastic elements, plastic hinges, the stiffest of all, and the first soft vertex of `Surfaces`."""
        self._elastic, self._hinges = tuple(elastic), tuple(hinges)
        self._creases = [hinges.of(NO_CREASES) for hinges in self._hinges]  # at the beginning of the step
        plastic = [Elastic(plastic_shell_bending, of.vertices, np.empty((len(of.vertices), 3))) for of in self._hinges]
        groups, pairs = [], [np.zeros(0, dtype=np.int64)]
        for law, vertices, constants in [*self._elastic, *plastic]:
            nodes = vertices.astype(np.int64) + 4 * numbering.affine - first
            groups.append(Group(*of_vertices(law), _elements(nodes, constants, numbering)))
            pairs += [_keys(nodes[:, a], nodes[:, b]) for b in range(nodes.shape[1]) for a in range(b)]
        super().__init__(stiffest, groups)
        self._plastic = [group.constants for group in plastic]
        self.room = len(np.unique(np.concatenate(pairs)))

    @property
    def constants(self) -> list[NDArray[Any]]:
        """Vertices and constants of all elements, at rest."""
        of_groups: list[NDArray[Any]] = [array for group in self._elastic for array in group[1:]]
        return [*of_groups, *(array for hinges in self._hinges for array in hinges.constants)]

    @property
    def numbers(self) -> int:
        return 9 * self.room

    def begin_step(self, state: EngineState, x: Array, dt: float) -> None:
        """Take the time step, and creases.

        Raises:
            SceneError: See `OverElements`.
        """
        super().begin_step(state, x, dt)
        self._creases = [hinges.of(state.creases) for hinges in self._hinges]
        for constants, creases in zip(self._plastic, self._creases, strict=True):
            constants[:] = creases[:, 1:4]

    def add_derivatives(self, x: Array, to: Any) -> None:
        super().add_derivatives(x, to)
        self.room = 0  # all blocks have been found

    def creases(self, y: Array) -> Array:
        """Creases (c, 5) after a step that ends with points at y (V, 3), see `engine.terms.creases`."""
        of = zip(self._hinges, self._creases, strict=True)
        return np.concatenate([NO_CREASES, *(hinges.after(creases, y) for hinges, creases in of)])


def _keys(a: Ints, b: Ints) -> Ints:
    """A number for each pair of nodes."""
    return np.minimum(a, b) << 32 | np.maximum(a, b)


def _elements(nodes: Ints, constants: Array, numbering: Numbering) -> Any:
    row = nodes - 3 * numbering.affine
    a, b = np.triu_indices(nodes.shape[1])
    is_fixed = numbering.is_fixed[row[:, a]] | numbering.is_fixed[row[:, b]]
    return held_elements(nodes, numbering.body[row[:, 0]], constants, np.where(is_fixed, FIXED, UNKNOWN))


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
        Elastic(law, *(np.concatenate(column) for column in zip(*parts, strict=True))) for law, parts in found.items()
    ]
    first = int(context.surfaces.first[context.numbering.affine])
    return FiniteElements(groups, hinges, stiffest, context.numbering, first)
