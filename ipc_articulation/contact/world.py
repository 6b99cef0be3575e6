"""All contact of a scene in affine coordinates: bodies with bodies, and bodies with half-planes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.contact.allowed import Allowed
from ipc_articulation.contact.anchors import NO_ANCHORS, Patches, remembered
from ipc_articulation.contact.body_contact import BodyContact
from ipc_articulation.contact.broad_phase import boxes_of_way, have_moved, near_moving, unmoved, with_moved
from ipc_articulation.contact.ccd import gap_floors
from ipc_articulation.contact.derivatives import ContactDerivatives
from ipc_articulation.contact.forces import ContactForces
from ipc_articulation.contact.foresight import Foresight
from ipc_articulation.contact.friction_law import NO_FRICTION, FrictionLaw
from ipc_articulation.contact.half_planes import HalfPlaneContact, HalfPlanes
from ipc_articulation.contact.held import NOTHING_HELD, Held
from ipc_articulation.contact.inside import is_inside
from ipc_articulation.contact.intersecting import first_intersecting
from ipc_articulation.contact.materials import NO_CONTACT, Materials
from ipc_articulation.contact.overlap import Overlap
from ipc_articulation.contact.pair_blocks import clear
from ipc_articulation.contact.positions import Positions, positions
from ipc_articulation.contact.resistance import Resistance
from ipc_articulation.contact.sides import HeldSides, Sides, hold
from ipc_articulation.contact.soft.crossing import first_crossing
from ipc_articulation.contact.soft.meshes import Meshes
from ipc_articulation.contact.soft.soft_contact import SoftContact
from ipc_articulation.contact.soft.vertex_elements import VertexElements
from ipc_articulation.contact.springs import NO_SPRINGS, Springs, joined
from ipc_articulation.contact.stencils import NO_STENCILS, Stencils
from ipc_articulation.contact.surfaces import Surfaces

_NO_PAIRS = np.zeros((0, 2), dtype=np.int64)


class _Start(NamedTuple):
    """The bodies at the beginning of a step, with which the next step compares. Replaced as a whole."""

    q: Array  # (n, 12)
    low: Array  # (n, 3) lower corners of boxes around them [m]
    high: Array  # (n, 3) upper corners [m]
    near: list[Ints]  # material by material, pairs of bodies (k, 2) whose boxes are within reach of each other
    floors: Array  # (n,) smallest gap that steps leave at each body [m]


class _FrictionStart(NamedTuple):
    """With what friction of a step begins. Replaced as a whole."""

    since: Positions
    dt: float  # [s]
    law: FrictionLaw


class _Place(NamedTuple):
    """Positions of the bodies during a step. Replaced as a whole."""

    at: Positions
    moving: Bools  # (n,)
    touching: list[Stencils]  # within d̂ there, material by material; only of pairs with a moving body
    awake: Bools  # (n,) bodies that have moved since the step began
    scratch: Positions  # at other coordinates; valid for the bodies that are not awake


class Sweeping(NamedTuple):
    """What collision detection needs, see `engine.newton.sweep`."""

    touching: tuple[Any, ...]
    candidates: tuple[Any, ...]
    at: tuple[Array, ...]
    scratch: tuple[Array, ...]
    start: tuple[Array, ...]
    moving: Bools
    awake: Bools
    paired: Bools


class ContactWorld:
    """The contact terms of the incremental potential of n bodies.

    A step begins with `begin_step`. After it, `place` sets the positions of the bodies and selects those that move.
    Terms without a moving body are left out.
    """

    def __init__(
        self,
        surfaces: Surfaces,
        materials: Materials,
        planes: HalfPlanes,
        resistance: Resistance,
        meshes: Meshes | None = None,
        touches: Bools | None = None,
        elements: VertexElements | None = None,
    ) -> None:
        """Prepare contact, material by material.

        Args:
            surfaces: Surfaces of the n bodies.
            materials: The contact models of all pairs.
            planes: The half-planes.
            resistance: κ_c of all pairs.
            meshes: Those of soft bodies, and of the affine ones beside them; None if there are no soft bodies.
            touches: Bodies whose vertices may touch half-planes, (n,); None: all.
            elements: Contact elements of vertices; None where each body has one.
        """
        self._elements = elements
        self.surfaces, self.materials, self._meshes = surfaces, materials, meshes
        n, affine = len(materials.group), len(materials.group) if meshes is None else meshes.affine
        touches = np.ones(n, dtype=np.bool_) if touches is None else touches
        self.half_planes = HalfPlaneContact(surfaces, planes, materials, resistance, touches, affine)
        self.resistance = resistance
        self._affine_contacts = [
            BodyContact(surfaces, materials, m, resistance, affine)
            for m in _materials_of(materials.body_pairs[:affine, :affine])
            if len(surfaces.points)
        ]
        self._soft_contacts = [
            SoftContact(surfaces, meshes, materials, m, resistance, elements)
            for m in _materials_of(materials.body_pairs[affine:])
            if meshes is not None
        ]
        self.body_contacts: list[BodyContact | SoftContact] = [*self._affine_contacts, *self._soft_contacts]
        self.sides: HeldSides | Sides | None = None  # where one compiled call may detect collisions, see `sweeping`
        if self._meshes is None and len(self._affine_contacts) == 1:
            self.sides = hold(self._affine_contacts[0].sides(self.half_planes.columns))
        self._blocks, self._all = np.zeros((n, DOF, DOF)), np.ones(n, dtype=np.bool_)
        self._paired, self._whole = ~self._all, np.ones(n)  # bodies in candidate pairs; fractions of a whole step
        nowhere = np.full((n, 3), np.nan)
        at = positions(self.surfaces, np.zeros((n, DOF)))
        self._start = _Start(at.q, nowhere, nowhere, [_NO_PAIRS for _ in self.body_contacts], np.zeros(n))
        self._now = _Place(at, ~self._all, [NO_STENCILS for _ in self.body_contacts], ~self._all, at.copy())
        self._friction = _FrictionStart(at, 0.0, NO_FRICTION)

    @property
    def d_hat(self) -> float:
        """Largest d̂ of all materials [m]."""
        return float(self.materials.d_hat.max(initial=0.0))

    @property
    def _contacts(self) -> list[HalfPlaneContact | BodyContact | SoftContact]:
        return [self.half_planes, *self.body_contacts]

    @property
    def may_touch(self) -> bool:
        """Whether any two surfaces may touch at all."""
        return bool(self.body_contacts) or self.half_planes.may_touch

    @property
    def near_at_start(self) -> Ints:
        """Pairs of bodies whose boxes are within reach of each other at the beginning of the step, (k, 2)."""
        return np.concatenate([_NO_PAIRS, *self._start.near])

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
        in_contact = self._in_contact_so_far(at, touching, motions) if self.resistance.is_open else None
        if in_contact is not None and not self.resistance.holds(in_contact[0]):
            self.resistance.adopt(*in_contact, self._pushes(at, touching))
        self._friction = _FrictionStart(at, dt, law)
        self._lag_friction(touching, at, at.x)
        if in_contact is not None:
            self.resistance.follow(*in_contact)
            self.half_planes.follow_resistance()
        self._paired = self._find_paired()
        self._now = _Place(at.copy(), self._all, touching, ~self._all, at.copy())  # half-planes keep `at`

    def renew_friction(self, q: Array) -> None:
        """Take normal forces and tangents of friction from q (n, 12), on the motion of the last `cover`.

        Slips remain those since the step began, see `engine.newton.lagging`.
        """
        self.place(q, self._all)
        self._lag_friction(self._now.touching, self._now.at, self.surfaces.positions(q))

    def _lag_friction(self, touching: list[Stencils], at: Positions, x: Array) -> None:
        """Friction of the stencils within d̂ where bodies are; x (V, 3) are all vertices there."""
        since, dt, law = self._friction
        self.half_planes.lag_friction(x, since.x, dt, law)
        for contact, stencils in zip(self.body_contacts, touching, strict=True):
            contact.lag_friction(stencils, at, since, law)

    def _look_around(self, at: Positions) -> _Start:
        """The bodies where they are; only those that have moved since the last step are searched."""
        last, low, high = self._start, at.low.copy(), at.high.copy()
        moved = have_moved(last.low, last.high, low, high)
        moved = moved if self._meshes is None else self._meshes.anyone(moved)
        near = [
            np.concatenate([unmoved(pairs, moved), contact.near(low, high, moved)])
            for contact, pairs in zip(self.body_contacts, last.near, strict=True)
        ]
        return _Start(at.q, low, high, near, self._floors(at))

    def _floors(self, at: Positions) -> Array:
        """The smallest gap that steps leave at each body, (n,) [m]; the same at all rows of a soft body."""
        floors = gap_floors(at.low, at.high)
        return floors if self._meshes is None else self._meshes.largest(floors)

    def _find_paired(self) -> Bools:
        paired = np.zeros(len(self._all), dtype=np.bool_)
        for contact in self.body_contacts:
            paired[contact.proximity.bodies] = True
        return paired

    def place(self, q: Array, moving: Bools) -> None:
        """Place the bodies at coordinates (n, 12) on the motion of `cover` or `begin_step`; some of them move, (n,)."""
        at, last = self._positions(q, moving), self._now
        touching = [contact.touching(at.x, moving) for contact in self.body_contacts]
        self._now = _Place(at, moving, touching, last.awake, last.at)

    def ahead(self, q: Array) -> Positions:
        """The positions at other coordinates (n, 12); the next positions overwrite them."""
        return self._positions(q, self._now.moving)

    def _positions(self, q: Array, moving: Bools) -> Positions:
        at = Positions(q, *self._now.scratch[1:])
        at.move(self.surfaces, moving, self._now.awake, self._paired)
        return at

    def _move_vertices(self, at: Positions) -> None:
        at.move_vertices(self.surfaces, self._now.awake & self._paired)

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

    def rescue(self) -> bool:
        """Raise the open resistance of pairs whose gap closes where the bodies are placed; whether there are any."""
        now = self._now
        if not self.resistance.is_open:
            return False
        if not self.resistance.rescue(*self._in_contact(now.at, now.moving, now.touching)[:2]):
            return False
        self.half_planes.follow_resistance()
        return True

    def _in_contact(self, at: Positions, moving: Bools, touching: list[Stencils]) -> tuple[Ints, Array, Bools]:
        """Pairs in contact (P, 2) with their smallest gaps (P,) [m], and which rows of the half-planes' are among them.

        Half-plane p counts as the body n + p.
        """
        pairs, gaps, near = self.half_planes.in_contact(at.q, moving)
        if any(map(len, touching)):
            pairs = np.concatenate([pairs, *(stencils.bodies for stencils in touching)])
            gaps = self._gaps(gaps, at.x, touching)
        return pairs, gaps, near

    def _gaps(self, of_planes: Array, x: Array, touching: list[Stencils]) -> Array:
        """The smallest gaps of pairs in contact as of `_in_contact`, at x (V, 3), (P,) [m]."""
        of_bodies = zip(self.body_contacts, touching, strict=True)
        return np.concatenate([of_planes, *(contact.smallest_gaps(stencils, x) for contact, stencils in of_bodies)])

    def _in_contact_so_far(
        self, at: Positions, touching: list[Stencils], motions: Sequence[Array]
    ) -> tuple[Ints, Array, Array]:
        """Pairs in contact (P, 2), their gaps (P,), and changes (2, P) of these by the last two steps' motions."""
        pairs, gaps, near = self._in_contact(at, self._all, touching)
        changes, of_planes = np.empty((2, len(gaps))), np.zeros_like(self._all)
        of_planes[self.half_planes.bodies[near, 0]] = True
        for change, motion in zip(changes, motions if len(gaps) else (), strict=False):
            q = at.q - motion
            before = self.half_planes.smallest_gaps(q, of_planes, np.inf)[near]
            change[:] = gaps - self._gaps(before, self.surfaces.positions(q), touching)
        return pairs, gaps, changes

    def _pushes(self, at: Positions, touching: list[Stencils]) -> Array:
        """Σ |B'(d)| of pairs in contact as of `_in_contact`, (P,) [m³]."""
        near = self._in_contact(at, self._all, touching)[2]
        of_bodies = zip(self.body_contacts, touching, strict=True)
        each = [contact.pushes(stencils, at.x) for contact, stencils in of_bodies]
        return np.concatenate([self.half_planes.pushes(at.x)[near], *each])

    def derivatives(self, project: bool = True) -> ContactDerivatives:
        """Gradient and Hessian where the bodies are placed."""
        at, moving, touching = self._now.at, self._now.moving, self._now.touching
        q, x = at.q, at.x
        gradient, blocks = np.zeros(q.shape), self._blocks
        clear(blocks, moving)
        self.half_planes.add_derivatives(q, moving, gradient, blocks)
        of_affine, of_soft = self._split(touching)
        given = x, q, moving, project, gradient
        pairs = [block for contact, near in of_affine for block in contact.add_derivatives(near, *given)]
        soft = [block for contact, near in of_soft for block in contact.add_derivatives(near, *given)]
        return ContactDerivatives(gradient, blocks, pairs, soft)

    def _split(
        self, touching: list[Stencils]
    ) -> tuple[Iterable[tuple[BodyContact, Stencils]], Iterable[tuple[SoftContact, Stencils]]]:
        """Stencils, material by material, with their contacts between affine bodies, and with those of soft bodies."""
        count = len(self._affine_contacts)
        of_affine = zip(self._affine_contacts, touching[:count], strict=True)
        return of_affine, zip(self._soft_contacts, touching[count:], strict=True)

    def touching(self) -> list[Stencils]:
        """The stencils within d̂ where the bodies are placed, material by material; only pairs with a moving body."""
        return self._now.touching

    def sweeping(self) -> Sweeping:
        """What collision detection needs besides `sides`; only there."""
        now, start, contact = self._now, self._start, self._affine_contacts[0]
        touching, candidates, at = now.touching[0].columns[:4], contact.proximity.candidates[:10], now.at[1:4]
        boxes = start.low, start.high, start.floors
        return Sweeping(touching, candidates, at, now.scratch[1:], boxes, now.moving, now.awake, self._paired)

    def swept(self, columns: Sequence[Any]) -> None:
        """Note the columns of all stencils that come near on the way that was looked at."""
        self._affine_contacts[0].proximity.stencils = Stencils(*columns)

    def placed_ahead(self, q: Array) -> Positions:
        """The positions that were moved to q (n, 12) last."""
        return Positions(q, *self._now.scratch[1:])

    def cover(self, ahead: Positions, near: list[Ints]) -> None:
        """Find the stencils that come near each other while vertices move straight to their positions ahead.

        `near` are the pairs of bodies of `near`.
        """
        of_contacts = zip(self.body_contacts, near, strict=True)
        found = [contact.proximity.cover(self._now.at, ahead, pairs) for contact, pairs in of_contacts]
        if any(found):
            self._paired = self._find_paired()
            self._move_vertices(self._now.at)
            self._move_vertices(ahead)

    def crowded(self, ahead: Positions, near: list[Ints]) -> Bools:
        """Bodies (n,) that pass too much of each other on the way to positions ahead for `cover`, see `crowded_ways`.

        Of a soft body one row is enough. `near` are the pairs of bodies of `near`.
        """
        found = np.zeros_like(self._all)
        for contact, pairs in zip(self.body_contacts, near, strict=True):
            if len(pairs):
                found |= contact.proximity.crowded(self._now.at, ahead, pairs)
        return found

    def foresee(self, moving: Bools) -> Foresight:
        """The barriers of moving bodies (n,), where they are placed, as Newton's next step may expand them."""
        at, touching = self._now.at, [stencils.of(moving) for stencils in self._now.touching]
        of_affine, of_soft = self._split(touching)
        pairs = [contact.foresee(near, at.x) for contact, near in of_affine]
        soft = [contact.foresee(near, at.x) for contact, near in of_soft]
        return Foresight(self.half_planes.foresee(), pairs, soft, at.q, moving, self._start.floors)

    def meet(self, foresight: Foresight) -> None:
        """Let it have the stencils that the motion of the last `cover` would pass through."""
        foresight.meet(self._now.scratch, self.covered())

    def covered(self) -> list[Stencils]:
        """The stencils that `cover` has found, material by material."""
        return [contact.proximity.stencils for contact in self.body_contacts]

    def near(self, ahead: Positions) -> list[Ints]:
        """Pairs of bodies that may come within reach of each other, material by material, (k, 2).

        One of them has moved since the step began, and the bounding boxes of their whole motion to positions ahead are
        within reach. Other bodies do not meet, whatever fractions of their steps they take. The result does not depend
        on earlier steps.
        """
        now, start = self._now, self._start
        boxes = now.at.low, now.at.high, ahead.low, ahead.high, start.low, start.high
        low, high = boxes_of_way(now.awake, *boxes)
        return [contact.near(low, high, now.awake) for contact in self.body_contacts]

    def meeting(self, near: list[Ints]) -> Ints:
        """Those of the pairs of `near` of which one is moving, (k, 2)."""
        pairs = near[0] if len(near) == 1 else np.concatenate([_NO_PAIRS, *near])
        return with_moved(pairs, self._now.moving) if len(pairs) else _NO_PAIRS

    def step_fractions(self, ahead: Positions, stencils: list[Stencils], labels: Ints) -> Array:
        """The fraction of its step that each body may take without contact of stencils or half-planes.

        Motion is linear in q, so the answer is exact.

        Args:
            ahead: To which the full step leads.
            stencils: The stencils to test, material by material.
            labels: The island of each body, (n,): its smallest body.

        Returns:
            Fractions in [0, 1], (n,), one for all bodies of an island.
        """
        at, whose, floors = self._now.at, (labels, self._now.moving), self._start.floors
        fractions = self._whole.copy()
        self.half_planes.lower_fractions(*whose, at.q, ahead.q, floors, fractions)
        for contact, tested in zip(self.body_contacts, stencils, strict=True):
            contact.lower_fractions(tested, *whose, at.x, ahead.x, floors, fractions)
        return fractions[labels]

    def gap_changes(self, ahead: Positions) -> Array:
        """The greatest relative change of a gap within d̂ of each body as vertices go ahead, (n,), see `gap_scale`.

        They go as far as the motion of the last `cover` at most, and may leave d̂ or come into it.
        """
        at, moving, change = self._now.at, self._now.moving, np.zeros(len(self._all))
        self.half_planes.add_gap_changes(at.q, ahead.q, moving, change)
        for contact, stencils in zip(self.body_contacts, self.covered(), strict=True):
            contact.add_gap_changes(stencils, at.x, ahead.x, moving, change)
        return change

    def active_motion(self, ahead: Positions) -> float:
        """Greatest displacement [m] of a vertex within d̂ of something, as vertices go ahead."""
        x, to = self.surfaces.positions(self._now.at.q), self.surfaces.positions(ahead.q)
        vertices = [stencils.vertices.ravel() for stencils in self._now.touching]
        active = np.concatenate([self.half_planes.active_vertices(x), *vertices])
        return float(np.linalg.norm(to[active] - x[active], axis=1).max(initial=0.0))

    def count(self) -> int:
        """Number of pairs of primitives within d̂ where the bodies are placed, and of vertices near half-planes."""
        x = self.surfaces.positions(self._now.at.q)
        return sum(map(len, self._now.touching)) + len(self.half_planes.active_vertices(x))

    def follow(self, q: Array, step: Array, turned: Bools) -> None:
        """Let friction follow a Newton step from q to q + step, (n, 12) each; some bodies (n,) have turned."""
        moving = self._now.moving
        self.half_planes.follow(q, q + step, moving, turned)
        for contact in self.body_contacts:
            contact.follow(q, q + step, moving, turned)

    def friction_changes(self, ahead: Positions) -> Array:
        """The greatest change of a friction force on each body as vertices go ahead, as part of μ λ, (n,)."""
        at, moving, change = self._now.at, self._now.moving, np.zeros(len(self._all))
        for contact in self._contacts:
            contact.add_friction_changes(at.q, ahead.q, moving, change)
        return change

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

    def closest(self, q: Array) -> tuple[float, tuple[int, ...]]:
        """Smallest distance [m] of surfaces that may touch, and their bodies: one body if it is to a half-plane.

        The distance of thick surfaces excludes their thickness. If no distance is below 10 d̂: inf, and ().
        """
        at, limit = positions(self.surfaces, q), 10.0 * self.d_hat
        best: tuple[float, tuple[int, ...]] = np.inf, ()
        for contact in self._contacts:
            found = contact.closest(at, min(limit, best[0]))
            best = found if found[1] else best
        return best

    def minimum_distance(self, q: Array) -> float:
        """The distance of `closest`."""
        return self.closest(q)[0]

    def find_overlap(self, q: Array, moved: Bools | None = None) -> Overlap | None:
        """An overlap of two bodies, or of a body and a half-plane, at q (n, 12); None if there is none.

        Intersections of affine bodies that are not among the moved ones (n,) may be left out; None: all have moved.
        """
        at = positions(self.surfaces, q)
        found = self.half_planes.rounded_away(at.x)
        if found is not None:
            return found
        within = float(self._floors(at).max(initial=0.0))
        meeting = np.array(self._meeting(at, moved), dtype=np.int64).reshape(-1, 2)
        pair = first_intersecting(self.surfaces, q, meeting)
        if pair is not None:
            return Overlap(*pair, "", 0.0, max(float(self.materials.d_hat[self.materials.body_pairs[pair]]), within))
        if self._meshes is not None:
            crossing = first_crossing(self._meshes, self.materials.touching, at, self._elements)
            if crossing is not None:
                material = self.materials.body_pairs[tuple(self._meshes.of_row[list(crossing.rows)])]
                wanted = max(float(self.materials.d_hat[material]), within)
                return Overlap(*crossing.rows, "", 0.0, wanted, (crossing.edge, crossing.face))
        return next(filter(None, (contact.rounded_away(at, within) for contact in self.body_contacts)), None)

    def inside(self, q: Array, moved: Bools) -> set[tuple[int, int]]:
        """Pairs of bodies that may touch, of which the first is inside the second, at q (n, 12) without overlaps.

        One of both is among the moved ones, (n,).
        """
        at = positions(self.surfaces, q)
        pairs = ((inner, outer) for i, j in self._meeting(at, moved) for inner, outer in ((i, j), (j, i)))
        return {pair for pair in pairs if _is_inside(self.surfaces, at.x, *pair)}

    def _meeting(self, at: Positions, moved: Bools | None) -> list[tuple[int, int]]:
        """Pairs of different bodies, one of them moved, that may touch and whose boxes meet, in order."""
        n = len(self._all) if self._meshes is None else self._meshes.affine
        moved = self._all if moved is None else moved
        near = near_moving(at.low[:n], at.high[:n], Allowed.of(self.materials.touching[:n, :n]), moved[:n], 0.0)
        return [(i, j) for i, j in sorted(map(sorted, near.tolist())) if i != j]


def _materials_of(pairs: Ints) -> Ints:
    """The materials among some pairs of bodies."""
    found = np.unique(pairs)
    return found[found != NO_CONTACT]


def _is_inside(surfaces: Surfaces, x: Array, inner: int, outer: int) -> bool:
    """Whether one body's surface, which does not intersect another's at x (V, 3), is inside it."""
    around, _, faces = surfaces.of_body(outer, x)
    return is_inside(surfaces.of_body(inner, x)[0], around, faces)
