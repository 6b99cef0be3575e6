"""ContactBench's cases and residuals, for the smooth contact of IPC.

Le Lidec, Jallet, Montaut, Laptev, Schmid and Carpentier 2024, «Contact models in robotics: a comparative analysis»
(https://github.com/Simple-Robotics/ContactBench, BSD licence), measures how far forces λ = (λₙ, λₜ) and velocities
v = (vₙ, vₜ) of contact points are from Coulomb's law with rigid bodies. Of each point on the ground, at a step's end:

    Signorini                |λₙ vₙ|                                  a force at a point that moves along the normal
    Coulomb cone             max(0, |λₜ| - μ λₙ)
    maximum dissipation      μ λₙ |vₜ| + λₜ·vₜ                        zero for friction against the slip, at the cone
    contact problem (NCP)    |λ·(v + μ |vₜ| eₙ)|                      the first and the third together

Smooth contact repels below d̂: λₙ > 0 at gaps in (0, d̂), so the complementarity λₙ ⊥ gap holds to λₙ d̂ by construction
and is no figure here. Friction has the normal forces of the step before, so that the cone of the present ones is left
while they change. So residuals are told over the whole run, and judged over its last tenth. Powers are over
m g · 1 m/s, forces over m g.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from benchmarks.contact_tests import shapes
from benchmarks.contact_tests.bodies import Body, G, Surroundings, ball
from benchmarks.contact_tests.running import Case, Finding, History
from ipc_articulation import affine
from ipc_articulation.arrays import Array
from ipc_articulation.contact.forces import ContactForces

SIDE, MASS, MU = 0.2, 1.0, 0.4  # of the cube [m], [kg]
RAMP, TOP = 4.0 * G, 1.8 * G  # of the force that drags it [N/s], [N]
LIFT = 10.0  # [N], a little more than the weight of 1 kg
LIGHT, HEAVY, MU_FLOOR, MU_CUBES = 1e-3, 1e3, 0.9, 0.95  # two cubes [kg]


def cases() -> Iterator[Case]:
    """All of them, in their steps of 1 ms."""
    cube, low = shapes.box(SIDE, SIDE, SIDE), SIDE / 2 + 8e-4
    turned = Rotation.random(random_state=1234).as_matrix()
    tossed = Body("cube", cube, (0.0, 0.0, SIDE), turned, mass=MASS)
    yield _case("cube falls", [tossed], 1500, lambda h: [*comes_to_rest(h), *residuals_of(h, MU)])
    dragged = Body("cube", cube, (0.0, 0.0, low), mass=MASS, force=drag)
    slides = Body("cube", cube, (0.0, 0.0, low), mass=MASS, velocity=(0.0, 1.0, 0.0))
    for name, body, steps, of_the_motion in (
        ("cube is dragged", dragged, 500, sticks_then_slides),
        ("cube slides", slides, 600, stops),
    ):
        yield _case(name, [body], steps, lambda h, of=of_the_motion: [*of(h), *residuals_of(h, MU)], settling=1000)
    lifted = ball("ball", SIDE / 2, MASS, (0.0, 0.0, low), force=lambda t: (0.0, 0.0, LIFT))
    yield _case("ball is lifted", [lifted], 400, lifts_off, settling=1000)
    yield two_cubes(dt=0.001, seconds=1.0)
    yield two_cubes(dt=0.01, seconds=2.0)


def two_cubes(dt: float, seconds: float) -> Case:
    """1 g under 1 t, which falls 8 mm onto it; 10 ms are the package's own step."""
    cube = shapes.box(SIDE, SIDE, SIDE)
    bodies = [
        Body("light", cube, (0.0, 0.0, SIDE / 2 + SIDE / 50), mass=LIGHT),
        Body("heavy", cube, (0.0, 0.0, 1.5 * SIDE + 3.0 * SIDE / 50), mass=HEAVY, material="heavy"),
    ]
    pairs = {("", "heavy"): MU_CUBES}
    around = {"friction": MU_FLOOR, "pairs": pairs, "dt": dt}
    return _case(f"two cubes, {1e3 * dt:g} ms", bodies, round(seconds / dt), bears_the_heavy_one, **around)


def drag(t: float) -> tuple[float, float, float]:
    """Along y, growing to 1.8 m g."""
    return (0.0, min(TOP, RAMP * t), 0.0)


def _case(name: str, bodies: list[Body], steps: int, findings: Callable[[History], list[Finding]], **around) -> Case:
    around = {"dt": 0.001, "friction": MU, **around}
    return Case(f"contactbench/{name}", bodies, Surroundings(**around), steps, findings, keeps_contacts=True)


class Residuals(NamedTuple):
    """The greatest of all points on the ground, step by step, (T,) each."""

    signorini: Array  # [W]
    cone: Array  # [N]
    dissipation: Array  # [W]
    ncp: Array  # [W]


def residuals(history: History, mu: float) -> Residuals:
    """Of the first body on the ground."""
    steps = zip(history.contacts, history.q[:-1], history.q[1:], strict=True)
    rows = [_of_step(contacts, before[0], now[0], mu, history.around.dt) for contacts, before, now in steps]
    return Residuals(*np.array(rows).T)


