"""Joints of a robot's file that start beyond their limits."""

from __future__ import annotations

from typing import Any

from ipc_articulation.coupling.kinds import freedom_units, in_degrees, is_within, told_apart
from ipc_articulation.errors import AdapterError
from ipc_articulation.repairs import caution


def warn_beyond_limits(adapter: Any, return_of_joints: str) -> None:
    """Warn of joints that start beyond their limits.

    Args:
        adapter: Has `describe`, `theta` and `limits`.
        return_of_joints: What happens to such a joint, for the message.
    """
    units = freedom_units(adapter.describe().joints)
    for (name, unit), position, (low, high) in zip(units.items(), adapter.theta(), adapter.limits(), strict=True):
        if not is_within(position, low, high):
            at, least, most = told_apart(position, low, high)
            caution(
                f"joint '{name}' starts at {at}, beyond its limits {least} to {most}: {return_of_joints}; "
                f"set its 'initial' under 'robot'{in_degrees(position, unit)}",
                AdapterError,
            )
