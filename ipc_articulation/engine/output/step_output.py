"""What is read of a step of the core: energies by term, contacts, the forces of joints."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.compiled import compiled
from ipc_articulation.contact import barriers, friction, readouts
from ipc_articulation.contact.forces import ContactForces
from ipc_articulation.contact.stencils import PLANE
from ipc_articulation.engine.newton.core import Core
from ipc_articulation.engine.terms.joint_penalty import JointForces, gradients


class StepOutput:
    """Reads the last step of a core until the next one begins.

    All is at coordinates q (n, 12), which need not be those at its end.
    """

    def __init__(self, core: Core) -> None:
        """Take a core."""
        self._core = core

    def energies(self, q: Array) -> dict[str, float]:
        """Energy by term [J·s²]."""
        core, x, found = self._core, self._core.nodes(q), {}
        for term in core.terms:
            E = np.zeros(len(core.movable))
            term.add_energies(x, core.movable, E)
            found[term.name] = float(E.sum())
        if core.touches:
            found["contact"] = _contact_energy(core.work, x)
        return found

    def minimum_distance(self, q: Array) -> float:
        """Smallest distance [m] of surfaces that may touch; inf if nothing is near or contact is off."""
        core = self._core
        return core.distances.closest(q)[0]

    def collisions(self, q: Array) -> int:
        """Number of pairs of primitives within d̂, and of vertices within d̂ of a half-plane."""
        return _count(self._core.work, self._core.nodes(q)) if self._core.touches else 0

    def contact_forces(self, q: Array, dt: float) -> ContactForces:
        """All contacts of a step of dt [s], with forces in N; none if contact is off.

        A point before a half-plane has one entry of barrier and friction, see `contact.forces`.
        """
        if not self._core.touches:
            return ContactForces.join([])
        barriers, frictions, one, other = _contacts(self._core.work, self._core.nodes(q))
        frictions = frictions.times(1.0 / dt**2)
        _, of_barriers, of_frictions = np.intersect1d(one, other, assume_unique=True, return_indices=True)
        barriers.friction_forces[of_barriers] = frictions.friction_forces[of_frictions]
        own = np.delete(np.arange(len(frictions.gaps)), of_frictions)
        return ContactForces.join([barriers, ContactForces(*(column[own] for column in frictions))])

    def joint_forces(self, q: Array, dt: float) -> JointForces:
        """The forces that hold joints together after a step of dt [s], conjugate to q [N, N·m]."""
        found = _joint_forces(self._core.work, q)
        return found._replace(forces=found.forces / dt**2)


@compiled
def _contact_energy(work, x):
    """Of barriers and friction with nodes at x (N, 3)."""
    scene, movable, E = work.scene, ~work.scene.points.is_fixed, np.zeros(len(work.moving))
    y, stencils, _ = readouts.within(scene, work.candidates, x)
    barriers.add_energies(scene.table, work.limits.square, stencils, y, movable, E)
    friction.add_friction_energies(work.friction, work.since, x, movable, E)
    return np.sum(E)


@compiled
def _count(work, x):
    """The number of stencils within d̂ with nodes at x (N, 3)."""
    return len(readouts.within(work.scene, work.candidates, x)[2].of)


@compiled
def _contacts(work, x):
    """Contacts of barriers [N] and those of friction, times dt², with nodes at x (N, 3), and `_names` of both."""
    scene, rubs = work.scene, work.friction
    y, stencils, some = readouts.within(scene, work.candidates, x)
    barriers, frictions = readouts.barrier_forces(scene, stencils, some, y), friction.forces(scene, rubs, work.since, x)
    names = _names(scene, stencils.kind[some.of], stencils.vertices[some.of], 1)
    return barriers, frictions, names, _names(scene, rubs.kind, rubs.vertices, 2)


@compiled
def _names(scene, kind, vertices, other):
    """Numbers (k,) of stencils: those of points before half-planes, and negative ones of one `other` list, 1 or 2."""
    names, planes = np.empty(len(kind), dtype=np.int64), len(scene.table.planes)
    for s in range(len(kind)):
        names[s] = vertices[s, 0] * planes + vertices[s, 1] if kind[s] == PLANE else -2 * s - other
    return names


@compiled
def _joint_forces(work, q):
    """Times dt²."""
    penalties = work.usual.penalties
    return JointForces(penalties.bodies, -gradients(penalties, q))
