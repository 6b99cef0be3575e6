"""Joints of a robot's file that start beyond their limits."""

from __future__ import annotations

from typing import Any

from ipc_articulation.coupling.kinds import freedom_names
from ipc_articulation.errors import AdapterError
from ipc_articulation.repairs import caution

_BEYOND = 1e-9  # [rad or m] by which rounding may take a joint beyond its limit


def warn_beyond_limits(adapter: Any, return_of_joints: str) -> None:
    """Warn of joints that start beyond their limits.

    Args:
        adapter: Has `describe`, `theta` and `limits`.
        return_of_joints: What happens to such a joint, for the message.
    """
    names = freedom_names(adapter.describe().joints)
    for name, position, (low, high) in zip(names, adapter.theta(), adapter.limits(), strict=True):
        if not low - _BEYOND <= position <= high + _BEYOND:
            caution(
                f"joint '{name}' starts at {position:g}, beyond its limits {low:g} to {high:g}: {return_of_joints}; "
                "set its 'initial' under 'robot'",
                AdapterError,
            )
