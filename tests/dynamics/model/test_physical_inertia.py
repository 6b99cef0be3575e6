import numpy as np
import pytest
from scipy.optimize import minimize

from ipc_articulation.dynamics.model.inertia import Inertia, unphysical
from ipc_articulation.dynamics.model.physical_inertia import physical_inertia
from tests.dynamics.random_trees import random_inertia


@pytest.mark.parametrize("moments", [(0.0, 0.0, 0.0), (0.0, 1.0, 1.0), (1.0, 1.0, 2.0), (1.0, 1.0, 2.0 + 1e-7)])
def test_an_inertia_of_a_body_stays_as_it_is(moments):
    tensor = np.diag(moments)
    assert physical_inertia(tensor) is tensor


def test_a_general_inertia_of_a_body_stays_as_it_is():
    tensor = random_inertia(np.random.default_rng(0))
    assert physical_inertia(tensor) is tensor


@pytest.mark.parametrize("seed", range(20))
def test_the_nearest_inertia_is_that_of_points_in_space(seed):
    """Any inertia is Σ m (|x|² 1 - x xᵀ) of points: the nearest of these, found by a general minimiser."""
    draw = np.random.default_rng(seed)
    tensor = draw.normal(size=(3, 3))
    tensor += tensor.T
    repaired = physical_inertia(tensor)
    assert unphysical(Inertia(1.0, np.zeros(3), repaired)) is None
    assert physical_inertia(repaired, slack=0.0) is repaired

    def of_points(x):
        points = x.reshape(3, 3)
        return np.sum(points**2) * np.eye(3) - points.T @ points

    found = min(
        (minimize(lambda x: np.sum((of_points(x) - tensor) ** 2), draw.normal(size=9), tol=1e-14) for _ in range(3)),
        key=lambda result: result.fun,
    )
    np.testing.assert_allclose(repaired, of_points(found.x), atol=1e-4)
    assert np.linalg.norm(repaired - tensor) <= np.sqrt(found.fun) * (1.0 + 1e-6) + 1e-7


@pytest.mark.parametrize(
    ("moments", "nearest"),
    [((1.0, 1.0, 3.0), (4 / 3, 4 / 3, 8 / 3)), ((-1.0, 2.0, 2.0), (0.0, 2.0, 2.0)), ((0.0, 0.0, 3.0), (1.0, 1.0, 2.0))],
)
def test_the_principal_axes_stay(moments, nearest):
    R = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    repaired = physical_inertia(R @ np.diag(moments) @ R.T)
    np.testing.assert_allclose(repaired, R @ np.diag(nearest) @ R.T, atol=1e-7)
