"""Links of a URDF file that are drawn but touch nothing."""

from __future__ import annotations

from ipc_articulation.coupling.adapter import CoupledRobot
from ipc_articulation.dynamics.reading.format import robot_format
from ipc_articulation.errors import AdapterError
from ipc_articulation.repairs import caution, listed
from ipc_articulation.scenefile import schema


def report_bare_links(robot: CoupledRobot, scene: schema.RobotScene) -> None:
    """Report moving links that have drawings but no surface, where the scene has something else to touch.

    Raises:
        AdapterError: Repairs are refused, and there are such links.
    """
    file = scene.robot.model
    bare = [link.name for link in robot.links if link.mesh is None and link.visual]
    surfaces = [*robot.planes, *(body for body in (*robot.links, *robot.free, *robot.static) if body.mesh is not None)]
    others = [*scene.bodies, *scene.soft_bodies, *scene.walls, *surfaces]
    if not bare or not (others or scene.ground) or scene.robot.surfaces or robot_format(file) != "urdf":
        return
    caution(
        f"{file}: no <collision> in what moves as {listed(bare)}, so it touches nothing; write "
        "'surfaces: visual' under 'robot' to let it touch with its <visual>, or 'surfaces: collision' if that is meant",
        AdapterError,
    )
