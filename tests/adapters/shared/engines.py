"""The adapters under test: how each engine builds a robot, goes on by itself, and which edit of a shape it refuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from ipc_articulation.coupling.adapter import Adapter
from tests.adapters.shared.robots import ROBOTS, Robot


@dataclass(frozen=True)
class Side:
    """One engine: its adapter of a robot in the robot's initial state, and the engine without the coupling."""

    make: Callable[[Robot], Adapter]
    own_step: Callable[[Any], None]  # moves the adapter's state by a step of the engine alone
    push: Callable[[Any, np.ndarray], None]  # sets the forces on the joints (m,), those of hinges and slides at least
    step_with_edit: Callable[[Any], None]  # changes what a link touches with, and predicts
    refusal: str  # what is said to that


NAMES = ("mujoco", "native", "pinocchio", "dart")


def side(name: str) -> Side:
    """An engine; skips the test where it is not installed."""
    return pytest.importorskip(f"tests.adapters.shared.{name}_side").SIDE


def cases() -> list[Any]:
    """Every engine with every robot."""
    return [pytest.param(name, robot, id=f"{name}, {title}") for name in NAMES for title, robot in ROBOTS.items()]
