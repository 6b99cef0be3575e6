"""SimBenchmark's tests of contact: rolling, 666 and bouncing, with its criteria.

Kang and Hwangbo 2018, «SimBenchmark: physics engine benchmark for robotics applications»,
https://leggedrobotics.github.io/SimBenchmark. The figures of other engines are those of its repository,
`data/*/sample.csv`. Its tests of elastic collisions ask for a restitution of 1; IPC has no such parameter, and backward
Euler dissipates what a barrier takes up, so `bouncing` runs with the other known solution, restitution 0: what height
is left, and that all balls do the same. Balls without friction are exact; those that roll are polyhedra.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import trimesh
from scipy.spatial.transform import Rotation

from benchmarks.contact_tests.bodies import Body, G, Surroundings, ball
from benchmarks.contact_tests.judge import penetration
from benchmarks.contact_tests.running import Case, Finding, History
from ipc_articulation import affine
from ipc_articulation.arrays import Array

FORCE, BOX_MASS, BALL_MASS = 150.0, 10.0, 1.0  # of the rolling test [N], [kg]
MU_GROUND, MU_BALL = 0.4, 0.8  # of the box on the ground, of balls on the box
DIRECTIONS = {"y": (0.0, 1.0), "xy": (0.5, 0.866025403784439)}
R_ROLLING = 0.5  # of the balls of the rolling test [m]
R_PILE, M_PILE = 0.1, 10.0  # of the balls of 666 and bouncing [m], [kg]


def cases() -> Iterator[Case]:
    """All of them."""
    yield rolling("xy", 5, dt=0.001, seconds=4.0)
    yield rolling("y", 5, dt=0.01, seconds=4.0)
    yield pile(6, dt=0.01, seconds=10.0)
    yield pile(6, dt=0.001, seconds=2.0)
    yield bouncing(7, dt=0.01, seconds=3.0)
    yield bouncing(7, dt=0.001, seconds=3.0)


def rolling(direction: str, side: int, dt: float, seconds: float, subdivisions: int = 4) -> Case:
    """A plate of 20 x 20 x 1 m on the ground with side x side balls on it is pushed by 150 N."""
    mesh, d_hat = trimesh.creation.icosphere(subdivisions, R_ROLLING), 1e-3
    along = np.array([*DIRECTIONS[direction], 0.0])
    push = tuple(FORCE * along)
    plate = trimesh.creation.box((20.0, 20.0, 1.0))
    bodies = [Body("box", plate, (0, 0, 0.5 + 0.5 * d_hat), mass=BOX_MASS, material="box", force=lambda t: push)]
    for k in range(side * side):
        i, j = divmod(k, side)
        place = (2.0 * i - side + 1.0, 2.0 * j - side + 1.0, 1.5 + 1.2 * d_hat)
        turned = Rotation.random(random_state=k).as_matrix()
        bodies.append(Body(f"ball {k}", mesh, place, turned, mass=BALL_MASS, material="ball"))
    pairs = {("", "box"): MU_GROUND, ("box", "ball"): MU_BALL}
    around = Surroundings(dt=dt, d_hat=d_hat, pairs=pairs, settling=round(1.0 / dt))
    name = f"simbenchmark/rolling {direction}, {side * side} balls, {1e3 * dt:g} ms"
    return Case(name, bodies, around, round(seconds / dt), lambda history: rolls(history, along))


def accelerations(balls: int) -> tuple[float, float]:
    """Of box and balls [m/s²], balls that roll without slip: f₁ = μ₁ (M + n m) g on the ground; on each ball f₂ = m a₂,
    and 7/2 a₂ = a₁ for solid ones, M a₁ = F - f₁ - n f₂.
    """
    f1 = MU_GROUND * (BOX_MASS + balls * BALL_MASS) * G
    a1 = (FORCE - f1) / (BOX_MASS + balls * BALL_MASS / 3.5)
    return a1, a1 / 3.5


def rolls(history: History, along: Array) -> list[Finding]:
    """SimBenchmark's error, the mean of the squared errors of the velocities of the box and of one ball, and its parts.

    Judged is what contact must do: the ground takes f₁ from the whole, M v₁ + m Σ v₂ = (F - f₁) t, whatever the balls
    do; no ball slips, v₁ - v₂ = r ω; the way goes where the force points. Told is how the balls roll: as polyhedra.
    """
    n, t = len(history.bodies) - 1, history.times
    a1, a2 = accelerations(n)
    velocities = np.array(history.qdot)[:, :, :3]
    error = (velocities[:, 0] - np.outer(a1 * t, along), velocities[:, 1] - np.outer(a2 * t, along))
    squared = float(np.mean(sum((part**2).sum(axis=1) for part in error)))
    box, balls = float(velocities[-1, 0] @ along), velocities[-1, 1:] @ along
    _, omega = affine.twist_from_qdot(history.q[-1][1:], history.qdot[-1][1:])
    turning = R_ROLLING * (omega @ (along[1], -along[0], 0.0))  # about the horizontal axis across the way
    momentum = BOX_MASS * box + BALL_MASS * balls.sum()
    pushed = (BOX_MASS * a1 + n * BALL_MASS * a2) * t[-1]
    way = (history.positions(0)[-1] - history.positions(0)[0])[:2]
    across = float(way @ (along[1], -along[0]))
    return [
        Finding("squared error of velocities [m²/s²]", squared),
        Finding("speed of the box at the end / analytic", float(box / (a1 * t[-1]))),
        Finding("mean speed of the balls at the end / analytic", float(balls.mean() / (a2 * t[-1]))),
        Finding("momentum of all at the end, relative error", abs(float(momentum / pushed) - 1.0), 5e-3),
        Finding(
            "slip of a ball at the end, relative", float(np.abs((box - balls - turning) / (box - balls)).max()), 1e-2
        ),
        Finding("angle between way and force [rad]", abs(across) / float(np.linalg.norm(way)), 1e-3),
    ]


def pile(side: int, dt: float, seconds: float, seed: int = 42) -> Case:
    """A cube of balls without friction, 1 cm apart and a little displaced, falls 1 mm and flows apart."""
    rng, d_hat = np.random.default_rng(seed), 1e-3
    bodies = []
    for k in range(side**3):
        i, j, up = np.unravel_index(k, (side,) * 3)
        place = 0.21 * np.array([i, j, up]) + 1e-3 * rng.random(3) + (0.0, 0.0, 0.101)
        bodies.append(ball(f"ball {k}", R_PILE, M_PILE, tuple(place)))
    around = Surroundings(dt=dt, d_hat=d_hat, friction=0.0)
    return Case(f"simbenchmark/{side}{side}{side}, {1e3 * dt:g} ms", bodies, around, round(seconds / dt), collapses)


def collapses(history: History) -> list[Finding]:
    """SimBenchmark's error is penetration; besides, energy may not rise, nor anything but gravity act along z."""
    x, E, radii = np.array(history.q)[:, :, :3], history.energies(), np.full(len(history.bodies), R_PILE)
    sideways = np.array(history.qdot)[:, :, :2].sum(axis=1)
    return [
        Finding("mean of squared penetrations [m²]", float(np.mean([penetration(step, radii) for step in x])), 0.0),
        Finding("energy gained / Σ m g d̂", gained(history), 1.0),
        Finding("energy at the end / at the start", float(E[-1] / E[0])),
        Finding("sideways momentum / m, at most [m/s]", float(np.abs(sideways).max()), 1e-6),
    ]


