"""Names of joints and points in the sections of a scene that make it a task for learning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ipc_articulation.checking.names import Pattern, unknown
from ipc_articulation.checking.start import Start
from ipc_articulation.naming import suggest
from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.document import Location, SceneProblem


def task_problems(scene: schema.RobotScene, start: Start) -> Iterator[SceneProblem]:
    """Names in `marks`, `observe`, `reward`, `act` and `episode` that the scene does not have."""
    robot = start.robot
    bodies = [body.name for body in (*robot.links, *robot.free, *robot.static)]
    for index, mark in enumerate(scene.marks):
        if mark.on is not None and mark.on not in bodies:
            message = f"there is no link or body '{mark.on}'{suggest(mark.on, bodies, 'known')}"
            yield SceneProblem(("marks", index, "on"), message)
    points = [*bodies, *(mark.name for mark in scene.marks)]
    for place, name in _points(scene):
        if name not in points:
            message = f"there is no link, body or mark '{name}'{suggest(name, points, 'known')}"
            yield SceneProblem(place, message)
    for named, takes_target in _joints(scene):
        known, what = (start.actuated, "joint with an actuator") if takes_target else (start.joints, "joint")
        yield from unknown(named, known, what)


def _points(scene: schema.RobotScene) -> Iterator[tuple[Location, str]]:
    """Every name of a point, with its place."""
    for key in ("observe", "act"):
        for index, entry in enumerate(getattr(scene, key)):
            for field in ("of", "relative_to", "point"):
                if (name := getattr(entry, field, None)) is not None:
                    yield (key, index, field), name
    near: list[tuple[Location, Any]] = [
        (("reward", index), entry) for index, entry in enumerate(scene.reward) if hasattr(entry, "between")
    ]
    near += [(("episode", "success"), scene.episode.success)] if scene.episode.success else []
    for place, entry in near:
        for side, name in enumerate(entry.between):
            yield (*place, "between", side), name
    for index, bounds in enumerate(scene.episode.leaves):
        yield ("episode", "leaves", index, "of"), bounds.of


def _joints(scene: schema.RobotScene) -> Iterator[tuple[tuple[Location, Pattern], bool]]:
    """Every choice of joints, with its place, and whether they must take targets."""
    for key in ("observe", "reward", "act"):
        for index, entry in enumerate(getattr(scene, key)):
            if hasattr(entry, "joints"):
                takes_target = isinstance(entry, schema.TargetsEntry | schema.MoveEntry)
                yield ((key, index, "joints"), entry.joints), takes_target
