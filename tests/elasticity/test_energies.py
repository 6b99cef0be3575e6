"""Every energy: its value and derivatives against libuipc's formula and differences, and what all energies promise."""

import numpy as np
import pytest

from tests.derivatives import complex_step
from tests.elasticity.cases import CASES, Elements, at_rest, differences, random_rest, random_states, rotations


@pytest.fixture(params=CASES, ids=[case.name for case in CASES])
def case(request):
    return request.param


@pytest.fixture
def drawn(case):
    rng = np.random.default_rng(7)
    X = random_rest(case, rng)
    x = random_states(case, rng, X)
    return Elements(case, X), X, x


def worst(got, want, smooth):
    """The largest error of a state relative to the largest entry of what is wanted there, of smooth states."""
    axes = tuple(range(1, got.ndim))
    error = np.max(np.abs(got - want), axis=axes) / np.max(np.abs(want), axis=axes)
    return np.max(error[smooth])


def test_the_value_is_that_of_the_formula(case, drawn):
    elements, X, x = drawn
    E = elements.energies(x)
    np.testing.assert_allclose(E, case.formula(x, X), rtol=1e-11, atol=1e-11 * np.median(np.abs(E)))


def test_the_gradient_is_that_of_the_formula(case, drawn):
    elements, X, x = drawn
    room = case.smooth(x, X)
    smooth = room > 1e-4
    assert np.mean(smooth) > 0.95
    want = complex_step(lambda z: case.formula(z.reshape(*z.shape[:-1], -1, 3), X), x.reshape(len(x), -1))
    assert worst(elements.gradients(x), want, smooth) < 1e-9


def test_the_hessian_is_that_of_differences(case, drawn):
    elements, X, x = drawn
    room = case.smooth(x, X)
    want = differences(elements.gradients, x, np.minimum(1e-3, 0.02 * room))
    assert worst(elements.hessians(x), want, room > 1e-4) < 1e-6


@pytest.mark.parametrize("project", [False, True])
def test_hessians_are_symmetric(drawn, project):
    elements, _, x = drawn
    H = elements.hessians(x, project)
    size = np.max(np.abs(H), axis=(1, 2), keepdims=True)
    assert np.all(np.abs(H - np.swapaxes(H, 1, 2)) <= 1e-13 * size)


def test_the_projected_hessian_is_semidefinite_and_not_below_the_exact_one(drawn):
    elements, _, x = drawn
    exact, projected = elements.hessians(x), elements.hessians(x, True)
    size = np.max(np.abs(exact), axis=(1, 2))
    for H in (projected, projected - exact):
        assert np.all(np.linalg.eigvalsh(H)[:, 0] >= -1e-12 * size)
    assert np.any(np.linalg.eigvalsh(exact)[:, 0] < -1e-3 * size)


def test_a_semidefinite_hessian_stays_as_it_is(drawn):
    elements, X, x = drawn
    states = np.concatenate([x, at_rest(elements.case, X)])
    both = Elements(elements.case, np.concatenate([X, X]))
    exact, projected = both.hessians(states), both.hessians(states, True)
    size = np.max(np.abs(exact), axis=(1, 2))
    semidefinite = np.linalg.eigvalsh(exact)[:, 0] >= -1e-13 * size
    assert np.sum(semidefinite) > 100
    assert np.all(np.abs(projected - exact)[semidefinite].max(axis=(1, 2)) <= 1e-12 * size[semidefinite])


def test_rigid_motions_of_the_rest_shape_cost_nothing(case):
    rng = np.random.default_rng(8)
    X = at_rest(case, random_rest(case, rng))
    elements = Elements(case, X)
    moved = X @ rotations(rng, len(X)) + rng.normal(size=(len(X), 1, 3))
    deformed = random_states(case, rng, X)[500:]
    scale = np.median(np.abs(elements.energies(np.concatenate([X[:500], deformed]))[500:]))
    np.testing.assert_allclose(elements.energies(moved), elements.energies(X), atol=1e-11 * scale)
    if case.name != "stable_neo_hookean":  # its value at rest is a constant
        assert np.all(np.abs(elements.energies(moved)) < 1e-11 * scale)
    slopes = np.abs(elements.gradients(np.concatenate([X[:500], deformed]))[500:]).max(axis=1)
    assert np.max(np.abs(elements.gradients(moved))) < 1e-11 * np.median(slopes)


def test_the_energy_does_not_see_rigid_motions(case, drawn):
    elements, _, x = drawn
    rng = np.random.default_rng(9)
    moved = x @ rotations(rng, len(x)) + rng.normal(size=(len(x), 1, 3))
    E = elements.energies(x)
    np.testing.assert_allclose(elements.energies(moved), E, rtol=1e-10, atol=1e-10 * np.median(np.abs(E)))


def hard_states(X):
    """Degenerate and inverted states of one element (v, 3), by name."""
    flat, line = X * [1, 1, 0], X * [1, 0, 0]
    mirrored, tiny = X * [1, 1, -1], 1e-9 * X
    same = X.copy()
    same[1] = same[0]
    folded = X.copy()
    folded[-1] = folded[0]
    return {
        "flat": flat,
        "line": line,
        "point": 0.0 * X,
        "mirrored": mirrored,
        "inside out": -X,
        "tiny": tiny,
        "two vertices at one point": same,
        "folded": folded,
        "rest": X,
        "doubled": 2 * X,
    }


def test_positions_that_are_no_numbers_are_not_hidden(case):
    X = random_rest(case, np.random.default_rng(12), 3)
    elements = Elements(case, X)
    for x in (X * np.nan, np.where(np.arange(case.vertices)[:, None] == 1, np.nan, X)):
        assert np.all(np.isnan(elements.energies(x)))
        assert np.all(np.isnan(elements.gradients(x)).any(axis=1))
        for project in (False, True):
            assert np.all(np.isnan(elements.hessians(x, project)).any(axis=(1, 2)))


@pytest.mark.parametrize("name", hard_states(np.zeros((3, 3))))
def test_hard_states_have_no_nan(case, name):
    X = random_rest(case, np.random.default_rng(10), 20)
    elements = Elements(case, X)
    x = np.array([hard_states(one)[name] for one in X])
    E, g = elements.energies(x), elements.gradients(x)
    infinite = case.name in ("neo_hookean_shell", "rod_bending")
    assert not np.any(np.isnan(E))
    assert infinite or np.all(np.isfinite(E))
    assert np.all(np.isfinite(g))
    for project in (False, True):
        assert np.all(np.isfinite(elements.hessians(x, project)))
    H = elements.hessians(x, True)
    size = np.max(np.abs(H), axis=(1, 2))
    assert np.all(np.linalg.eigvalsh(H)[:, 0] >= -1e-12 * size)