def gained(history: History) -> float:
    """The greatest rise of the energy, over m g d̂ of all balls together."""
    return history.greatest_rise() / (len(history.bodies) * M_PILE * G * history.around.d_hat)


def bouncing(side: int, dt: float, seconds: float) -> Case:
    """side x side balls, 2 m apart, fall from 5 m."""
    grid = [divmod(k, side) for k in range(side * side)]
    bodies = [ball(f"ball {k}", R_PILE, M_PILE, (2.0 * i, 2.0 * j, 5.0)) for k, (i, j) in enumerate(grid)]
    around = Surroundings(dt=dt, friction=0.0)
    return Case(f"simbenchmark/bouncing, {1e3 * dt:g} ms", bodies, around, round(seconds / dt), bounces)


def bounces(history: History) -> list[Finding]:
    """Restitution 0: a ball stays on the ground; its fall is that of backward Euler, z = z₀ - g t (t + dt)/2."""
    z, t, dt = np.array(history.q)[:, :, 2], history.times, history.around.dt
    falling = z[:, 0] > R_PILE + 0.1
    falling[np.argmin(falling) :] = False
    error = z[falling, 0] - (5.0 - 0.5 * G * t * (t + dt))[falling]
    landed = int(np.argmax(z[:, 0] < R_PILE + history.around.d_hat))
    height = float((z[landed:, 0] - R_PILE).max())
    return [
        Finding("error of the fall [m]", float(np.abs(error).max()), 1e-9),
        Finding("height of the first bounce [m]", height),
        Finding("restitution, from that height", float(np.sqrt(height / (5.0 - R_PILE)))),
        Finding("difference between the balls [m]", float(np.ptp(z, axis=1).max()), 1e-9),
        Finding("energy gained / Σ m g d̂", gained(history), 1.0),
        Finding("height at the end above d̂ [m]", float(z[-1].max() - R_PILE - history.around.d_hat), 0.0),
    ]
