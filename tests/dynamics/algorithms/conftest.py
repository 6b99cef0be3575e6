"""Random trees that every law is checked on, and the robots of the loops' tests."""

import pytest

from tests.dynamics.loops.conftest import kind, robots
from tests.dynamics.random_trees import random_mechanism

__all__ = ["kind", "robots"]

TREES = {f"{'floating' if floating else 'forest'} {seed}": (seed, floating) for seed in range(3) for floating in (0, 1)}


@pytest.fixture(scope="session", params=TREES)
def mechanism(request):
    """A tree with joints of every kind."""
    seed, floating = TREES[request.param]
    return random_mechanism(seed, bool(floating))


@pytest.fixture(scope="session")
def model(mechanism):
    return mechanism.build()


@pytest.fixture(scope="session", params=range(3), ids="floating {}".format)
def free_model(request):
    """A tree that hangs on one floating link."""
    return random_mechanism(request.param, floating=True).build()
