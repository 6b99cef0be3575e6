"""Laws of every loop constraint, and the Tello differentials' published values."""

import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation.dynamics.loops import tello_hip, tello_knee_ankle
from tests.dynamics.by_hand import assert_near
from tests.dynamics.loops.by_clusters import slope


def loops_and_states(robots):
    """Each loop with its position and velocity."""
    for robot, some in robots:
        for x, y_dot, y_ddot, *_ in some:
            for loop in robot.model.loops:
                yield loop.constraint, x[loop.x], y_dot[loop.y], y_ddot[loop.y]


@pytest.mark.slow
def test_explicit_and_implicit_forms_agree(robots):
    """K G = 0, K g = k; on the manifold φ = 0, K v = 0, K v̇ = k."""
    for constraint, x, y_dot, y_ddot in loops_and_states(robots):
        q, G, g = constraint.spanning(x), constraint.G(x), constraint.g(x, y_dot)
        v = G @ y_dot
        K, k = constraint.K(q), constraint.k(q, v)
        assert_near(K @ G, np.zeros((constraint.size - constraint.ndof, constraint.ndof)), 1e-10)
        assert_near(K @ g, k, 1e-10)
        assert_near(constraint.phi(q), np.zeros(len(K)), 1e-8)
        assert_near(K @ v, np.zeros(len(K)), 1e-8)
        assert_near(K @ (G @ y_ddot + g), k, 1e-8)


@pytest.mark.slow
def test_derivatives_of_the_constraint(robots):
    """K = ∂φ/∂q and k = -K̇ q̇, by differences of eighth order."""
    for robot, some in robots:
        for x, y_dot, *_ in some:
            for loop in robot.model.loops:
                constraint, q = loop.constraint, loop.constraint.spanning(x[loop.x])
                v = constraint.G(x[loop.x]) @ y_dot[loop.y]
                columns = [slope(lambda h, e=e: constraint.phi(q + h * e)) for e in np.eye(constraint.size)]  # noqa: B023
                assert_near(constraint.K(q), np.array(columns).reshape(constraint.size, -1).T, 1e-10)
                step = 0.02 / max(1.0, np.abs(v).max())
                K_dot = slope(lambda h: constraint.K(q + h * v), step)  # noqa: B023
                assert_near(constraint.k(q, v), -K_dot @ v, 1e-10)


def test_moving_keeps_loops_closed(robots):
    for robot, some in robots:
        x, y_dot = some[0].x, 0.05 * some[0].y_dot
        moved = dyn.integrate(robot.model, x, y_dot, 0.1)
        for loop in robot.model.loops:
            assert np.abs(loop.constraint.phi(loop.constraint.spanning(moved[loop.x]))).max(initial=0.0) < 1e-10


HIP = [((0.0, 0.0), (0.15685349, 0.15685349), [[0.564979, -0.564979], [0.494357, 0.494357]])]
HIP += [((0.1, -0.2), (0.04578968, -0.12932709), [[0.57247, -0.56916], [0.50031, 0.517763]])]
KNEE = [((0.0, 0.0), (4.58390e-5, -4.58390e-5), [[0.5, 0.5], [-0.532396, 0.532396]])]
KNEE += [((0.1, -0.2), (0.28564, -0.08564), [[0.5, 0.5], [-0.545228, 0.545228]])]


@pytest.mark.parametrize(
    ("make", "links", "rotors", "J", "digits"),
    [(tello_hip, *case, 5e-9) for case in HIP]
    + [(tello_knee_ankle, *KNEE[0], 5e-11), (tello_knee_ankle, *KNEE[1], 5e-6)],
)
@pytest.mark.parametrize("ratio", [6.0, -2.5])
def test_tello_reference_values(make, links, rotors, J, digits, ratio):
    """Rotor angles of given link angles, and how links move with rotors, to the digits printed."""
    constraint = make(ratio)
    y = inverse_kinematics(make, *links)
    assert_near(y, np.array(rotors), digits)
    q = np.array([*(ratio * y), *links])
    assert np.abs(constraint.phi(q)).max() < 1e-15
    assert_near(constraint.G(q), np.vstack([ratio * np.eye(2), J]), 5.1e-6)
    np.testing.assert_allclose(constraint.G(q)[2:], J, rtol=0.0, atol=5.1e-6)
    start = np.array([0.0, 0.0, 0.05, -0.05])
    np.testing.assert_allclose(constraint.closed(q + start)[2:], links, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("make", [tello_hip, tello_knee_ankle])
def test_tello_inverse_kinematics_in_closed_form(make):
    constraint = make(6.0)
    for links in np.random.default_rng(0).uniform(-0.4, 0.4, (50, 2)):
        q = np.array([*(6.0 * inverse_kinematics(make, *links)), *links])
        assert np.abs(constraint.phi(q)).max() < 1e-15


def inverse_kinematics(make, l1, l2):
    """Rotor angles after the gears, from the robot's derivation (generalized_rbda v2.0)."""
    if make is tello_knee_ankle:
        return _knee_rotors(l1, l2)
    return np.array([_hip_rotor(l1, l2, s) for s in (1.0, -1.0)])


def _hip_rotor(l1, l2, s):
    a = 57 / 2500 - 8 / 625 * np.cos(l1) * np.sin(l2) - s * 7 / 625 * np.sin(l1)
    b = -8 / 625 * np.cos(l2)
    c = 49 / 5000 * np.cos(l1) + s * 399 / 20000 * np.sin(l1) + 57 / 2500 * np.cos(l1) * np.sin(l2)
    c -= s * 7 / 625 * np.sin(l1) * np.sin(l2) + 3021 / 160000
    d = np.sqrt(a**2 + b**2 - c**2)
    return np.arctan2(-b * d + a * c, b * c + a * d)


def _knee_rotors(l1, l2):
    beta, ninth = l2 + np.deg2rad(114.0), np.pi / 9
    a = -21 / 6250 * np.sin(ninth) - 7 / 2500 * np.sin(beta)
    b = 13 / 625 - 7 / 2500 * np.cos(beta) - 21 / 6250 * np.cos(ninth)
    c = 273 / 12500 * np.cos(ninth) + 91 / 5000 * np.cos(beta) - 147 / 50000 * np.cos(beta - ninth) - 163349 / 6250000
    d = np.sqrt(a**2 + b**2 - c**2)
    turn = np.arctan2(b * d + a * c, b * c - a * d) - np.deg2rad(120.84)
    return np.array([l1 - turn, l1 + turn])
