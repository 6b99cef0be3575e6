"""Every energy: its value and derivatives against libuipc's formula and differences, and what all energies promise."""

import numpy as np
import pytest

from ipc_articulation.elasticity import plastic_shell_bending, shell_bending
from tests.derivatives import complex_step
from tests.elasticity.cases import (
    CASES,
    LIMIT,
    Elements,
    at_rest,
    differences,
    dihedral,
    random_rest,
    random_states,
    rotations,
    wrap,
)

HINGES = (shell_bending, plastic_shell_bending)


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


def test_the_projected_hessian_is_semidefinite_and_not_below_the_exact_one(case, drawn):
    elements, _, x = drawn
    exact, projected = elements.hessians(x), elements.hessians(x, True)
    size = np.max(np.abs(exact), axis=(1, 2))
    for H in (projected,) if case.energy in HINGES else (projected, projected - exact):
        assert np.all(np.linalg.eigvalsh(H)[:, 0] >= -1e-12 * size)
    assert np.any(np.linalg.eigvalsh(exact)[:, 0] < -1e-3 * size)


@pytest.mark.parametrize("case", [case for case in CASES if case.energy in HINGES], ids=lambda case: case.name)
def test_the_projected_hessian_of_hinges_is_gauss_and_newtons(case, drawn):
    """2w ∂θ ∂θᵀ = g gᵀ/(2E) where E = w δ², and 0 where a hinge yields: E is linear in θ there."""
    elements, X, x = drawn
    E, g, H = elements.energies(x), elements.gradients(x), elements.hessians(x, True)
    yields = (case.name == "stress_plastic") & (np.abs(wrap(dihedral(x) - dihedral(X))) > LIMIT)
    want = np.where(yields, 0.0, 0.5 / E)[:, None, None] * g[:, :, None] * g[:, None, :]
    assert np.any(yields) == (case.name == "stress_plastic")
    np.testing.assert_allclose(H, want, rtol=1e-6, atol=1e-10 * np.max(np.abs(want)))


@pytest.mark.parametrize("project", [False, True])
def test_derivatives_are_both_in_one_pass(case, drawn, project):
    elements, _, x = drawn
    g, H = case.energy.derivatives(
        x.reshape(-1, 3), elements.elements, elements.constants, np.full(len(elements.elements), project)
    )
    want = elements.gradients(x)  # of projected ones
    size = np.max(np.abs(want), axis=1)
    assert np.all(np.max(np.abs(g - want), axis=1) <= (0.0 if project else 1e-9 * size))
    np.testing.assert_array_equal(H, elements.hessians(x, project))


def test_elements_share_vertices(case):
    """Elements of one mesh have the derivatives that each has alone, whatever was computed before it."""
    rng = np.random.default_rng(13)
    X, x = random_rest(case, rng, 2)[0], 0.1 * rng.normal(size=(case.vertices, 3))
    turns = np.array([np.roll(np.arange(case.vertices), 2 * k) for k in range(case.vertices)])
    both = case.rest(X, turns[:1]), case.rest(2.0 * X, turns[:1])
    constants = np.concatenate([both[k % 2] for k in range(case.vertices)])
    together = case.energy.derivatives(x, turns, constants, np.ones(len(turns), dtype=bool))
    for k, turn in enumerate(turns):
        alone = case.energy.derivatives(x, turn[None], constants[k : k + 1], np.ones(1, dtype=bool))
        for got, want in zip(together, alone, strict=True):
            np.testing.assert_array_equal(got[k], want[0])


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


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_positions_that_are_no_numbers_are_not_hidden(case, number):
    X = random_rest(case, np.random.default_rng(12), 3)
    elements = Elements(case, X)
    for vertices in (range(case.vertices), *([v] for v in range(case.vertices))):
        x = np.where(np.isin(np.arange(case.vertices), vertices)[:, None], number, X)
        assert not np.any(np.isfinite(elements.energies(x)))
        assert not np.any(np.isfinite(elements.gradients(x)).all(axis=1))
        for project in (False, True):
            assert not np.any(np.isfinite(elements.hessians(x, project)).all(axis=(1, 2)))


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
