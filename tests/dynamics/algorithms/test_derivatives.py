import numpy as np
import pytest

from ipc_articulation.dynamics import (
    forward_dynamics,
    forward_dynamics_derivatives,
    integrate,
    inverse_dynamics,
    inverse_dynamics_derivatives,
)
from tests.derivatives import central_difference
from tests.dynamics.by_hand import assert_near
from tests.dynamics.random_trees import random_states


def by_differences(model, dynamics, q, v, x, wrenches):
    """Derivatives of dynamics(q, v, x) by displacements of q along velocities, by v and by x."""
    zero = np.zeros(model.nv)
    return (
        central_difference(lambda d: dynamics(model, integrate(model, q, d), v, x, wrenches), zero),
        central_difference(lambda d: dynamics(model, q, v + d, x, wrenches), zero),
        central_difference(lambda d: dynamics(model, q, v, x + d, wrenches), zero),
    )


@pytest.mark.parametrize("pushed", [False, True], ids=["free", "pushed"])
def test_inverse_dynamics(model, pushed):
    q, v, a, _, wrenches = random_states(model, 1)
    wrenches = wrenches if pushed else None
    expected = by_differences(model, inverse_dynamics, q, v, a, wrenches)
    for got, want in zip(inverse_dynamics_derivatives(model, q, v, a, wrenches), expected, strict=True):
        assert_near(got, want, 1e-7)


@pytest.mark.parametrize("pushed", [False, True], ids=["free", "pushed"])
def test_forward_dynamics(model, pushed):
    q, v, _, tau, wrenches = random_states(model, 2)
    wrenches = wrenches if pushed else None
    expected = by_differences(model, forward_dynamics, q, v, tau, wrenches)
    for got, want in zip(forward_dynamics_derivatives(model, q, v, tau, wrenches), expected, strict=True):
        assert_near(got, want, 1e-6)
