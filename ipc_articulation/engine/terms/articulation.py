"""K, the articulations' energy, as a term (see `articulation.energy`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.articulation.step_places import StepInput, StepPlaces, joined
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms.articulations import add_derivatives, add_energies, linearized
from ipc_articulation.engine.terms.term import Term
from ipc_articulation.frontend.articulations import ArticulationTable, HandedOver


def read(slots: Sequence[Any], context: SceneContext) -> Articulation:
    """The term of a scene with articulations."""
    return Articulation(context.articulations, context.bodies.is_fixed, context.numbering.affine)


class Articulation(Term):
    """All articulations of a scene; K carries no dt²."""

    name = "articulation"

    def __init__(self, table: ArticulationTable, is_fixed: Bools, affine: int) -> None:
        """Make the energy of a table with at least one articulation.

        Args:
            table: The articulations.
            is_fixed: Which bodies are fixed, (n,).
            affine: Number of affine bodies.
        """
        self._table, self._energy = table, table.make_energy()
        sizes = self._energy.sizes
        bodies, self._affine = self._energy.arrays.bodies, affine
        links = [_movable(bodies[own.freedoms[0]], is_fixed) for own in self._energy.places]
        self.couples = np.concatenate([np.stack([chain[:-1], chain[1:]], axis=1) for chain in links])
        self.joints = self._energy.joints.bodies
        self.drives = self.exact = np.unique(np.concatenate(links))
        self.restrains = False  # whether limits, dry friction or motors may change a Newton step
        self._handed: list[HandedOver] = []
        owner = np.repeat([chain[0] if len(chain) else 0 for chain in links], sizes)  # gets K of a freedom
        self.room = len(self.joints) + sum(size * (2 * size - 1) for size in sizes)
        self.held = linearized(
            self._energy.held, owner, self.couples, np.zeros((len(owner), 2 * DOF)), np.zeros(len(owner))
        )

    def name_joints(self, geo_id: int, name: str, joints: Sequence[str]) -> None:
        """Name the articulation of a geometry, and its joints, in messages."""
        self._energy.name(self._table.geo_ids.index(geo_id), name, joints)

    def places(self, geo_ids: Sequence[int]) -> StepPlaces:
        """Where the input of the articulations of some geometries is, which have as many freedoms and rows."""
        return joined([self._energy.places[self._table.geo_ids.index(geo_id)] for geo_id in geo_ids])

    def forget_input(self) -> None:
        """Let the attributes have the input of all articulations."""
        self._handed = []

    def hand_over(self, step: StepInput, given: HandedOver) -> None:
        """Give the input of some articulations in the step whose callbacks run, in place of their attributes."""
        self._energy.give(step, given.places)
        self._handed.append(given)

    def begin_step(self, state: EngineState, x: Array, dt: float) -> None:
        """Take Mᵗ, δθ̃ and the reference poses that were handed over, or that the animator has just written.

        Raises:
            ArticulationError: One of them is not valid; names the articulation.
        """
        self._table.begin_step(self._energy, state.q, self._handed)
        self.restrains = bool(self._energy.arrays.springs.any())

    def add_energies(self, x: Array, moving: Bools, E: Array) -> None:
        add_energies(self.held, self._affine, x, E)

    def add_derivatives(self, x: Array, to: Any) -> None:
        add_derivatives(self.held, self._affine, x, to)

    def delta_theta(self, q: Array) -> Array:
        """δθ of all freedoms from the step's reference poses to q (n, 12), (F,) [rad or m]."""
        return self._energy.delta_theta(q)

    def write_delta_theta(self, q: Array) -> None:
        """Write δθ from the step's reference poses to q (n, 12) into the geometries."""
        self._table.write_delta_theta(self._energy.delta_theta(q))


def _movable(bodies: Ints, is_fixed: Bools) -> Ints:
    """The bodies among pairs (m, 2) that are not fixed, in order."""
    links = np.unique(bodies)
    return links[~is_fixed[links]]
