"""Erleben's degenerate cases, by rigid-ipc's shapes and starts, beside what mechanics says of them.

Erleben 2018, «Methodology for assessing mesh-based contact point methods» (ACM Transactions on Graphics 37, 3), asks
whether contact points are plausible: nothing passes through, nothing is caught or thrown about, what should stand
stands. The starts of the ten cases are the fixtures of rigid-ipc (Ferguson et al. 2021), which are without friction;
their pushes of 1 to 10 N on bodies of a tonne and more are left out. The cases with another body's name after a slash
are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.contact_tests import shapes
from benchmarks.contact_tests.bodies import REST, Body, G, Surroundings
from benchmarks.contact_tests.running import Case, Finding, History
from ipc_articulation.arrays import Array

UPSIDE_DOWN = np.diag([1.0, -1.0, -1.0])
CUBE = shapes.box(1.0, 1.0, 1.0)
Findings = Callable[[History], list[Finding]]


def cases() -> Iterator[Case]:
    """All of them; the first body is the one that moves."""
    spike, wedge, crack, hole = shapes.spike(), shapes.wedge(), shapes.crack(), shapes.hole()
    for name, above, below in (
        ("spikes", spike, spike),
        ("spike and wedge", spike, wedge),
        ("wedges", wedge, wedge),
    ):
        lower = Body("below", below, rotation=UPSIDE_DOWN, is_fixed=True)
        yield _case(name, [Body("above", above, (0.0, 0.0, 1e-4)), lower], 125, topples)
    for name, above, below, gap, steps in (
        ("spike in crack", spike, crack, 1e-4, 200),
        ("spike in hole", spike, hole, 1e-4, 200),
        ("wedge in crack", wedge, crack, 1e-3, 300),
    ):
        upper = Body("above", above, (0.0, 0.0, gap), velocity=(1.0, 0.0, 0.0))
        yield _case(name, [upper, _fixed(below)], steps, topples)
        yield _case(f"{name}/friction", [upper, _fixed(below)], steps, topples, friction=0.5)
    for name, above, sign in (("sliding spike", spike, 1.0), ("sliding wedge", wedge, -1.0)):
        upper = Body("above", above, (-4.9 * sign, 0.0, 1e-4), velocity=(10.0 * sign, 0.0, 0.0))
        yield _case(name, [upper, _fixed(shapes.slab(20.0))], 100, keeps_its_velocity(1e-9, 1e-4), gravity=REST)
    yield from _edges()
    yield from _conforming()


def _edges() -> Iterator[Case]:
    dropped = Body("cube", CUBE, (0.0, 0.0, 0.55))
    yield _case("cliff edges", [dropped, _fixed(shapes.cliff())], 250, stands(1e-6, 1e-4), contacts=True)
    for share, findings in ((0.45, stands(1e-4, 1e-3)), (0.55, falls)):
        beyond = Body("cube", CUBE, (share, 0.0, 0.501))
        bodies = [beyond, _fixed(shapes.cliff())]
        yield _case(f"cliff edges/{share:.0%} beyond", bodies, 100, findings, friction=0.5, contacts=True)
    tiled = _fixed(shapes.internal_edges(2.0, 4))
    yield _case("internal edges", [dropped, tiled], 250, stands(1e-3, 1e-3), contacts=True)
    yield _case("internal edges/friction", [dropped, tiled], 250, stands(1e-3, 1e-3), friction=0.5, contacts=True)
    wide = _fixed(shapes.internal_edges(8.0, 17))
    pushed = Body("cube", CUBE, (-1.0, 0.03, 0.5005), velocity=(1.0, 0.0, 0.0))
    slides = keeps_its_velocity(0.02, 0.02)  # more or fewer points bear it from edge to edge: it rises, sinks, leans
    yield _case("internal edges/slide", [pushed, wide], 200, slides, settling=100)
    yield _case("internal edges/brake", [pushed, wide], 80, stops(0.2), settling=100, friction=0.2)


def _conforming() -> Iterator[Case]:
    """A wedge in a crack of its own angle: whole faces in contact, edges parallel."""
    fitting = shapes.wedge(0.4, 0.4, 2.0)
    for name, friction in (("wedge in its own crack", 0.0), ("wedge in its own crack/friction", 0.5)):
        bodies = [Body("wedge", fitting, (0.0, 0.0, 0.001)), _fixed(shapes.crack())]
        yield _case(name, bodies, 200, fits, friction=friction, contacts=True)


def _fixed(mesh) -> Body:
    return Body("below", mesh, is_fixed=True)


def _case(name: str, bodies: list[Body], steps: int, findings: Findings, contacts: bool = False, **around) -> Case:
    around = {"friction": 0.0, "ground": False, **around}
    return Case(f"erleben/{name}", bodies, Surroundings(**around), steps, findings, keeps_contacts=contacts)


def weight(history: History) -> float:
    """Of the body that moves [N]."""
    return float(history.masses[0][0, 0]) * G


def gains_nothing(history: History, curvature: float = 0.0) -> list[Finding]:
    """Energy never rises by more than m g d̂: what contact stores is of that order."""
    rise = history.greatest_rise(curvature)
    return [Finding("energy gained / m g d̂", rise / (weight(history) * history.around.d_hat), 1.0)]


def topples(history: History) -> list[Finding]:
    """A spike or wedge on its tip stands on a hill of potential, k = g z / (I/m) of the centre of mass at height z."""
    M = history.masses[0]
    per_mass = float(M[3, 3] + M[5, 5]) / float(M[0, 0])  # ∫ρ(x² + z²)/m: it falls along x
    return gains_nothing(history, G * float(M[0, 5] / M[0, 0]) / per_mass)


def keeps_its_velocity(speed: float, tilt: float) -> Findings:
    """Without friction, v along the plane is constant; the body does not turn."""

    def findings(history: History) -> list[Finding]:
        v = history.velocities(0)[:, :2]
        change = np.linalg.norm(v - v[0], axis=1).max() / np.linalg.norm(v[0])
        return [
            Finding("change of sliding velocity, relative", float(change), speed),
            Finding("tilt", float(history.tilts(0).max()), tilt),
            *gains_nothing(history),
        ]

    return findings


def stands(way: float, tilt: float) -> Findings:
    """It comes to rest where it is put, within d̂ above the surface, and the forces of contact are its weight."""

    def findings(history: History) -> list[Finding]:
        x, up = history.positions(0), forces_on_the_first(history)[:, 2].sum()
        gap = float(x[-1, 2]) - 0.5
        return [
            Finding("sideways way [m]", float(np.linalg.norm((x - x[0])[:, :2], axis=1).max()), way),
            Finding("tilt", float(history.tilts(0)[-1]), tilt),
            Finding("height outside (0, d̂) [m]", float(max(-gap, gap - history.around.d_hat)), 0.0),
            Finding("force of contact - weight, relative", abs(float(up) / weight(history) - 1.0), 1e-3),
            *gains_nothing(history),
        ]

    return findings


def falls(history: History) -> list[Finding]:
    """It has left its start by half a metre."""
    way = float(np.linalg.norm(history.positions(0)[-1] - history.positions(0)[0]))
    return [Finding("half a metre less the way it fell [m]", 0.5 - way, 0.0), *gains_nothing(history)]


def stops(mu: float) -> Findings:
    """Its way is v²/(2μg), less v dt/2 by backward Euler, vₖ = v - k μ g dt."""

    def findings(history: History) -> list[Finding]:
        x, v, dt = history.positions(0), history.velocities(0), history.around.dt
        expected = v[0, 0] ** 2 / (2.0 * mu * G) - 0.5 * v[0, 0] * dt
        return [
            Finding("way until it stands, relative error", abs(float(x[-1, 0] - x[0, 0]) / expected - 1.0), 0.01),
            Finding("speed at the end [m/s]", float(np.linalg.norm(v[-1, :3])), 1e-6),
            Finding("tilt", float(history.tilts(0).max()), 0.01),
            *gains_nothing(history),
        ]

    return findings


def fits(history: History) -> list[Finding]:
    """The forces of contact are its weight, and both flanks push sideways alike; it stays where it is."""
    F, x = forces_on_the_first(history), history.positions(0)
    to_the_right = float(F[F[:, 0] > 0.0, 0].sum())
    return [
        Finding("sideways way [m]", float(np.linalg.norm((x - x[0])[:, :2], axis=1).max()), 1e-3),
        Finding("force of contact - weight, relative", abs(float(F[:, 2].sum()) / weight(history) - 1.0), 1e-3),
        Finding("sideways forces, relative difference", abs(float(F[:, 0].sum())) / to_the_right, 1e-3),
        *gains_nothing(history),
    ]


def forces_on_the_first(history: History) -> Array:
    """Of barrier and friction at the end, contact by contact, (k, 3) [N]."""
    contacts = history.contacts[-1]
    return contacts.forces * np.where(contacts.bodies[:, :1] == 0, 1.0, -1.0)