def _of_step(contacts: ContactForces, before: Array, now: Array, mu: float, dt: float) -> tuple[float, ...]:
    x = contacts.points
    if not len(x):
        return (0.0,) * 4
    A = affine.linear_part(now)
    local = np.linalg.solve(A, (x - now[:3]).T).T
    v, n = (x - affine.world_points(before, local)) / dt, contacts.normals
    vn = np.einsum("ki,ki->k", v, n)
    vt, lt = v - vn[:, None] * n, contacts.friction_forces
    ln, slip = np.einsum("ki,ki->k", contacts.normal_forces, n), np.linalg.norm(vt, axis=1)
    dissipation = mu * ln * slip + np.einsum("ki,ki->k", lt, vt)
    cone = np.maximum(0.0, np.linalg.norm(lt, axis=1) - mu * ln)
    each = np.abs(ln * vn), cone, np.abs(dissipation), np.abs(ln * vn + dissipation)
    return tuple(float(values.max()) for values in each)


def residuals_of(history: History, mu: float) -> list[Finding]:
    """At most in the run, and in its last tenth."""
    weight, last, found = MASS * G, history.steps // 10, []
    for name, values in residuals(history, mu)._asdict().items():
        found.append(Finding(f"{name}, at most", float(values.max()) / weight))
        found.append(Finding(f"{name}, last tenth", float(values[-last:].max()) / weight, 1e-3))
    return found


def comes_to_rest(history: History) -> list[Finding]:
    """On a face: one axis upright, its centre at half a side above the ground and less than d̂."""
    q, gap = history.q[-1][0], float(history.q[-1][0, 2]) - SIDE / 2
    return [
        Finding("speed at the end [m/s]", float(np.linalg.norm(history.qdot[-1][0, :3])), 1e-6),
        Finding("height outside (0, d̂) [m]", max(-gap, gap - history.around.d_hat), 0.0),
        Finding("no face is down, 1 - cos", 1.0 - float(np.abs(affine.linear_part(q)[2]).max()), 1e-5),
        Finding("energy gained / m g d̂", history.greatest_rise() / (MASS * G * history.around.d_hat), 1.0),
    ]


def sticks_then_slides(history: History) -> list[Finding]:
    """Below the cone nothing moves by more than the stretch of an anchor, δ = d̂/1000; then m a = F - μ m g, by steps:
    v' = v + dt max(0, F' - μ m g)/m.
    """
    y, v, t, dt = foot(history)[:, 1], history.velocities(0)[:, 1], history.times, history.around.dt
    F = np.minimum(TOP, RAMP * t)
    expected = dt * np.cumsum(np.maximum(0.0, F - MU * MASS * G)) / MASS
    below = F < 0.99 * MU * MASS * G
    return [
        Finding("way below the cone / δ", float(np.abs(y[below] - y[0]).max() / (1e-3 * history.around.d_hat)), 1.0),
        Finding("velocity, error at most [m/s]", float(np.abs(v - expected).max()), 0.01 * float(expected[-1])),
        Finding("sideways velocity [m/s]", float(np.abs(history.velocities(0)[:, 0]).max()), 1e-6),
    ]


def stops(history: History) -> list[Finding]:
    """vₖ = v - k μ g dt, so after v²/(2μg) - v dt/2; then it stands."""
    y, v, t = foot(history)[:, 1], history.velocities(0)[:, 1], history.times
    expected = np.maximum(0.0, v[0] - MU * G * t)
    way = v[0] ** 2 / (2.0 * MU * G) - 0.5 * v[0] * history.around.dt
    return [
        Finding("velocity, error at most [m/s]", float(np.abs(v - expected).max()), 0.01),
        Finding("way until it stands, relative error", abs(float(y[-1] - y[0]) / way - 1.0), 0.01),
        Finding("speed of the foot at the end [m/s]", float(np.abs(y[-1] - y[-2]) / history.around.dt), 1e-6),
    ]


def foot(history: History) -> Array:
    """The middle of the lower face, (T + 1, 3) [m]: the centre moves when the cube tilts on its barriers."""
    return affine.world_points(np.array(history.q)[:, 0], np.array([[0.0, 0.0, -SIDE / 2]]))[:, 0]


def lifts_off(history: History) -> list[Finding]:
    """It rises by (F - m g)/m, and besides by no more than what the barrier gives back, √(2 g d̂)."""
    v, a = history.velocities(0)[:, 2], LIFT / MASS - G
    given = np.sqrt(2.0 * G * history.around.d_hat)
    extra = v - a * history.times
    return [
        Finding("velocity missing, at most [m/s]", float(max(0.0, -extra.min())), 1e-9),
        Finding("velocity gained / √(2 g d̂)", float(extra.max() / given), 1.0),
        Finding("force at the end [N]", float(np.abs(history.contacts[-1].forces).sum()), 0.0),
    ]


def bears_the_heavy_one(history: History) -> list[Finding]:
    """The ground bears both, the light cube is not crushed, and nothing goes sideways."""
    last = history.contacts[-1]
    on_ground = last.bodies[:, 1] == 2
    up, both = float(last.normal_forces[on_ground, 2].sum()), (LIGHT + HEAVY) * G
    q, E = history.q[-1], history.energies() / (HEAVY * G * history.around.d_hat)
    heights = history.positions(1)[:, 2]
    lowest = int(np.argmin(heights[: len(heights) // 4]))
    return [
        Finding("energy above that of the start / m g d̂", float(E.max() - E[0]), 0.1),
        Finding("height of a bounce above the start [m]", float(heights[lowest:].max() - heights[0]), 0.0),
        Finding("force of the ground - weight, relative", abs(up / both - 1.0), 1e-3),
        Finding("strain of the light cube", float(np.abs(affine.linear_part(q[0]) - np.eye(3)).max()), 1e-3),
        Finding("sideways way [m]", float(np.abs(q[:, :2]).max()), 1e-4),
        Finding("speed at the end [m/s]", float(np.abs(history.qdot[-1][:, :3]).max()), 1e-3),
    ]
