"""Runs a case with the default settings, and keeps what happens."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import uipc

from benchmarks.contact_tests.bodies import Body, Surroundings, make_scene
from benchmarks.contact_tests.judge import Judge
from ipc_articulation import Engine, affine
from ipc_articulation.arrays import Array
from ipc_articulation.contact.forces import ContactForces

CONVERGED = "converged"


@dataclass(frozen=True)
class Finding:
    """A figure of a criterion, and what it may be at most."""

    what: str
    value: float
    bound: float | None = None  # None: only told

    @property
    def holds(self) -> bool:
        return self.bound is None or bool(self.value <= self.bound)


@dataclass
class History:
    """n bodies over T steps; index 0 is the start."""

    bodies: Sequence[Body]
    around: Surroundings
    masses: Array  # (n, 12, 12) of affine coordinates
    q: list[Array] = field(default_factory=list)  # (n, 12) each
    qdot: list[Array] = field(default_factory=list)  # (n, 12) each
    stored: list[float] = field(default_factory=list)  # energy of contact and shape [J]
    contacts: list[ContactForces] = field(default_factory=list)  # of each step
    results: list[str] = field(default_factory=list)
    iterations: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)  # of the processor
    intersecting: list[int] = field(default_factory=list)  # steps

    @property
    def steps(self) -> int:
        return len(self.results)

    @property
    def times(self) -> Array:
        """(T + 1,) [s]."""
        return self.around.dt * np.arange(self.steps + 1)

    @property
    def unconverged(self) -> int:
        return sum(result != CONVERGED for result in self.results)

    def positions(self, body: int) -> Array:
        """Of a body's origin, (T + 1, 3) [m]."""
        return np.array(self.q)[:, body, :3]

    def velocities(self, body: int) -> Array:
        """Of a body's origin, (T + 1, 3) [m/s]."""
        return np.array(self.qdot)[:, body, :3]

    def tilts(self, body: int) -> Array:
        """By how much each axis of a body has left its direction at the start, at most, (T + 1,)."""
        A = affine.linear_part(np.array(self.q)[:, body])
        return np.abs(A - A[0]).max(axis=(1, 2))

    def kinetic(self) -> Array:
        """½ q̇ᵀMq̇ of what moves, (T + 1,) [J]."""
        v = np.array(self.qdot)[:, self._free]
        return 0.5 * np.einsum("tni,nij,tnj->t", v, self.masses[self._free], v)

    def energies(self) -> Array:
        """½ q̇ᵀMq̇ - g·∫ρx of what moves, (T + 1,) [J]; without friction also what contact and shapes store.

        With friction, the engine's energy of contact holds what friction dissipates in the step.
        """
        moments = np.einsum("nij,tnj->ti", self.masses[self._free], np.array(self.q)[:, self._free])[:, :3]
        stored = 0.0 if self.around.has_friction else np.array(self.stored)
        return self.kinetic() - moments @ np.array(self.around.gravity) + stored

    def greatest_rise(self, curvature: float = 0.0) -> float:
        """Of the energy above its least value before, from the first step on [J].

        What is within d̂ at the start stores energy that the engine tells only after a step. On a hill of potential
        -½ m k x² (`curvature` k [1/s²], g/l of a body that topples over, l = I/(m z)) backward Euler, v' = v + h k x'
        and x' = x + h v', changes the energy by ½ m h² (k v'² - k² x'²), which is no fault of contact: at most h² k K
        in each step, K the kinetic energy, is not counted.
        """
        hill = self.around.dt**2 * curvature * np.cumsum(self.kinetic()[1:])
        E = self.energies()[1:] - hill
        return float(np.max(E - np.minimum.accumulate(E)))

    @property
    def _free(self) -> list[int]:
        return [k for k, body in enumerate(self.bodies) if not body.is_fixed]


@dataclass(frozen=True)
class Case:
    """A scene, and what must be true of it."""

    name: str  # corpus/case
    bodies: Sequence[Body]
    around: Surroundings
    steps: int
    findings: Callable[[History], list[Finding]]
    keeps_contacts: bool = False


def run(case: Case, tell: Callable[[int], None] = lambda step: None, friction_iterations: int = 1) -> History:
    """Run a case; a step may have some minimisations, each with its friction renewed."""
    scene, slots = make_scene(case.bodies, case.around)
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine("cpu", folder, friction_iterations=friction_iterations)
        world = uipc.World(engine)
        world.init(scene)
        for _ in range(case.around.settling):
            world.advance()
            world.retrieve()
        history = History(case.bodies, case.around, engine.cpu.model.context.bodies.mass)
        judge = Judge(case.bodies, case.around.ground)
        _begin(history, engine, slots)
        for step in range(1, case.steps + 1):
            began = time.process_time()
            world.advance()
            world.retrieve()
            history.seconds.append(time.process_time() - began)
            _note(history, engine, slots)
            if case.keeps_contacts:
                history.contacts.append(engine.statistics.contacts)
            if (step % judge.every == 0 or step == case.steps) and judge.intersect(
                affine.transform_from_q(history.q[-1])
            ):
                history.intersecting.append(step)
            tell(step)
    return history


def _begin(history: History, engine, slots: list) -> None:
    """Give the bodies their velocities."""
    q = _coordinates(slots, "transform")
    qdot = affine.qdot_from_twist(q, [body.velocity for body in history.bodies], np.zeros((len(q), 3)))
    engine.state_accessor.write(np.arange(len(q)), q, qdot)
    history.q.append(q)
    history.qdot.append(qdot)
    history.stored.append(0.0)


def _note(history: History, engine, slots: list) -> None:
    """What a step has come to."""
    history.q.append(_coordinates(slots, "transform"))
    history.qdot.append(_coordinates(slots, "velocity"))
    statistics = engine.statistics
    energies = statistics.energies
    kept = energies.get("contact", 0.0) + energies.get("ortho potential", 0.0)
    history.stored.append(kept / history.around.dt**2)
    history.results.append(statistics.result.value)
    history.iterations.append(statistics.newton.iterations)


def _coordinates(slots: list, name: str) -> Array:
    """Of all bodies, (n, 12)."""
    return np.stack([affine.q_from_transform(slot.geometry().instances().find(name).view()[0]) for slot in slots])
