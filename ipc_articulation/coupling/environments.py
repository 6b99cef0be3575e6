"""Environments: isolated worlds in one libuipc scene, which are its subscenes.

Bodies of two environments do not touch each other; what is in no environment touches all of them.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import uipc

from ipc_articulation.coupling.adapter import CoupledRobot


def make_environments(scene: uipc.Scene, robot: CoupledRobot) -> dict[str, Any]:
    """Create a subscene for each environment of a robot.

    Returns:
        Subscene element by the name of a body or half-plane.
    """
    tabular = scene.subscene_tabular()
    names = sorted({entry.environment for entry in robot.parts} - {""})
    elements = {"": tabular.default_element()} | {name: tabular.create(name) for name in names}
    for a, b in combinations(elements, 2):
        tabular.insert(elements[a], elements[b], a == "")  # the shared one comes first
    return {entry.name: elements[entry.environment] for entry in robot.parts}
