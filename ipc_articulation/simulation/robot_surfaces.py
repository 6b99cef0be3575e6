"""The surfaces of a robot and its bodies for a recording."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ipc_articulation.coupling.adapter import CoupledBody, CoupledRobot
from ipc_articulation.coupling.visuals import surface_of
from ipc_articulation.recording.scenery import Role, Surface, Visual


def surfaces_of(
    mechanism: CoupledRobot, visuals: Mapping[str, tuple[Visual, ...]], label: str = ""
) -> tuple[Surface, ...]:
    """Those of all bodies that have any, for contact or for display.

    Args:
        mechanism: The bodies.
        visuals: Their visual surfaces by name.
        label: What their names in the recording begin with.
    """
    bodies: list[tuple[CoupledBody, Role]] = [(body, "link") for body in mechanism.links]
    bodies += [(body, "free") for body in mechanism.free]
    bodies += [(body, "fixed") for body in mechanism.static]
    shown = [(body, role) for body, role in bodies if body.mesh is not None or body.name in visuals]
    surfaces = [surface_of(body, role, visuals.get(body.name, ())) for body, role in shown]
    return tuple(replace(surface, name=f"{label}{surface.name}") for surface in surfaces)
