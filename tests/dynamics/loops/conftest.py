"""Ten random robots of each kind, twenty random states of each."""

import pytest

from tests.dynamics.loops.robots import ALL_KINDS, robot_of, states


@pytest.fixture(scope="session", params=ALL_KINDS)
def kind(request):
    return request.param


@pytest.fixture(scope="session")
def robots(kind):
    """(robot, its states), ten times."""
    return [(robot, states(robot)) for robot in (robot_of(kind, seed) for seed in range(10))]
