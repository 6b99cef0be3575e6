"""What the judge sees, and the figures that the corpora make of a run."""

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

from benchmarks.contact_tests import contactbench, erleben, shapes, simbenchmark
from benchmarks.contact_tests.__main__ import cases
from benchmarks.contact_tests.bodies import Body, G, Surroundings, ball
from benchmarks.contact_tests.judge import Judge, penetration
from benchmarks.contact_tests.running import Case, Finding, History
from benchmarks.contact_tests.table import page, rows, summary, verdict_of
from ipc_articulation import affine
from ipc_articulation.contact.forces import ContactForces

DT = 0.01


def placed(*positions):
    T = np.tile(np.eye(4), (len(positions), 1, 1))
    T[:, :3, 3] = positions
    return T


@pytest.mark.parametrize(
    ("positions", "expected"),
    [
        ([(0, 0, 0.6), (0.99, 0, 0.6), (5, 5, 1)], True),  # cubes
        ([(0, 0, 0.6), (1.01, 0, 0.6), (5, 5, 1)], False),
        ([(0, 0, 0.499), (3, 0, 1), (5, 5, 1)], True),  # a cube and the ground
        ([(0, 0, 0.6), (3, 0, 1), (5, 5, 0.099)], True),  # a ball and the ground
    ],
)
def test_intersections_are_seen(positions, expected):
    cube = trimesh.creation.box((1, 1, 1))
    judge = Judge([Body("a", cube), Body("b", cube), ball("c", 0.1, 1.0, (0, 0, 0))], has_ground=True)
    assert judge.intersect(placed(*positions)) is expected


def test_penetration_is_the_sum_of_squares():
    x, r = np.array([(0, 0, 0.1), (0.15, 0, 0.1), (2, 0, 0.07)]), np.full(3, 0.1)
    assert penetration(x, r) == pytest.approx(0.05**2 + 0.03**2)


@pytest.mark.parametrize(
    "mesh",
    [
        shapes.spike(),
        shapes.wedge(),
        shapes.cliff(),
        shapes.crack(),
        shapes.hole(),
        shapes.internal_edges(4.0, 5),
        shapes.slab(2.0),
    ],
)
def test_shapes_are_solids(mesh):
    assert mesh.is_watertight
    assert mesh.is_winding_consistent
    assert mesh.volume > 0.0


@pytest.mark.parametrize(("mesh", "volume"), [(shapes.spike(), 1.0), (shapes.crack(), 7.0), (shapes.hole(), 4 - 1 / 6)])
def test_volumes_are_those_of_the_formulas(mesh, volume):
    assert mesh.volume == pytest.approx(volume)


def history_of(q, qdot=None, mu=0.0, gravity=G, stored=None, **around):
    """Of one body of 2 kg with inertia, whose positions (T + 1, 3) are given."""
    mesh = trimesh.creation.box((0.2, 0.2, 0.2))
    surroundings = Surroundings(dt=DT, friction=mu, gravity=(0.0, 0.0, -gravity), **around)
    M = affine.mass_matrix(2.0, np.zeros(3), 0.01 * np.eye(3))[None]
    full = np.zeros((len(q), 1, 12))
    full[:, 0, :3], full[:, 0, 3:] = q, np.eye(3).ravel()
    rates = np.zeros_like(full)
    if qdot is not None:
        rates[:, 0, :3] = qdot
    steps = len(q) - 1
    kept = [0.0] * (steps + 1) if stored is None else stored
    figures = {"results": ["converged"] * steps, "iterations": [3] * steps, "seconds": [0.001] * steps}
    return History([Body("a", mesh, mass=2.0)], surroundings, M, list(full), list(rates), kept, **figures)


def test_energy_is_that_of_motion_and_height_and_of_contact_without_friction():
    q, v = np.array([(0, 0, 1.0), (0, 0, 0.5)]), np.array([(0, 0, 0.0), (3.0, 0, 0)])
    np.testing.assert_allclose(history_of(q, v, stored=[0.0, 0.25]).energies(), [2 * G, 9 + G + 0.25])
    np.testing.assert_allclose(history_of(q, v, mu=0.1, stored=[0.0, 0.25]).energies(), [2 * G, 9 + G])


def test_the_greatest_rise_is_above_the_least_value_before_and_without_the_start():
    q = np.zeros((6, 3))
    q[:, 2] = np.array([0.0, 5.0, 3.0, 4.0, 2.0, 2.5]) / (2 * G)
    assert history_of(q).greatest_rise() == pytest.approx(1.0)


def test_on_a_hill_backward_euler_gains_what_is_not_counted():
    """An inverted pendulum that just passes its top: v' = v + h k x', x' = x + h v'; m g z = -½ m k x²."""
    k, x, v = 4.0, [-0.5], [1.1]
    for _ in range(120):
        v.append((v[-1] + DT * k * x[-1]) / (1.0 - DT**2 * k))
        x.append(x[-1] + DT * v[-1])
    x, v = np.array(x), np.array(v)
    z, zero = -0.5 * k * x**2 / G, np.zeros_like(x)
    history = history_of(np.column_stack([zero, zero, z]), np.column_stack([v, zero, zero]))
    assert history.greatest_rise() > 1e-3
    assert history.greatest_rise(k) == 0.0


