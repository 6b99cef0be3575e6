"""Kinematic loops: constraints between joints, and how the joints of a robot move with them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "constraint": ["LoopConstraint"],
    "coordinate_functions": ["CoordinateFunctions", "Function"],
    "explicit": ["Affine", "Explicit", "Static", "gear"],
    "four_bar": ["FourBar"],
    "implicit": ["Implicit"],
    "tello": ["TelloDifferential", "tello_hip", "tello_knee_ankle"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'ipc_articulation.dynamics.loops' has no attribute '{name}'")
    return getattr(import_module(f"ipc_articulation.dynamics.loops.{_HOME_OF[name]}"), name)
