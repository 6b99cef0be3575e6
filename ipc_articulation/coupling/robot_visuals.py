"""How a robot of a scene is drawn."""

from __future__ import annotations

from functools import cached_property

from ipc_articulation.coupling.placed_robot import PlacedRobot
from ipc_articulation.coupling.visuals import surface_of, visuals_of
from ipc_articulation.recording.scenery import Surface, Visual


class RobotVisuals:
    """The visual surfaces of a robot's bodies."""

    def __init__(self, placed: PlacedRobot) -> None:
        self._placed = placed

    @cached_property
    def by_name(self) -> dict[str, tuple[Visual, ...]]:
        """Those of the bodies that have any; meshes are read when they are first asked for."""
        robot = self._placed.robot
        return visuals_of((*robot.links, *robot.free, *robot.static))

    @property
    def by_geometry(self) -> dict[int, tuple[Visual, ...]]:
        """Those of the scene's bodies, by the id of the body's geometry."""
        pairs = zip(self._placed.robot.placed, self._placed.bodies.of_robot, strict=True)
        return {slot.id(): self.by_name[body.name] for body, slot in pairs if body.name in self.by_name}

    @property
    def decorations(self) -> list[Surface]:
        """Static bodies without a mesh, which are only drawn; the scene does not have them."""
        drawn = [body for body in self._placed.robot.static if body.mesh is None and body.name in self.by_name]
        return [surface_of(body, "fixed", self.by_name[body.name]) for body in drawn]
