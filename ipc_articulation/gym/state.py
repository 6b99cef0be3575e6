"""What a task sees of its scene."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.gym.world import World
from ipc_articulation.simulation.variation import Drawn


class TaskState:
    """The present state of a scene, read when it is asked for; arrays are copies.

    Attributes:
        joints: Names of the m joints.
        actuated: Names of the k joints that take targets.
        targets: Their present targets, (k,) [rad or m].
        action: The last action, (a,); zero at the start of an episode.
    """

    def __init__(self, world: World, action_size: int) -> None:
        driven = world.simulation.driven
        self._world, self._coupling = world, world.simulation.coupling
        self.joints, self.actuated = tuple(driven.joints), tuple(driven.actuated)
        self.targets, self.action = world.commands()[0], np.zeros(action_size)

    @property
    def time(self) -> float:
        """Since the start of the episode [s]."""
        return self._world.step_count * self.dt

    @property
    def dt(self) -> float:
        """Time step of the scene [s]."""
        return self._world.scene.dt

    @property
    def theta(self) -> Array:
        """Joint positions, (m,) [rad or m]."""
        return self._world.joints(self._coupling.theta)

    @property
    def theta_dot(self) -> Array:
        """Joint velocities, (m,) [rad/s or m/s]."""
        return self._world.joints(self._coupling.theta_dot)

    @property
    def contact_force(self) -> Array:
        """Contact forces on the joints in the last step, (m,) [N·m or N]."""
        return self._world.joints(self._coupling.contact_force)

    @property
    def minimum_distance(self) -> float:
        """Smallest distance of surfaces that may touch [m]; inf if no distance is below 10 d̂."""
        return self._coupling.minimum_distance

    @property
    def drawn(self) -> Drawn:
        """Values that were drawn for this episode, by their path in the file."""
        return dict(self._world.start.drawn)

    @property
    def points(self) -> tuple[str, ...]:
        """Names of the links, bodies and marks."""
        return tuple(self._world.points.places)

    def pose(self, name: str) -> Array:
        """Pose in the world of a link, body or mark, (4, 4).

        Raises:
            TaskError: There is none of that name.
        """
        return self._world.points.pose(name)

    def position(self, name: str) -> Array:
        """Position of a link, body or mark, (3,) [m]; errors as for `pose`."""
        return self._world.points.position(name)

    def velocity(self, name: str) -> Array:
        """Velocity of a link, body or mark in world axes, (3,) [m/s]; errors as for `pose`."""
        return self._world.points.velocity(name)

    def link_motion(self, theta: Array, theta_dot: Array) -> Mapping[str, tuple[Array, Array]]:
        """Poses (4, 4) and their rates of the links by name, with other joint positions and velocities, (m,) each."""
        poses, rates = self._world.link_motion(theta, theta_dot)
        return {name: (poses[k], rates[k]) for k, name in enumerate(self._coupling.link_names)}
