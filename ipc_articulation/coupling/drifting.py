"""Warns of links that loads displace from where the multibody engine has them, see `Coupling.drift`."""

from __future__ import annotations

import numpy as np
import uipc

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import CoupledRobot
from ipc_articulation.coupling.placed_robot import largest_displacement
from ipc_articulation.errors import AdapterError
from ipc_articulation.repairs import caution

_EVERY = 20  # steps; to read all links takes up to a tenth of a step
_SHARE = 0.5  # of d̂ and of a link's smallest extent


class DriftWatch:
    """Warns once of each link that has drifted by half of d̂, or by half of its smallest extent if that is less.

    Args:
        scene: The scene.
        robot: The robot.
    """

    def __init__(self, scene: uipc.Scene, robot: CoupledRobot) -> None:
        self._scene, self._steps = scene, 0
        self._links = robot.links
        surfaces = [np.zeros((1, 3)) if link.mesh is None else link.mesh.vertices for link in robot.links]
        extents = [np.inf if len(x) == 1 else np.ptp(x, axis=0).min() for x in surfaces]
        self._extents, self._reaches = np.array(extents), np.array([np.linalg.norm(x, axis=1).max() for x in surfaces])
        self._warned: set[int] = set()

    def is_due(self) -> bool:
        """Count a step; whether the links are to be looked at after it."""
        self._steps += 1
        return self._steps % _EVERY == 0

    def look(self, moved: Array) -> None:
        """Warn of the links whose coordinates have moved too far, by moved (n, 12).

        Raises:
            AdapterError: In strict mode, see `repairs.strict`.
        """
        d_hat = float(self._scene.config().find("contact/d_hat").view()[0])
        largest = _SHARE * np.minimum(d_hat, self._extents)
        bound = np.linalg.norm(moved[:, :3], axis=1) + np.linalg.norm(moved[:, 3:], axis=1) * self._reaches
        for link in np.flatnonzero(bound > largest).tolist():
            name, drift = self._links[link].name, largest_displacement(self._links[link], moved[link])
            if drift > largest[link] and link not in self._warned:
                self._warned.add(link)
                caution(
                    f"link '{name}' is {drift:.2g} m from where the multibody engine has it, which "
                    f"is much beside d_hat = {d_hat:g} m or the link's size: what it touches loads it beyond the "
                    "stiffness of links and joints; limit the forces that press it (of motors, equalities and bodies "
                    "that follow an aim), or give couple a larger stiffness_ratio",
                    AdapterError,
                )
