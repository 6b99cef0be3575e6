"""The primal-dual Hessian of friction's smooth norm, by itself."""

import numpy as np
import pytest

from ipc_articulation.contact.smooth_norm import (
    dual_hessian,
    follow_dual,
    force_change,
    smooth_norm,
    smooth_norm_derivatives,
    start_anchored_duals,
    start_dual,
)
from tests.derivatives import central_difference, relative_error

FORCE, EPS = 3.0, 1e-4  # F [N], ε [m]
at_lengths = pytest.mark.parametrize("length", [1e-3, 0.3, 0.9, 1.1, 30.0])  # |u| in units of ε


def direction(rng):
    n = rng.normal(size=3)
    return n / np.linalg.norm(n)


def gradient(u):
    """F s u of F f₀(|u|)."""
    return FORCE * smooth_norm_derivatives(np.linalg.norm(u), EPS)[0] * u


def hessian(u, p):
    H = np.zeros((3, 3))
    dual_hessian(FORCE, *smooth_norm_derivatives(np.linalg.norm(u), EPS), u, p, H)
    return H


def first_dual(u):
    p = np.empty(3)
    start_dual(FORCE, smooth_norm_derivatives(np.linalg.norm(u), EPS)[0], u, p)
    return p


def followed(u, du, p, turned=False):
    s, c = smooth_norm_derivatives(np.linalg.norm(u), EPS)
    p = p.copy()
    follow_dual(FORCE, turned, s, c, u, du, p)
    return p


@at_lengths
def test_the_gradient_is_that_of_the_energy(length):
    u = length * EPS * direction(np.random.default_rng(0))
    step = 1e-4 * np.linalg.norm(u)
    slope = central_difference(lambda v: FORCE * smooth_norm(np.linalg.norm(v), EPS), u, step)
    assert relative_error(gradient(u), slope) < 1e-6


@at_lengths
def test_with_the_slip_s_own_dual_the_hessian_is_newton_s(length):
    u = length * EPS * direction(np.random.default_rng(1))
    exact = central_difference(gradient, u, 1e-4 * np.linalg.norm(u))
    assert relative_error(hessian(u, gradient(u)), exact) < 1e-6


@at_lengths
def test_a_step_starts_with_half_of_the_force(length):
    """With curvature along every slip, also far beyond ε."""
    u = length * EPS * direction(np.random.default_rng(1))
    np.testing.assert_allclose(first_dual(u), 0.5 * gradient(u), rtol=1e-14)
    assert np.linalg.eigvalsh(hessian(u, first_dual(u)))[0] >= 0.499 * FORCE / max(2.0, length) / EPS


@at_lengths
def test_after_a_step_on_circles_there_is_curvature_along_every_slip(length):
    """A dual of the whole force along a slip beyond ε has none: what is about to stop is thrown far beyond."""
    u = length * EPS * direction(np.random.default_rng(1))
    straight, turned = (followed(u, 1e5 * u, gradient(u), on_circles) for on_circles in (False, True))
    assert np.linalg.norm(straight) == pytest.approx(FORCE)
    assert np.linalg.norm(turned) == pytest.approx(0.5 * FORCE)
    to = (1.0 + 1e5) * u
    assert np.linalg.eigvalsh(hessian(to, turned))[0] >= 0.4 * FORCE / max(2.0 * EPS, np.linalg.norm(to))


def test_a_step_with_memory_starts_with_the_force_of_the_last_one():
    rng, rows = np.random.default_rng(9), np.array([0, 2, 3])
    anchor = np.outer([0.3, 0.5, 0.0, 5.0], np.ones(3)) * EPS * direction(rng)
    p = np.full((4, 3), 7.0)
    start_anchored_duals(rows, np.full(4, FORCE), anchor, np.full(3, EPS), p)
    np.testing.assert_allclose(p[0], gradient(anchor[0]), rtol=1e-12)
    np.testing.assert_array_equal(p[1:3], [[7.0] * 3, [0.0] * 3])
    np.testing.assert_allclose(p[3], 0.9 * gradient(anchor[3]), rtol=1e-12)


