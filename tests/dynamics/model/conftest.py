"""The random trees of the algorithms' tests."""

from tests.dynamics.algorithms.conftest import mechanism, model

__all__ = ["mechanism", "model"]
