"""Pictures of an environment, drawn by a process that stays open."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.gym.world import World
from ipc_articulation.recording import Scenery, Surface
from ipc_articulation.running.loop import scenery_of
from ipc_articulation.viewing.drawing.frames import FrameDrawer
from ipc_articulation.viewing.drawing.shots import Shot, Shots
from ipc_articulation.viewing.forces import NONE
from ipc_articulation.viewing.meshes import drawn_meshes
from ipc_articulation.viewing.palette import FORCE, colours

_MARK = 0.013  # radius of a mark, of the scene's size


class Pictures:
    """Draws the present state of a world.

    Args:
        world: The world.
        size: Width and height [pixels].

    Raises:
        MissingPackageError: pyvista is not installed.
    """

    def __init__(self, world: World, size: tuple[int, int]) -> None:
        self._world, points = world, world.points
        scenery = scenery_of(world.scene, world.simulation)
        known = {surface.name: surface for surface in scenery.surfaces}
        self._names = tuple(name for name in points.bodies if name in known)
        self._marks = tuple(mark.name for mark in world.scene.marks)
        looks = colours(scenery.surfaces)
        meshes = {name: drawn_meshes(body, "visual", "role", looks[name]) for name, body in known.items()}
        shots = Shots(scenery, self._names, meshes, (self._shot(self._names),), size)
        low, high = shots.bounds
        marks = [_mark(name, _MARK * float(np.linalg.norm(high - low))) for name in self._marks]
        meshes |= {mark.name: drawn_meshes(mark, "collision", "role", FORCE) for mark in marks}
        names = (*self._names, *self._marks)
        shots = replace(
            shots,
            scenery=_with(scenery, marks),
            names=names,
            shots=(self._shot(names),),
        )
        self._shown, self._drawer = names, FrameDrawer(shots)

    def draw(self) -> NDArray[np.uint8]:
        """A picture of the present state, (height, width, 3)."""
        return self._drawer.draw(self._shot(self._shown))

    def close(self) -> None:
        """End the process."""
        self._drawer.close()

    def _shot(self, names: tuple[str, ...]) -> Shot:
        poses = [self._world.points.pose(name) for name in names]
        for number, name in enumerate(names):
            if name in self._marks:
                poses[number][:3, :3] = np.eye(3)
        return Shot(np.array(poses).reshape(-1, 4, 4), NONE)


def _with(scenery: Scenery, marks: list[Surface]) -> Any:
    return replace(scenery, surfaces=(*scenery.surfaces, *marks))


def _mark(name: str, radius: float) -> Surface:
    """A small octahedron."""
    vertices = radius * np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], dtype=float)
    faces = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]]
    return Surface(name, "fixed", vertices, np.array(faces, dtype=np.int32), np.eye(4))
