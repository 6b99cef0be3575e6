"""The factor of Mᵗ: its product, what it refuses, and energies whose small differences keep their digits."""

import numpy as np
import pytest

from ipc_articulation.articulation.mass_factor import factorise, stretches, times

STIFF = 1e9


def factor(M):
    L = np.empty_like(M)
    assert factorise(M, L)
    return L


@pytest.fixture(params=[1, 2, 7])
def mass(request):
    rng = np.random.default_rng(request.param)
    A = rng.normal(size=(request.param, request.param))
    return A @ A.T + 0.1 * np.eye(request.param)


def test_the_factor_gives_the_mass_and_its_products(mass):
    L, e = factor(mass), np.random.default_rng(3).normal(size=len(mass))
    y, w = stretches(L, e), np.empty(len(mass))
    times(L, y, w)
    np.testing.assert_allclose(L @ L.T, mass, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(y, L.T @ e, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(w, mass @ e, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "M",
    [[[0.0]], [[-1.0]], [[np.nan]], [[1.0, 2.0], [2.0, 1.0]], [[1.0, 1.0], [1.0, 1.0]], [[1.0, 0.0], [0.0, np.nan]]],
)
def test_no_factor_of_what_is_not_positive_definite(M):
    assert not factorise(np.array(M), np.empty((len(M), len(M))))


@pytest.mark.parametrize("row", [(1.0, 1.6, 0.5), (1e-3, 1.0, 1.0), (0.0, 1.0, -1.0)])
def test_energies_of_what_an_equality_holds_keep_their_digits(row):
    """Along a motion that the equality allows ½ eᵀMe has a noise of 10⁻¹³ of it; a sum by entries has over 10⁻⁹."""
    J = np.array([row])
    M = np.diag([0.3, 0.2, 0.1]) + STIFF * J.T @ J
    free = np.cross(J[0], (0.3, 0.5, -0.7))
    e, L = 0.05 * free / np.linalg.norm(free), factor(M)
    shares = 1.0 + 1e-9 * np.arange(200)
    by_factor = np.array([0.5 * np.sum(stretches(L, share * e) ** 2) for share in shares])
    by_entries = np.array([0.5 * (share * e) @ M @ (share * e) for share in shares])

    def noise(E):
        return np.abs(E / E[0] / shares**2 - 1.0).max()

    assert noise(by_factor) < 1e-13
    assert noise(by_entries) > 1e-9
