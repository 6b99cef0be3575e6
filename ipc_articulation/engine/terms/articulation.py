"""K, the articulations' energy, as a term (see `articulation.energy`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.articulation.evaluation import Articulations, HeldArticulations
from ipc_articulation.engine import rows
from ipc_articulation.engine.linear_system.hessian import Coupled, Hessian
from ipc_articulation.engine.linear_system.linear_system import LinearSystem
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms import restrained_step
from ipc_articulation.engine.terms.term import Projecting, Term
from ipc_articulation.frontend.articulations import ArticulationTable, StepInput, StepInputs


def read(slots: Sequence[Any], context: SceneContext) -> Articulation:
    """The term of a scene with articulations."""
    return Articulation(context.articulations, context.bodies.is_fixed)


class Articulation(Term, Projecting):
    """All articulations of a scene; K carries no dt²."""

    name = "articulation"

    def __init__(self, table: ArticulationTable, is_fixed: Bools) -> None:
        """Make the energy of a table with at least one articulation; `is_fixed` (n,) masks the fixed bodies."""
        self._table, self._energy = table, table.make_energy()
        sizes = self._energy.sizes
        self._parts = [slice(end - f, end) for f, end in zip(sizes, np.cumsum(sizes), strict=True)]
        links = [_movable(bodies, is_fixed) for bodies in self.blocks]
        self._couples = np.concatenate([np.stack([chain[:-1], chain[1:]], axis=1) for chain in links])
        self._links = np.unique(np.concatenate(links))
        self._moving, self.projected = ~is_fixed, np.ones(len(is_fixed), dtype=np.bool_)
        self._at: tuple[Array, Array] | None = None  # ∂δθ/∂q and δθ where it was last assembled
        self._is_restrained = False
        self._handed: dict[int, StepInput] = {}  # by the id of the articulation's geometry
        self._references: list[tuple[Ints, Array]] = []  # rows and reference poses of bodies, handed over likewise
        self.owner = np.repeat([chain[0] if len(chain) else 0 for chain in links], sizes)  # gets K of a freedom

    @property
    def arrays(self) -> HeldArticulations | Articulations:
        """The energy for compiled code."""
        return self._energy.held

    @property
    def couples(self) -> Ints:
        """Mᵗ is dense, so all links of an articulation are coupled, also those that only a fixed body connects."""
        return self._couples

    @property
    def joints(self) -> Ints:
        return self._energy.joints.bodies

    @property
    def blocks(self) -> Sequence[Ints]:
        return [self._energy.arrays.bodies[part] for part in self._parts]

    @property
    def drives(self) -> Ints:
        return self._links

    @property
    def exact(self) -> Ints:
        """The bodies of articulations: the multibody engine gets δθ, and M(δθ - δθ̃)/dt² is its contact force."""
        return self._links

    def name_joints(self, geo_id: int, name: str, joints: Sequence[str]) -> None:
        """Name the articulation of a geometry, and its joints, in messages."""
        self._energy.name(self._table.geo_ids.index(geo_id), name, joints)

    def forget_input(self) -> None:
        """Let the attributes have the input of all articulations."""
        self._handed, self._references = {}, []

    def hand_over(self, inputs: Mapping[int, StepInput], bodies: Ints, q_ref: Array) -> None:
        """Give the input of some articulations in the step whose callbacks run, in place of their attributes.

        Args:
            inputs: By the id of the articulation's geometry.
            bodies: Rows of the k bodies of their joints.
            q_ref: Their reference poses, (k, 12).
        """
        self._handed.update(inputs)
        self._references.append((bodies, q_ref))

    def _inputs(self, q: Array) -> StepInputs:
        return self._table.read(q, self._handed, self._references)

    def begin_step(self, state: EngineState, dt: float) -> None:
        """Take Mᵗ, δθ̃ and the reference poses that were handed over, or that the animator has just written.

        Raises:
            ArticulationError: One of them is not valid; names the articulation.
        """
        self._table.set_step(self._energy, self._inputs(state.q))
        self._is_restrained = bool(self._energy.arrays.springs.any())

    def give_step(self, q: Array) -> Array:
        """Do the same without checks, for a step in one compiled call. Returns: q_ref (n, 12)."""
        masses, tildes, springs, rows, q_ref = self._inputs(q)
        self._energy.give(masses, tildes, springs, rows)
        return q_ref

    def delta_theta(self, q: Array) -> dict[int, Array]:
        """δθ from the step's reference poses to q (n, 12), (fₐ,) by geometry id of the articulation [rad or m]."""
        delta = self._energy.delta_theta(q)
        return {geo_id: delta[part] for geo_id, part in zip(self._table.geo_ids, self._parts, strict=True)}

    def write_delta_theta(self, q: Array) -> None:
        """Write δθ from the step's reference poses to q (n, 12) into the geometries."""
        self._table.write_delta_theta(self._energy.delta_theta(q))

    def select(self, moving: Bools) -> None:
        self._moving = moving

    def add_energy(self, q: Array, E: Array) -> None:
        rows.add_at(E, self.owner, self._energy.freedom_energies(q))

    def assemble(self, q: Array, g: Array, hessian: Hessian) -> None:
        bodies, at = self._energy.arrays.bodies, self._energy.linearize(q, self.projected, self._moving)
        self.linearized(at.jacobian, at.displacement)
        rows.add_to_pairs(g, bodies, at.force, at.jacobian)
        hessian.add_pairs(self._energy.joints.bodies, at.curvature)
        hessian.add_coupled(Coupled(bodies, at.jacobian, self._energy.arrays.starts, self._energy.arrays.mass))

    def linearized(self, jacobian: Array, displacement: Array) -> None:
        """Note ∂δθ/∂q (F, 24) and δθ (F,) where the system was assembled, for `restrain`."""
        self._at = jacobian, displacement

    def restrain(self, dq: Array, system: LinearSystem) -> Array:
        if not self._is_restrained or self._at is None:
            return dq
        known = self._couples, self.arrays, *self._at
        labels, found = restrained_step.press_parts(dq, system.as_arrays(), *known)
        is_pressed, *pressed = found
        if not is_pressed:
            return dq
        along = self._energy.arrays.bodies, self._at[0]
        V = system.solve_again(restrained_step.loads(*along, pressed[0], pressed[-1], len(dq)))
        return restrained_step.restrained(dq, V, labels, *along, *pressed)


def _movable(bodies: Ints, is_fixed: Bools) -> Ints:
    """The bodies among pairs (m, 2) that are not fixed, in order."""
    links = np.unique(bodies)
    return links[~is_fixed[links]]