def test_a_spike_on_its_tip_topples_as_a_pendulum():
    """Pyramid of height h and side a: z = 3h/4 and I/m = 3h²/5 + a²/20 about the tip."""
    h, a = 3.0, 1.0
    history = history_of(np.zeros((3, 3)))
    M = np.zeros((12, 12))
    M[0, 0], M[0, 5], M[3, 3], M[5, 5] = 1000.0, 750.0 * h, 50.0 * a**2, 600.0 * h**2
    seen = []
    history.masses, history.greatest_rise = M[None], lambda curvature: seen.append(curvature) or 0.0
    erleben.topples(history)
    assert seen == [pytest.approx(G * 0.75 * h / (0.6 * h**2 + a**2 / 20))]


@pytest.mark.parametrize("balls", [0, 1, 25])
def test_the_plate_and_its_balls_obey_newton_and_euler(balls):
    """F - f₁ - n f₂ = M a₁, f₂ = m a₂, and without slip a₁ = a₂ + r α, 2/5 m r² α = r f₂."""
    a1, a2 = simbenchmark.accelerations(balls)
    f1, f2 = 0.4 * (10 + balls) * G, a2
    assert 150.0 - f1 - balls * f2 == pytest.approx(10.0 * a1)
    assert a1 == pytest.approx(a2 + f2 / 0.4)


def sliding(speed, normal, friction):
    """A run of one step in which a point on the ground slides along x, with these forces [N]."""
    history = history_of([(0, 0, 0.1), (speed * DT, 0, 0.1)], mu=0.4)
    no, up = np.zeros((1, 3)), np.array([[0.0, 0.0, 1.0]])
    x = np.array([[0.05 + speed * DT, 0.0, 0.0]])
    forces = (normal * up, np.array([friction], dtype=float))
    history.contacts = [ContactForces(x, x, up, *forces, no, np.zeros(1), np.array([[0, 1]]))]
    return contactbench.residuals(history, 0.4)


@pytest.mark.parametrize(
    ("speed", "normal", "friction", "expected"),
    [
        (0.0, 20.0, (-8.0, 0, 0), (0, 0, 0, 0)),  # it sticks, at the cone
        (0.5, 20.0, (-8.0, 0, 0), (0, 0, 0, 0)),  # it slides by the law
        (0.5, 20.0, (-6.0, 0, 0), (0, 0, 1.0, 1.0)),  # too little
        (0.5, 20.0, (0.0, -8.0, 0), (0, 0, 4.0, 4.0)),  # in a wrong direction
        (0.5, 20.0, (-9.0, 0, 0), (0, 1.0, 0.5, 0.5)),  # beyond the cone
    ],
)
def test_residuals_are_those_of_coulomb_s_law(speed, normal, friction, expected):
    np.testing.assert_allclose(np.concatenate(sliding(speed, normal, friction)), expected, atol=1e-9)


def test_signorini_sees_a_force_at_a_point_that_leaves():
    history = history_of([(0, 0, 0.1), (0, 0, 0.1 + 2.0 * DT)], mu=0.4)
    no, up, x = np.zeros((1, 3)), np.array([[0.0, 0.0, 1.0]]), np.array([[0.0, 0.0, 2.0 * DT]])
    history.contacts = [ContactForces(x, x, up, 5.0 * up, no, no, np.zeros(1), np.array([[0, 1]]))]
    found = contactbench.residuals(history, 0.4)
    assert (found.signorini[0], found.ncp[0]) == pytest.approx((10.0, 10.0))


def test_a_verdict_fails_by_any_finding_intersection_or_step():
    history = history_of(np.zeros((3, 3)))
    bodies, around = history.bodies, history.around
    case = Case("a/b", bodies, around, 2, lambda h: [Finding("way", 0.5, 1.0), Finding("speed", 2.0)])
    good = verdict_of(case, history)
    assert good.holds
    assert [row[6:] for row in rows(good)] == [("way", "0.5", "1", ""), ("speed", "2", "", "")]
    history.intersecting, history.results = [2], ["converged", "max iterations"]
    bad = verdict_of(case, history)
    assert not bad.holds
    assert [row[6:] for row in rows(bad)][:2] == [
        ("steps with intersections", "1", "0", "fails"),
        ("steps without convergence", "1", "0", "fails"),
    ]
    assert "1 cases meet their criteria; those that do not: a/b." in summary([good, bad])
    assert sum(line.startswith("| ") for line in page([good, bad])) == 1 + 2 + 4


def test_cases_are_chosen_by_name():
    every, quick = cases([""], False), cases([""], True)
    assert len({case.name for case in every}) == len(every) > len(quick) > 20
    assert [case.name for case in cases(["in its own"], False)] == [
        "erleben/wedge in its own crack",
        "erleben/wedge in its own crack/friction",
    ]


def test_turned_bodies_start_as_they_are_turned():
    R = Rotation.from_rotvec((0.1, 0.2, 0.3)).as_matrix()
    T = Body("a", trimesh.creation.box((1, 1, 1)), (1.0, 2.0, 3.0), R).transform
    np.testing.assert_array_equal(T[:3, :3], R)
    np.testing.assert_array_equal(T[:, 3], (1.0, 2.0, 3.0, 1.0))
