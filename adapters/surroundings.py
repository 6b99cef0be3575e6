"""The bodies, planes and rules of contact that the caller gives an adapter, and the motion of its free bodies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations_with_replacement

import numpy as np
from ipc_articulation.adapters.around import Around

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import CoupledBody, CoupledRobot


class Surroundings:
    """The surroundings of a robot, with the present state of its free bodies.

    Attributes:
        static: Bodies that never move.
        planes: Half-spaces.
        aims: Poses (k, 4, 4) of the driven bodies among the free ones, which stand still.
    """

    def __init__(self, around: Around) -> None:
        self._bodies: tuple[CoupledBody, ...] = tuple(around.get("free", ()))
        self._motion: tuple[Array, Array] | None = None  # poses and rates that IPC gave last, not yet in the bodies
        self.static, self.planes = tuple(around.get("static", ())), tuple(around.get("planes", ()))
        self.aims: Array = np.array([body.pose for body in self._bodies if body.driven]).reshape(-1, 4, 4)
        self._untouchable = frozenset(around.get("untouchable", ()))
        self._shapes = around.get("shapes", {})
        self._contact_rules = tuple(around.get("contact_rules", ()))

    @property
    def free(self) -> tuple[CoupledBody, ...]:
        """The free bodies, with the poses and velocities that IPC gave them last."""
        if self._motion is not None:
            placed = zip(self._bodies, *(_read_only(motion) for motion in self._motion), strict=True)
            self._bodies = tuple(replace(body, pose=pose, velocity=rate) for body, pose, rate in placed)
            self._motion = None
        return self._bodies

    def around(self, robot: CoupledRobot) -> CoupledRobot:
        """A robot together with its surroundings; what never moves does not touch itself or each other."""
        static, planes = (*robot.static, *self.static), (*robot.planes, *self.planes)
        names = [*(body.name for body in static), *(plane.name for plane in planes)]
        still = frozenset(frozenset(pair) for pair in combinations_with_replacement(names, 2))
        return replace(
            robot,
            links=tuple(self._shaped(link) for link in robot.links),
            free=self.free,
            static=static,
            planes=planes,
            untouchable=robot.untouchable | still | self._untouchable,
            contact_rules=(*robot.contact_rules, *self._contact_rules),
        )

    def _shaped(self, link: CoupledBody) -> CoupledBody:
        own = self._shapes.get(link.name)
        return link if own is None else replace(link, mesh=own.mesh, visual=own.visual)

    def move_free(self, poses: Array, velocities: Array) -> None:
        """Set poses and their rates, (f, 4, 4) each, of the free bodies."""
        if len(poses) != len(self._bodies) or len(velocities) != len(self._bodies):
            raise ValueError(f"{len(poses)} poses and {len(velocities)} rates of {len(self._bodies)} free bodies")
        self._motion = np.array(poses), np.array(velocities)

    def state(self) -> dict[str, Array]:
        """Poses and rates of the free bodies, (f, 4, 4) each."""
        poses, rates = ([getattr(body, key) for body in self.free] for key in ("pose", "velocity"))
        return {"free_poses": np.reshape(poses, (-1, 4, 4)), "free_velocities": np.reshape(rates, (-1, 4, 4))}

    def restore(self, state: Mapping[str, Array]) -> None:
        """Restore a state of `state`."""
        self.move_free(state["free_poses"], state["free_velocities"])


def _read_only(array: Array) -> Array:
    array.flags.writeable = False
    return array
