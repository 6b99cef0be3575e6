"""Drawings as surfaces, for links that the file gives none."""

from __future__ import annotations

from copy import deepcopy

from ipc_articulation.dynamics.reading.repairing.robot import Robot


def take_visuals(robot: Robot) -> None:
    """Give every link without a `<collision>` its `<visual>`s as such."""
    for link in robot.links:
        for visual in () if link.children("collision") else link.children("visual"):
            surface = deepcopy(visual.element)
            surface.tag = "collision"
            link.element.append(surface)