def test_the_change_of_a_force_is_that_of_the_gradients():
    rng = np.random.default_rng(10)
    for _ in range(50):
        u, to = (10.0 ** rng.uniform(-2, 2) * EPS * direction(rng) for _ in range(2))
        expected = np.linalg.norm(gradient(to) - gradient(u)) / FORCE
        assert force_change(u, to, EPS) == pytest.approx(expected, rel=1e-9)
    assert force_change(np.zeros(3), np.zeros(3), EPS) == 0.0


def test_at_rest_all_directions_are_as_stiff():
    """F 2/ε: the curvature of f₀ at 0."""
    np.testing.assert_allclose(hessian(np.zeros(3), np.zeros(3)), 2.0 * FORCE / EPS * np.eye(3), rtol=1e-14)


def test_the_hessian_is_symmetric_and_positive_semidefinite_for_every_dual_within_the_force():
    rng = np.random.default_rng(2)
    for _ in range(2000):
        u = 10.0 ** rng.uniform(-4, 3) * EPS * direction(rng)
        p = FORCE * rng.choice([rng.uniform(), 1.0]) * direction(rng)
        H = hessian(u, p)
        np.testing.assert_array_equal(H, H.T)
        w = np.linalg.eigvalsh(H)
        assert w[0] > -1e-12 * w[-1]


def test_a_dual_beyond_the_force_makes_it_indefinite():
    """So p is clipped."""
    u = 10.0 * EPS * np.array([1.0, 0.0, 0.0])
    w = np.linalg.eigvalsh(hessian(u, FORCE * np.array([1.5, 0.0, 0.0])))
    assert w[0] < -0.1 * w[-1]


def test_a_followed_dual_is_never_longer_than_the_force():
    rng, clipped = np.random.default_rng(3), 0
    for _ in range(1000):
        u, du = (10.0 ** rng.uniform(-2, 2) * EPS * direction(rng) for _ in range(2))
        length = np.linalg.norm(followed(u, du, FORCE * rng.uniform() * direction(rng)))
        assert length <= FORCE * (1.0 + 1e-14)
        clipped += length > FORCE * (1.0 - 1e-14)
    assert 0 < clipped < 1000


@at_lengths
def test_a_dual_at_a_slip_that_stays_becomes_the_slip_s_own(length):
    u, p = length * EPS * direction(np.random.default_rng(4)), FORCE * direction(np.random.default_rng(5))
    for _ in range(60):
        p = followed(u, np.zeros(3), p)
    np.testing.assert_allclose(p, gradient(u), rtol=1e-9)


def test_a_small_displacement_is_followed_to_first_order():
    """p + δp is the force at u + δu up to the square of δu."""
    rng = np.random.default_rng(6)
    for length in (0.3, 2.0):
        u, du = length * EPS * direction(rng), 1e-5 * EPS * direction(rng)
        change = gradient(u + du) - gradient(u)
        assert np.linalg.norm(followed(u, du, gradient(u)) - gradient(u + du)) < 1e-3 * np.linalg.norm(change)


@pytest.mark.parametrize("pull", [0.2, 0.9, 0.999])
@pytest.mark.parametrize("start", [0.1, 10.0, 1e5])
def test_newton_s_method_finds_the_slip_at_which_friction_holds_a_pull(start, pull):
    """Minimum of F f₀(|u|) - b·u for |b| = pull F, from a slip the other way: with a line search, few iterations."""
    b = pull * FORCE * direction(np.random.default_rng(7))
    u = start * EPS * direction(np.random.default_rng(8))
    u *= -np.sign(u @ b)
    p, expected = first_dual(u), EPS * (1.0 - np.sqrt(1.0 - pull)) * b / np.linalg.norm(b)
    for _ in range(25):
        r = gradient(u) - b
        du = np.linalg.solve(hessian(u, p) + 1e-9 * FORCE / EPS * np.eye(3), -r)
        p = followed(u, du, p)
        u = u + _share(u, du, b) * du
    np.testing.assert_allclose(u, expected, atol=1e-6 * EPS)


def _share(u, du, b):
    """1, 1/2, ...: the first at which the energy does not rise."""

    def energy(v):
        return FORCE * smooth_norm(np.linalg.norm(v), EPS) - b @ v

    share = 1.0
    while energy(u + share * du) > energy(u) and share > 1e-9:
        share *= 0.5
    return share
