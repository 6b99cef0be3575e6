"""The random trees and robots of the algorithms' tests."""

from tests.dynamics.algorithms.conftest import kind, mechanism, model, robots

__all__ = ["kind", "mechanism", "model", "robots"]
