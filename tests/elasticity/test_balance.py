"""Internal forces are in balance in every state: they have no sum and no moment, and stiffness knows it.

For every energy, with 1000 random states and with degenerate and inverted ones:

    Σ gᵥ = 0,   Σ xᵥ × gᵥ = 0,   H (t, t, ...) = 0,   H (ω × x₀, ω × x₁, ...) = (ω × g₀, ω × g₁, ...)
"""

import numpy as np
import pytest

from ipc_articulation.elasticity import arap
from tests.elasticity.cases import CASES, Elements, arap_smooth, random_rest, random_states
from tests.elasticity.test_energies import hard_states
from tests.elasticity.test_stitches import STITCHES

ALL = [*CASES, *STITCHES]
HARD = [name for name in hard_states(np.zeros((3, 3))) if name != "tiny"]  # its forces are those of "point"


@pytest.fixture(params=ALL, ids=[case.name for case in ALL])
def states(request):
    """Elements (k,), their states (k, v, 3), and where derivatives exist: not where ARAP's rotation jumps."""
    case, rng = request.param, np.random.default_rng(21)
    X = random_rest(case, rng)
    hard = [hard_states(one)[name] for one in X[:20] for name in HARD]
    x = np.concatenate([random_states(case, rng, X), hard])
    X = np.concatenate([X, np.repeat(X[:20], len(HARD), axis=0)])
    with np.errstate(invalid="ignore", divide="ignore"):
        is_smooth = arap_smooth(x, X) > 1e-5 if case.energy is arap else np.full(len(x), True)
    return Elements(case, X), x, is_smooth


def relative(values, size):
    """The largest of values (k, ...), relative to sizes (k,); a size of 0 is 1."""
    return np.max(largest(values) / np.where(size > 0.0, size, 1.0))


def largest(values):
    return np.max(np.abs(values), axis=tuple(range(1, values.ndim)))


def test_forces_have_no_sum_and_no_moment(states):
    elements, x, _ = states
    g = elements.gradients(x).reshape(x.shape)
    assert np.all(np.isfinite(g))
    assert relative(g.sum(axis=1), largest(g)) < 1e-12
    assert relative(np.cross(x, g).sum(axis=1), largest(g) * largest(x)) < 1e-12


@pytest.mark.parametrize("project", [False, True])
def test_translations_cost_no_force(states, project):
    elements, x, _ = states
    H = elements.hessians(x, project)
    assert relative(H.reshape(len(H), -1, x.shape[1], 3).sum(axis=2), largest(H)) < 1e-12


def test_forces_turn_with_the_element(states):
    elements, x, is_smooth = states
    g, H = elements.gradients(x).reshape(x.shape), elements.hessians(x)
    assert np.mean(is_smooth) > 0.9
    for omega in np.eye(3):
        turned = np.einsum("kij,kj->ki", H, np.cross(omega, x).reshape(len(x), -1))
        error = turned - np.cross(omega, g).reshape(len(x), -1)
        assert relative(error[is_smooth], (largest(H) * largest(x))[is_smooth]) < 1e-10
