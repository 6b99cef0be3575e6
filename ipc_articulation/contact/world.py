"""All contact of a scene in affine coordinates: bodies with bodies, and bodies with half-planes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.contact.anchors import NO_ANCHORS, Patches, remembered
from ipc_articulation.contact.derivatives import ContactDerivatives
from ipc_articulation.contact.forces import ContactForces
from ipc_articulation.contact.friction_law import FrictionLaw
from ipc_articulation.contact.held import NOTHING_HELD, Held
from ipc_articulation.contact.pair_blocks import clear
from ipc_articulation.contact.placed_contacts import NO_PAIRS, Place
from ipc_articulation.contact.positions import Positions, positions
from ipc_articulation.contact.springs import NO_SPRINGS, Springs, joined
from ipc_articulation.contact.stencils import Stencils
from ipc_articulation.contact.ways import Ways


class _FrictionStart(NamedTuple):
    """With what friction of a step begins. Replaced as a whole."""

    since: Positions
    dt: float  # [s]
    law: FrictionLaw


class ContactWorld(Ways):
    """The contact terms of the incremental potential of n bodies.

    A step begins with `begin_step`. After it, `place` sets the positions of the bodies and selects those that move.
    Terms without a moving body are left out.
    """

    _friction: _FrictionStart

    @cached_property
    def _blocks(self) -> Array:
        """Room for the Hessian blocks of `derivatives`, (n, 12, 12)."""
        return np.zeros((len(self._all), DOF, DOF))

    def begin_step(
        self,
        q: Array,
        dt: float,
        law: FrictionLaw,
        adaptive: float = 0.0,
        held: Held = NOTHING_HELD,
        motions: Sequence[Array] | None = None,
    ) -> None:
        """Compute the constants of a step at q (n, 12): stiffness dt²κ_c, and friction's constants.

        Args:
            q: Coordinates at the beginning of the step.
            dt: Time step [s].
            law: Of friction.
            adaptive: κ_c of the materials with adaptive resistance [Pa].
            held: κ_c of pairs that choose their own, as the last step ended with them.
            motions: By which the last step and the one before it have moved the bodies, (n, 12) each; None: at rest.
        """
        at = positions(self.surfaces, q)
        self._start = self._look_around(at)
        motions = (np.zeros_like(q), np.zeros_like(q)) if motions is None else motions
        self.resistance.begin_step(held, dt, adaptive, self.surfaces.motions(motions[0]) / dt)
        found = zip(self.body_contacts, self._start.near, strict=True)
        touching = [contact.begin_step(at, near, dt) for contact, near in found]
        in_contact = self._in_contact(at, touching, motions) if self.resistance.is_open else None
        if in_contact is not None and self.resistance.has_new(*in_contact):
            self.resistance.adopt(*in_contact, self._pushes(at, touching))
        self._friction = _FrictionStart(at, dt, law)
        self._lag_friction(touching, at)
        if in_contact is not None:
            self.resistance.follow(*in_contact)
            self.half_planes.follow_resistance()
        self._paired = self._find_paired()
        self._now = Place(at.copy(), self._all, touching, ~self._all, at.copy())  # friction keeps `at`

    def renew_friction(self, q: Array) -> Ints:
        """Take normal forces and tangents of friction from q (n, 12), on the motion of the last `cover`.

        Slips remain those since the step began, see `engine.newton.lagging`.

        Returns:
            Pairs of bodies that have friction now, (k, 2).
        """
        at = positions(self.surfaces, q)
        touching = [contact.touching(at.x, self._all) for contact in self.body_contacts]
        self._lag_friction(touching, at)
        return np.concatenate([NO_PAIRS, *(stencils.bodies for stencils in touching)])

    def _lag_friction(self, touching: list[Stencils], at: Positions) -> None:
        """Friction of the stencils within d̂ where bodies are."""
        since, dt, law = self._friction
        self.half_planes.lag_friction(at.x, since.x, dt, law)
        for contact, stencils in zip(self.body_contacts, touching, strict=True):
            contact.lag_friction(stencils, at, since, law)

    def add_energy(self, q: Array, moving: Bools, E: Array) -> None:
        """Add the energy of bodies to E (n,), inf if surfaces touch; that of a pair is added to one of the two.

        The coordinates q (n, 12) are on the motion of the last `cover`.
        """
        np.logical_or(self._now.awake, moving, out=self._now.awake)
        at = self.placed_ahead(q)
        self._move_vertices(at)
        self.half_planes.add_energy(q, moving, E)
        for contact in self.body_contacts:
            contact.add_energy(at.x, q, moving, E)

    def derivatives(self, projected: Bools | None = None) -> ContactDerivatives:
        """Gradient and Hessian where the bodies are placed, projected for some of them, (n,), or for all."""
        projected = self._all if projected is None else projected
        at, moving, touching = self._now.at, self._now.moving, self._now.touching
        q, x = at.q, at.x
        gradient, blocks = np.zeros(q.shape), self._blocks
        clear(blocks, moving)
        self.half_planes.add_derivatives(q, moving, gradient, blocks)
        of_affine, of_soft = self._split(touching)
        given = x, q, moving, projected, gradient
        pairs = [block for contact, near in of_affine for block in contact.add_derivatives(near, *given)]
        soft = [block for contact, near in of_soft for block in contact.add_derivatives(near, *given)]
        return ContactDerivatives(gradient, blocks, pairs, soft)

    def corrections(self, dq: Array) -> Array | None:
        """Loads (n, 12) of gaps that close because the step dq (n, 12) turns them (`gap_correction`); or None."""
        of_affine = [(contact, near) for contact, near in self._split(self._now.touching)[0] if len(near)]
        if not of_affine:
            return None
        x, ahead, loads = self._now.at.x, self.ahead(self._now.at.q + dq).x, np.zeros(dq.shape)
        found = [contact.add_corrections(near, x, ahead, loads) for contact, near in of_affine]
        return loads if any(found) else None

    def foresee(self, dq: Array) -> None:
        """Foresee the forces of barriers for the Newton step dq (n, 12) from where the bodies are placed."""
        at, moving = self._now.at, self._now.moving
        self.half_planes.foresee(at.q, at.q + dq, moving)
        for contact, near in self._split(self._now.touching)[1]:
            contact.foresee(near, at.x, self.ahead(at.q + dq).x)

    def follow(self, q: Array, step: Array, turned: Bools) -> None:
        """Let friction follow a Newton step from q to q + step, (n, 12) each; some bodies (n,) have turned."""
        moving = self._now.moving
        self.half_planes.follow(q, q + step, moving, turned)
        for contact in self.body_contacts:
            contact.follow(q, q + step, moving, turned)

    def remembered(self, q: Array, held: Held) -> Held:
        """What friction of affine bodies remembers at the end q (n, 12) of a step that began with what is held."""
        patches = self.half_planes.patches(q)
        patches += [patch for contact in self._affine_contacts for patch in contact.patches(q)]
        planes = len(self.half_planes.planes.names)
        return remembered(Patches.join(patches), held, planes, self._start.q, q) if patches else NO_ANCHORS

    def springs(self, q: Array) -> Springs:
        """What friction of soft bodies remembers at the end q (n, 12) of a step with anchored friction."""
        if self._meshes is None:
            return NO_SPRINGS
        x = self.surfaces.positions(q)
        of_bodies = [contact.springs(x, q) for contact in self._soft_contacts]
        return joined([self.half_planes.springs(x), *of_bodies], len(x))

    def forces(self, q: Array) -> ContactForces:
        """All contacts at the end q (n, 12) of a step; their forces times dt²."""
        x = self.surfaces.positions(q)
        of_bodies = [forces for contact in self.body_contacts for forces in contact.forces(x, q)]
        return ContactForces.join([*of_bodies, self.half_planes.forces(x)])
